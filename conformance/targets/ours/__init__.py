"""Steelyard itself, family by family."""
