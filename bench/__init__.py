"""How long Steelyard and its peers take over the same files, side by side: `python -m bench`."""
