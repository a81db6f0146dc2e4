"""What connects commands with the platform, and with the shell around them."""
