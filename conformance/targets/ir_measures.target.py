# /// script
# dependencies = ["ir-measures==0.4.3", "pandas==2.3.3", "cwl-eval==1.0.12"]
# ///
"""ir_measures, which asks several providers."""

from collections.abc import Mapping, Sequence
from subprocess import CalledProcessError
from typing import Any

import ir_measures
from ir_measures import AP, ERR, RBP, RR, Bpref, Judged, P, R, Rprec, SetF, SetP, SetR, Success, infAP, nDCG
from lines import Unsupported, answer
from ranking_names import functions, scored

NAMES = {
    "ndcg": nDCG,
    "ap": AP,
    "rr": RR,
    "precision": P,
    "recall": R,
    "f1": SetF,
    "r_precision": Rprec,
    "bpref": Bpref,
    "infap": infAP,
    "success": Success,
    "judged": Judged,
    "err": ERR,
    "rbp": RBP,
}


def measure_of(metric: Mapping[str, Any]) -> Any:
    measure = NAMES[metric["computes"]]
    if metric["computes"] in ("precision", "recall") and "k" not in metric:
        measure = SetP if metric["computes"] == "precision" else SetR
    if metric["computes"] == "err" and (metric["max"] != 4 or "k" not in metric):
        raise Unsupported("ERR has a cutoff, and the greatest grade of gdeval, 4")
    if metric.get("gains") == "exponential":
        measure = measure(dcg="exp-log2")
    parameters = {name: metric[name] for name in ("rel", "p") if name in metric}
    measure = measure(**parameters) if parameters else measure
    return measure @ metric["k"] if "k" in metric else measure


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    measures = [measure_of(metric) for metric in metrics]
    try:
        evaluator = ir_measures.evaluator(measures, given["qrels"])
    except ValueError as error:  # a form of a measure that no provider has
        raise Unsupported(str(error)) from None
    run = scored(given["ranking"])
    if "queries" in given:
        found = {(each.query_id, str(each.measure)): each.value for each in evaluator.iter_calc(run)}
        return [[found.get((query, str(measure))) for query in given["queries"]] for measure in measures]
    try:
        evaluator.calc_aggregate(run)
        means = evaluator.calc_aggregate(run)  # an evaluator is for several runs: this is the second
    except CalledProcessError as error:  # its message names temporary files
        raise RuntimeError(f"gdeval ends with code {error.returncode}") from None
    return [means[measure] for measure in measures]


if __name__ == "__main__":
    answer("ir-measures", functions(list(NAMES), compute))
