"""A terminal of which a command takes the whole screen."""
