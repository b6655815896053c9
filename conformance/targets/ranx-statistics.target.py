# /// script
# dependencies = ["ranx==0.3.21"]
# ///
"""ranx: Fisher's randomisation test and Student's t test of two runs."""

from typing import Any

import numpy as np
from lines import Unsupported, answer
from ranx.statistical_tests import fisher_randomization_test, paired_student_t_test


def paired_p(given: Any) -> Any:
    if None in given["a"] or None in given["b"]:
        raise Unsupported("every query has a score")
    a, b = np.array(given["a"], float), np.array(given["b"], float)
    if given["test"] == "t":
        return float(paired_student_t_test(a, b, 0.01)[0])
    if given["test"] != "permutation":
        raise Unsupported("no test of this name")
    if "resamples" not in given:
        raise Unsupported("it draws permutations")
    return float(fisher_randomization_test(a, b, given["resamples"], 0.01, given["seed"])[0])


def distinct_p(given: Any) -> Any:
    return len({paired_p(given) for _ in range(given["times"])})


if __name__ == "__main__":
    answer("ranx", {"paired_p": paired_p, "distinct_p": distinct_p})
