"""`mazzo rankings`: who is best, and how each rating came about."""
