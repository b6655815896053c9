# /// script
# dependencies = ["statsmodels==0.15.0"]
# ///
"""statsmodels: tests of paired scores, families of tests, shares, means with clusters, kappa."""

from typing import Any

import numpy as np
from lines import Unsupported, answer
from statsmodels.api import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.descriptivestats import sign_test
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW


def paired_p(given: Any) -> Any:
    if None in given["a"] or None in given["b"]:
        raise Unsupported("it does not say what it does with NaN")
    a, b = np.array(given["a"], float), np.array(given["b"], float)
    match given["test"]:
        case "sign":
            return sign_test(a - b)[1]
        case "mcnemar":
            table = [[int(((a == x) & (b == y)).sum()) for y in (1, 0)] for x in (1, 0)]
            return mcnemar(table, exact=True).pvalue
        case "t":
            return DescrStatsW(a - b).ttest_mean(0)[1]
    raise Unsupported("no test of this name")


def adjusted_p(given: Any) -> Any:
    if None in given["p"]:
        raise Unsupported("it does not say what it does with NaN")
    return multipletests(given["p"], method={"bh": "fdr_bh"}.get(given["method"], given["method"]))[1]


def proportion_interval(given: Any) -> Any:
    method = {"clopper-pearson": "beta"}.get(given["method"], given["method"])
    return ends(proportion_confint(given["successes"], given["n"], alpha=1 - given["level"], method=method))


def mean_interval(given: Any) -> Any:
    if given["method"] != "t":
        raise Unsupported("no bootstrap")
    return ends(DescrStatsW(given["values"]).tconfint_mean(alpha=1 - given["level"]))


def standard_error(given: Any) -> Any:
    values = np.array(given["values"], float)
    if "clusters" not in given:
        return DescrStatsW(values).std_mean
    groups = np.unique(given["clusters"], return_inverse=True)[1]
    return OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups}).bse[0]


def kappa(given: Any) -> Any:
    names = given.get("values") or sorted({*given["a"], *given["b"]})
    pairs = list(zip(given["a"], given["b"], strict=True))
    table = np.array([[pairs.count((one, other)) for other in names] for one in names])
    weights = {"weights": np.array(names), "wt": "quadratic"} if given["weighting"] == "quadratic" else {}
    return cohens_kappa(table, **weights).kappa


def ends(pair: Any) -> Any:
    return None if np.isnan(pair).all() else pair


FUNCTIONS = {
    "adjusted_p": adjusted_p,
    "kappa": kappa,
    "mean_interval": mean_interval,
    "paired_p": paired_p,
    "proportion_interval": proportion_interval,
    "standard_error": standard_error,
}

if __name__ == "__main__":
    answer("statsmodels", FUNCTIONS)
