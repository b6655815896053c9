"""ranx with its own readers; it keeps every query's scores in the run."""

from ranx import Qrels, Run
from ranx import evaluate as evaluate_run

from bench.contestants import Outcome
from bench.measures import MEASURES


def evaluate(qrels_path: str, run_path: str) -> Outcome:
    names = [measure.ranx for measure in MEASURES]
    qrels = Qrels.from_file(qrels_path, kind="trec")
    run = Run.from_file(run_path, kind="trec")
    means = evaluate_run(qrels, run, names)
    return Outcome(run.scores, [float(means[name]) for name in names])
