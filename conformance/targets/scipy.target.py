# /// script
# dependencies = ["scipy==1.17.1"]
# ///
"""SciPy: tests of paired scores, intervals, rank correlation."""

import math
from typing import Any

import numpy as np
from lines import Unsupported, answer
from scipy import stats


def paired_p(given: Any) -> Any:
    a, b = (np.array(given[name], float) for name in ("a", "b"))
    settings = {"nan_policy": "omit"}
    match given["test"]:
        case "permutation":
            return permutation(a, b, given)
        case "t":
            return stats.ttest_rel(a, b, **settings).pvalue
        case "wilcoxon":
            return stats.wilcoxon(a, b, **settings).pvalue
        case "mcnemar":
            raise Unsupported("no test of this name")
    ups, downs = int((a > b).sum()), int((a < b).sum())
    return stats.binomtest(ups, ups + downs).pvalue


def permutation(a: Any, b: Any, given: Any) -> Any:
    if np.isnan(a + b).any():
        raise Unsupported("it does not say what it does with NaN")
    settings = {"n_resamples": given["resamples"], "rng": given["seed"]} if "resamples" in given else {}
    found = stats.permutation_test((a, b), difference, permutation_type="samples", vectorized=True, **settings)
    return found.pvalue


def difference(a: Any, b: Any, axis: Any = -1) -> Any:
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


def adjusted_p(given: Any) -> Any:
    if given["method"] != "bh":
        raise Unsupported("false discovery rates only")
    if None in given["p"]:
        raise Unsupported("p-values between 0 and 1")
    return stats.false_discovery_control(given["p"])


def proportion_interval(given: Any) -> Any:
    method = {"wilson": "wilson", "clopper-pearson": "exact"}[given["method"]]
    found = stats.binomtest(given["successes"], given["n"]).proportion_ci(given["level"], method)
    return ends(found.low, found.high)


def mean_interval(given: Any) -> Any:
    values, level = np.array(given["values"], float), given["level"]
    if given["method"] == "t":
        return ends(*stats.t.interval(level, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)))
    settings = {"n_resamples": given["resamples"], "rng": given["seed"]}
    return ends(
        *stats.bootstrap((values,), np.mean, confidence_level=level, method="BCa", **settings).confidence_interval
    )


def standard_error(given: Any) -> Any:
    if "clusters" in given:
        raise Unsupported("no clusters")
    return stats.sem(given["values"])


def ends(low: Any, high: Any) -> Any:
    return None if math.isnan(low) and math.isnan(high) else [low, high]


FUNCTIONS = {
    "adjusted_p": adjusted_p,
    "distinct_p": lambda given: len({float(paired_p(given)) for _ in range(given["times"])}),
    "kendall_tau": lambda given: stats.kendalltau(given["a"], given["b"]).statistic,
    "mean_interval": mean_interval,
    "paired_p": paired_p,
    "proportion_interval": proportion_interval,
    "standard_error": standard_error,
}

if __name__ == "__main__":
    answer("scipy", FUNCTIONS)
