"""Statistics: ours is right on every vector, and so are SciPy and plain definitions with fractions."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from conformance.targets.lines import _computed
from conformance.targets.ours.statistics import FUNCTIONS
from steelyard.suite.outcomes import is_equal, judged
from steelyard.suite.vectors import read_vectors

VECTORS = {vector.id: vector for vector in read_vectors() if vector.family == "statistics"}


def value_of(functions, vector):
    """The value as the protocol has it; what is refused is null."""
    return _computed(functions[vector.computes], vector.input).get("value")


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_ours_is_right(vector):
    assert judged(vector, value_of(FUNCTIONS, vector)).kind == "right"


# --- the same by other means


def paired_p(given):
    pairs = [(one, other) for one, other in zip(given["a"], given["b"], strict=True) if None not in (one, other)]
    differences = [Fraction(str(one)) - Fraction(str(other)) for one, other in pairs]
    match given["test"]:
        case "permutation" if len(pairs) > 16:
            assert min(differences) > 0
            return 2 / 2 ** len(pairs)
        case "permutation":
            return enumerated(differences)
        case "t" if len(set(differences)) < 2:
            return None
        case "t":
            return float(stats.ttest_1samp([float(each) for each in differences], 0).pvalue)
        case "wilcoxon":
            plain = [one - other for one, other in pairs]
            return float(stats.wilcoxon(plain, correction=True, method="asymptotic").pvalue) if any(plain) else 1
    ups, downs = (sum(sign * each > 0 for each in differences) for sign in (1, -1))
    return float(stats.binomtest(ups, ups + downs).pvalue) if ups + downs else 1


def enumerated(differences):
    """The share of all changes of sign whose sum is as far from 0 as the observed one."""
    sums = [abs(sum(each)) for each in product(*((each, -each) for each in differences))]
    return sum(each >= abs(sum(differences)) for each in sums) / len(sums) if differences else None


def adjusted(given):
    """Holm and Bonferroni multiply by how many are left; of BH SciPy has the values."""
    known = [each for each in given["p"] if each is not None]
    if given["method"] == "bh":
        found = iter(stats.false_discovery_control(known))
        return [None if each is None else float(next(found)) for each in given["p"]]
    order = sorted(known)
    left = [len(known) - rank if given["method"] == "holm" else len(known) for rank in range(len(known))]
    running = [min(1.0, max(p * n for p, n in zip(order[: at + 1], left, strict=False))) for at in range(len(known))]
    return [None if each is None else running[order.index(each)] for each in given["p"]]


def share_interval(given):
    method = {"wilson": "wilson", "clopper-pearson": "exact"}[given["method"]]
    found = stats.binomtest(given["successes"], given["n"]).proportion_ci(given["level"], method)
    return [float(found.low), float(found.high)] if given["n"] else None


def kappa(given):
    """1 - disagreement / that of unrelated pairs."""
    pairs, squared = list(zip(given["a"], given["b"], strict=True)), given["weighting"] == "quadratic"
    unrelated = list(product(given["a"], given["b"]))
    seen, by_chance = (
        Fraction(sum((x - y) ** 2 if squared else x != y for x, y in each), len(each)) for each in (pairs, unrelated)
    )
    return float(1 - seen / by_chance)


def alpha(given):
    """1 - disagreement within the items / that of all pairs of ratings; ranks of ordinal ratings are middles."""
    items = [[each for each in item if each is not None] for item in zip(*given["ratings"], strict=True)]
    items = [item for item in items if len(item) > 1]
    uses = Counter(rating for item in items for rating in item)
    places = {each: each for each in uses}
    if given["level"] == "ordinal":
        places = {each: sum(uses[o] for o in uses if o < each) + uses[each] / 2 for each in uses}

    def apart(one, other):
        return one != other if given["level"] == "nominal" else (places[one] - places[other]) ** 2

    within = sum(sum(apart(x, y) for x, y in product(item, item)) / (len(item) - 1) for item in items)
    among = sum(apart(x, y) * uses[x] * uses[y] for x, y in product(uses, uses))
    return 1 - (sum(uses.values()) - 1) * within / among if among else None


def error(given):
    """That of a regression on a constant, with residuals summed by cluster; of one value 0 / 0."""
    values = np.array(given["values"], float)
    names = given.get("clusters") or list(range(len(values)))
    sums = [sum(values[[name == each for each in names]] - values.mean()) for name in set(names)]
    return math.sqrt(sum(float(each) ** 2 for each in sums) * len(sums) / (len(sums) - 1)) / len(values)


def tau(given):
    return float(stats.kendalltau(given["a"], given["b"]).statistic) if len(given["a"]) > 1 else None


OTHERS = {
    "paired_p": paired_p,
    "adjusted_p": adjusted,
    "proportion_interval": share_interval,
    "kappa": kappa,
    "alpha": alpha,
    "standard_error": error,
    "kendall_tau": tau,
}


@pytest.mark.parametrize("name", [name for name in VECTORS if VECTORS[name].computes in OTHERS])
def test_other_means_agree(name):
    vector = VECTORS[name]
    value = value_of(OTHERS, vector)
    accepted = [vector.expected, *(each.value for each in vector.accepted)]
    assert any(is_equal(value, each, vector.tolerance) for each in accepted), (value, accepted)
