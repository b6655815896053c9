"""Metrics over the contexts of answers: what is grounded, cited, refused and retrieved, without a model."""
