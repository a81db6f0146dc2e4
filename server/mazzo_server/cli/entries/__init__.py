"""Commands for tournaments that bots enter before they start."""
