"""Checks of results files of other tools: values are recomputed from their rows and compared with what is written."""
