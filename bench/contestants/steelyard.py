"""Steelyard by its Python interface."""

import steelyard
from bench.contestants import Outcome


def evaluate(qrels_path: str, run_path: str) -> Outcome:
    table = steelyard.evaluate_retrieval(qrels_path, run_path)
    columns = {name: table.column(name) for name in table.metrics}
    return Outcome((list(table.ids), columns), [table.mean(name) for name in table.metrics])
