# /// script
# dependencies = ["ppi-python==0.2.3"]
# ///
"""ppi_py: prediction-powered inference of a mean."""

from typing import Any

import numpy as np
from lines import answer
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate


def values(given: Any) -> Any:
    return [np.array(given[name], float) for name in ("labels", "verdicts", "others")]


def ppi_mean(given: Any) -> Any:
    return float(ppi_mean_pointestimate(*values(given))[0])


def ppi_interval(given: Any) -> Any:
    return [float(end[0]) for end in ppi_mean_ci(*values(given), alpha=1 - given["level"])]


if __name__ == "__main__":
    answer("ppi-python", {"ppi_mean": ppi_mean, "ppi_interval": ppi_interval})
