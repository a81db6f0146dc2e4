"""The command line: it talks gRPC to a server, or to one that it embeds."""
