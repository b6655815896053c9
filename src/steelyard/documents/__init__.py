"""Documents as pages and units, and the warnings about how they were read."""
