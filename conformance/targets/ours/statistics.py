"""What Steelyard computes of the statistics."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from steelyard.stats.agreement import clopper_pearson, cohen_kappa, gwet_ac1, kappa_of, krippendorff_alpha
from steelyard.stats.corrected import ppi_mean, rogan_gladen
from steelyard.stats.correction import adjust
from steelyard.stats.intervals import Interval, mean_interval, standard_error
from steelyard.stats.paired import paired_tests
from steelyard.stats.ranks import kendall_tau, tau_ap
from steelyard.table import FloatArray


def paired_p(given: Any) -> float:
    test = {"mcnemar": "sign"}.get(given["test"], given["test"])
    differences = (_numbers(given["a"]) - _numbers(given["b"])).reshape(-1, 1)
    settings = {name: given[name] for name in ("resamples", "seed") if name in given}
    return paired_tests(differences, test=test, **settings)[0].p_value


def distinct_p(given: Any) -> int:
    return len({paired_p(given) for _ in range(given["times"])})


def proportion_interval(given: Any) -> list[float] | None:
    successes, n, level = given["successes"], given["n"], given["level"]
    if given["method"] == "clopper-pearson":
        return _ends(clopper_pearson(successes, n, level=level))
    return _ends(mean_interval(np.repeat([1.0, 0.0], [successes, n - successes]), method="wilson", level=level))


def interval_of_mean(given: Any) -> list[float] | None:
    settings = {name: given[name] for name in ("method", "level", "resamples", "seed") if name in given}
    return _ends(mean_interval(_numbers(given["values"]), **settings))


def kappa(given: Any) -> float:
    if given["weighting"] == "quadratic":
        return kappa_of(_numbers(given["a"]), _numbers(given["b"])).value
    return cohen_kappa(_counts(given)).value


def alpha(given: Any) -> float:
    names = sorted({rating for row in given["ratings"] for rating in row if rating is not None})
    if given["level"] == "nominal":
        codes = {None: None, **{name: code for code, name in enumerate(names)}}
        return krippendorff_alpha(np.array([_numbers([codes[each] for each in row]) for row in given["ratings"]]))
    return krippendorff_alpha(np.array([_numbers(row) for row in given["ratings"]]), level=given["level"])


def rogan(given: Any) -> Any:
    rates = {name: tuple(given[name]) for name in ("sensitivity", "specificity")}
    return rogan_gladen(given["positives"], given["n"], **rates, level=given.get("level", 0.95))


def ppi(given: Any) -> Any:
    values = [_numbers(given[name]) for name in ("labels", "verdicts", "others")]
    return ppi_mean(*values, level=given.get("level", 0.95), guarded=False)


def _numbers(values: Any) -> FloatArray:
    """Return values as numbers; what is null is NaN."""
    return np.array(values, np.float64)


def _counts(given: Any) -> FloatArray:
    """Return how many items have each pair of labels."""
    names = given.get("values") or sorted({*given["a"], *given["b"]})
    pairs = list(zip(given["a"], given["b"], strict=True))
    return np.array([[pairs.count((one, other)) for other in names] for one in names], np.float64)


def _ends(interval: Interval) -> list[float] | None:
    return None if np.isnan(interval.low) else [interval.low, interval.high]


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "ac1": lambda given: gwet_ac1(_counts(given)).value,
    "adjusted_p": lambda given: adjust(_numbers(given["p"]), given["method"]),
    "alpha": alpha,
    "distinct_p": distinct_p,
    "kappa": kappa,
    "kendall_tau": lambda given: kendall_tau(given["a"], given["b"]),
    "mean_interval": interval_of_mean,
    "paired_p": paired_p,
    "ppi_interval": lambda given: _ends(ppi(given).interval),
    "ppi_mean": lambda given: ppi(given).estimate,
    "proportion_interval": proportion_interval,
    "rogan_gladen": lambda given: rogan(given).estimate,
    "rogan_gladen_interval": lambda given: _ends(rogan(given).interval),
    "standard_error": lambda given: standard_error(_numbers(given["values"]), given.get("clusters")),
    "tau_ap": lambda given: tau_ap(given["judged"], given["truth"]),
}
