"""`mazzo tournament`: plan, create, play, change, show."""
