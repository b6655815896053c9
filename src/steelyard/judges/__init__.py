"""Judgments by a model: judges as data, their calls with a journal, and what their verdicts are worth."""
