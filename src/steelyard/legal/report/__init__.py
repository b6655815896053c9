"""Reports of legal results: what only they have."""
