"""Files ⇄ data."""
