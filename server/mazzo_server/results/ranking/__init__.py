"""The rankings of variants, and how each rating came about."""
