"""The command line, run as people and scripts run it: as a process of its own."""
