"""Evaluation of rankings against relevance judgments."""
