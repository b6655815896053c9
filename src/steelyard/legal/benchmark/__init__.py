"""The legal benchmark: its questions, the check of their keys, and the run against a system."""
