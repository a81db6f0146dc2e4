"""`mazzo replay`: list, show, export and verify matches."""
