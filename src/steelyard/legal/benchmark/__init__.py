"""Benchmarks: question files, their checks, and runs against a system."""
