# /// script
# dependencies = ["pytrec-eval-terrier==0.5.11"]
# ///
"""pytrec_eval: trec_eval 9 in Python. Its results are per query; the mean is over those that it returns."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytrec_eval
from lines import Unsupported, answer
from ranking_names import functions, mean_of, scored

NAMES = {
    "ndcg": ("ndcg", "ndcg_cut"),
    "ap": ("map", "map_cut"),
    "rr": ("recip_rank", ""),
    "precision": ("set_P", "P"),
    "recall": ("set_recall", "recall"),
    "f1": ("set_F", ""),
    "r_precision": ("Rprec", ""),
    "bpref": ("bpref", ""),
    "infap": ("infAP", ""),
    "success": ("", "success"),
}


def name_of(metric: Mapping[str, Any]) -> tuple[str, str]:
    """Return a measure as it is asked for, and as it is in the results."""
    whole, cut = NAMES[metric["computes"]]
    if metric.get("gains", "linear") != "linear":
        raise Unsupported("ndcg has linear gains")
    if "k" not in metric:
        return whole, whole
    if not cut:
        raise Unsupported(f"{whole} has no cutoff")
    return f"{cut}.{metric['k']}", f"{cut}_{metric['k']}"


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    names = [name_of(metric) for metric in metrics]
    level = max(metric.get("rel", 1) for metric in metrics)
    evaluator = pytrec_eval.RelevanceEvaluator(given["qrels"], {asked for asked, _ in names}, relevance_level=level)
    run = scored(given["ranking"])
    evaluator.evaluate(run)
    found = evaluator.evaluate(run)  # an evaluator is for several runs: this is the second
    return [mean_of({query: values[name] for query, values in found.items()}, given) for _, name in names]


if __name__ == "__main__":
    answer("pytrec-eval-terrier", functions(list(NAMES), compute))
