# /// script
# dependencies = ["pingouin==0.7.0"]
# ///
"""Pingouin: tests of paired scores, families of tests, bootstrap intervals."""

import math
from typing import Any

import pandas as pd
import pingouin
from lines import Unsupported, answer


def paired_p(given: Any) -> Any:
    a, b = given["a"], given["b"]
    if given["test"] == "mcnemar":
        found = pingouin.chi2_mcnemar(pd.DataFrame({"a": a, "b": b}), "a", "b")[1]
        return float(found["p_exact"].iloc[0])
    if given["test"] not in ("t", "wilcoxon"):
        raise Unsupported("no test of this name")
    a, b = ([math.nan if each is None else each for each in side] for side in (a, b))
    found = pingouin.ttest(a, b, paired=True) if given["test"] == "t" else pingouin.wilcoxon(a, b)
    return float(found["p_val"].iloc[0])


def adjusted_p(given: Any) -> Any:
    method = {"bh": "fdr_bh", "bonferroni": "bonf"}.get(given["method"], given["method"])
    return pingouin.multicomp([math.nan if each is None else each for each in given["p"]], method=method)[1]


def mean_interval(given: Any) -> Any:
    if given["method"] == "t":
        raise Unsupported("no interval of a mean but by bootstrap")
    settings = {"n_boot": given["resamples"], "seed": given["seed"], "confidence": given["level"]}
    found = pingouin.compute_bootci(given["values"], func="mean", method="bca", decimals=12, **settings)
    return None if any(math.isnan(end) for end in found) else found


if __name__ == "__main__":
    answer("pingouin", {"paired_p": paired_p, "adjusted_p": adjusted_p, "mean_interval": mean_interval})
