"""Metrics over the contexts of answers; the judges are imported when one is computed."""
