"""ir_measures with its own readers."""

from importlib import import_module
from typing import Any

from bench.contestants import Outcome
from bench.measures import MEASURES

# half of it has types, so that a type checker stumbles over the other half; this way it sees none
ir_measures: Any = import_module("ir_measures")


def evaluate(qrels_path: str, run_path: str) -> Outcome:
    measures = [ir_measures.parse_measure(measure.ir_measures) for measure in MEASURES]
    qrels = ir_measures.read_trec_qrels(qrels_path)
    run = ir_measures.read_trec_run(run_path)
    means, per_query = ir_measures.calc(measures, qrels, run)
    return Outcome(per_query, [float(means[measure]) for measure in measures])
