"""A terminal whose whole screen a command uses."""
