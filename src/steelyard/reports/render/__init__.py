"""Renderers: each writes the blocks of a report in one format."""
