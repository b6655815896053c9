# /// script
# dependencies = ["truescore==0.7.4"]
# ///
"""truescore: agreement, comparisons and corrected means of judged systems."""

import math
from typing import Any

import numpy as np
import truescore
from lines import Unsupported, answer


def paired_p(given: Any) -> Any:
    if None in given["a"] or None in given["b"]:
        raise Unsupported("it does not say what it does with NaN")
    match given["test"]:
        case "mcnemar":
            return truescore.mcnemar(given["a"], given["b"], midp=False).p_value
        case "permutation":
            names = {"n_resamples": "resamples", "seed": "seed"}
            settings = {name: given[ours] for name, ours in names.items() if ours in given}
            return truescore.paired_permutation(given["a"], given["b"], **settings).p_value
    raise Unsupported("no test of this name")


def adjusted_p(given: Any) -> Any:
    if given["method"] == "bonferroni" or None in given["p"]:
        raise Unsupported("Holm and Benjamini-Hochberg, of probabilities")
    return {"holm": truescore.holm, "bh": truescore.benjamini_hochberg}[given["method"]](given["p"])


def proportion_interval(given: Any) -> Any:
    if given["method"] != "wilson":
        raise Unsupported("Wilson only")
    found = truescore.wilson_interval(given["successes"], given["n"], alpha=1 - given["level"])
    return [found.low, found.high]


def kappa(given: Any) -> Any:
    weighted = given["weighting"] == "quadratic"
    return (truescore.quadratic_weighted_kappa if weighted else truescore.cohen_kappa)(given["a"], given["b"])


def ac1(given: Any) -> Any:
    if len({*given["a"], *given["b"]}) not in (1, len(given["values"])):
        raise Unsupported("labels that nobody used cannot be given")
    return truescore.gwet_ac1(given["a"], given["b"])


def alpha(given: Any) -> Any:
    if any(isinstance(each, str) for row in given["ratings"] for each in row):
        raise Unsupported("ratings are numbers")
    rows = [[math.nan if each is None else each for each in row] for row in given["ratings"]]
    return truescore.krippendorff_alpha(rows, level=given["level"])


def ppi(given: Any) -> Any:
    judge, index = [*given["verdicts"], *given["others"]], np.arange(len(given["labels"]))
    return truescore.ppi_estimate(judge, given["labels"], index, alpha=1 - given.get("level", 0.95))


def rogan_gladen(given: Any) -> Any:
    (hits, right), (rejected, wrong) = given["sensitivity"], given["specificity"]
    others, yes = given["n"] - right - wrong, given["positives"] - hits - (wrong - rejected)
    if not 0 <= yes <= others:
        raise Unsupported("labelled items are of the judged ones")
    labelled = [1] * hits + [0] * (right - hits) + [0] * rejected + [1] * (wrong - rejected)
    judge = [*labelled, *[1] * yes, *[0] * (others - yes)]
    return truescore.rogan_gladen_estimate(judge, [1] * right + [0] * wrong, np.arange(right + wrong)).point


FUNCTIONS = {
    "ac1": ac1,
    "adjusted_p": adjusted_p,
    "alpha": alpha,
    "distinct_p": lambda given: len({paired_p(given) for _ in range(given["times"])}),
    "kappa": kappa,
    "paired_p": paired_p,
    "ppi_interval": lambda given: [ppi(given).low, ppi(given).high],
    "ppi_mean": lambda given: ppi(given).point,
    "proportion_interval": proportion_interval,
    "rogan_gladen": rogan_gladen,
}

if __name__ == "__main__":
    answer("truescore", FUNCTIONS)
