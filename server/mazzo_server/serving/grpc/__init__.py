"""The gRPC services of the platform, one file each."""
