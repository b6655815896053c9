"""Grounding: whether the values, names and quotations of an answer are in its document."""
