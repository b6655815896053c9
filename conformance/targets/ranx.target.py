# /// script
# dependencies = ["ranx==0.3.21"]
# ///
"""ranx."""

from collections.abc import Mapping, Sequence
from typing import Any

from lines import Unsupported, answer
from ranking_names import functions, mean_of, scored
from ranx import Qrels, Run, evaluate

NAMES = {
    "ndcg": "ndcg",
    "ap": "map",
    "rr": "mrr",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "r_precision": "r-precision",
    "bpref": "bpref",
    "success": "hit_rate",
    "rbp": "rbp",
}


def name_of(metric: Mapping[str, Any]) -> str:
    name = NAMES[metric["computes"]] + ("_burges" if metric.get("gains") == "exponential" else "")
    if metric.get("k") == 0:
        raise Unsupported("a cutoff of 0 means all documents")
    if metric["computes"] == "rbp":
        if "k" in metric or metric["p"] >= 1:
            raise Unsupported("rbp has a probability below 1, and no cutoff")
        name += f".{str(metric['p'])[2:]}"
    return name + (f"@{metric['k']}" if "k" in metric else "") + (f"-l{metric['rel']}" if "rel" in metric else "")


def compute(given: Mapping[str, Any], metrics: Sequence[Mapping[str, Any]]) -> list[Any]:
    names = [name_of(metric) for metric in metrics]
    run = Run(scored(given["ranking"]))
    means = evaluate(Qrels(given["qrels"]), run, list(dict.fromkeys(names)))
    if "queries" in given:
        return [mean_of(run.scores[name], given) for name in names]
    return [means[name] if isinstance(means, dict) else means for name in names]


def compiled() -> None:
    """Compile every metric, which takes a minute the first time, before there is a limit for each answer."""
    names = ["rbp.5" if name == "rbp" else name for name in NAMES.values()]
    evaluate(Qrels({"q": {"a": 1}}), Run({"q": {"a": 1.0}}), [*names, "ndcg_burges"])


if __name__ == "__main__":
    compiled()
    answer("ranx", functions(list(NAMES), compute))
