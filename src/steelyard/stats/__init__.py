"""Intervals, paired tests, corrections and power over plain arrays of per-item scores."""
