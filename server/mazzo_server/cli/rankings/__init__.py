"""`mazzo rankings`: shows who is best, and how each rating came about."""
