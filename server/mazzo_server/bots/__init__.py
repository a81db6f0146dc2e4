"""The catalogue of bots: their bundles, their versions, and what launches them."""
