"""`mazzo replay`: lists, shows, exports and verifies matches."""
