# /// script
# dependencies = ["irrCAC==0.4.4"]
# ///
"""irrCAC: agreement coefficients of raters with known labels."""

from typing import Any

import pandas as pd
from irrCAC.raw import CAC
from lines import Unsupported, answer


def coefficients(a: Any, b: Any, values: Any, weights: Any = "identity") -> Any:
    """Return the coefficients of two raters, with all digits."""
    return CAC(pd.DataFrame({"a": a, "b": b}), weights=weights, categories=values, digits=12)


def ac1(given: Any) -> Any:
    return coefficients(given["a"], given["b"], given["values"]).gwet()["est"]["coefficient_value"]


def kappa(given: Any) -> Any:
    weights = {"none": "identity"}.get(given["weighting"], given["weighting"])
    values = given.get("values") or sorted({*given["a"], *given["b"]})
    return coefficients(given["a"], given["b"], values, weights).conger()["est"]["coefficient_value"]


def alpha(given: Any) -> Any:
    if given["level"] == "ordinal":
        raise Unsupported("its ordinal weights are not those of Krippendorff")
    weights = {"nominal": "identity", "interval": "quadratic"}[given["level"]]
    raters = pd.DataFrame({str(rater): row for rater, row in enumerate(given["ratings"])})
    return CAC(raters, weights=weights, digits=12).krippendorff()["est"]["coefficient_value"]


if __name__ == "__main__":
    answer("irrCAC", {"ac1": ac1, "kappa": kappa, "alpha": alpha})
