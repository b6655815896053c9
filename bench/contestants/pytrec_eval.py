"""pytrec_eval, with files read line by line into dictionaries as its README does."""

from collections import defaultdict
from typing import Any

import pytrec_eval

from bench.contestants import Outcome
from bench.measures import MEASURES


def evaluate(qrels_path: str, run_path: str) -> Outcome:
    evaluator = evaluator_of(qrels_path)
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with open(run_path) as lines:
        for line in lines:
            query, _, document, _, score, _ = line.split()
            run[query][document] = float(score)
    per_query = evaluator.evaluate(run)
    means = [
        pytrec_eval.compute_aggregated_measure(name, [values[name] for values in per_query.values()])
        for name in (measure.pytrec_eval for measure in MEASURES)
    ]
    return Outcome(per_query, [float(mean) for mean in means])


def evaluator_of(qrels_path: str) -> Any:
    """Return an evaluator that knows the judgments."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    with open(qrels_path) as lines:
        for line in lines:
            query, _, document, grade = line.split()
            qrels[query][document] = int(grade)
    return pytrec_eval.RelevanceEvaluator(qrels, {measure.pytrec_eval for measure in MEASURES})
