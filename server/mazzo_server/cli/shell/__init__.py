"""How commands reach the platform and the shell around them."""
