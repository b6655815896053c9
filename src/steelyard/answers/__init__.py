"""Evaluation of answers against references, in any script."""
