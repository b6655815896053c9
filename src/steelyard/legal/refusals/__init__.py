"""Refusals: whether an answer declares the asked item absent, unknown or contradictory."""
