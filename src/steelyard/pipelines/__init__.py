"""Work of several steps: a benchmark run against a system."""
