"""Relevance judgments and runs as columns, from files of every format and from Python values."""
