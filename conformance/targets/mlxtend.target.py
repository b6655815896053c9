# /// script
# dependencies = ["mlxtend==0.25.0"]
# ///
"""mlxtend: the paired permutation test and McNemar's test."""

from typing import Any

import numpy as np
from lines import Unsupported, answer
from mlxtend.evaluate import mcnemar, mcnemar_table, permutation_test


def paired_p(given: Any) -> Any:
    if None in given["a"] or None in given["b"]:
        raise Unsupported("it does not say what it does with NaN")
    a, b = np.array(given["a"]), np.array(given["b"])
    if given["test"] == "mcnemar":
        table = mcnemar_table(y_target=np.ones(len(a)), y_model1=a, y_model2=b)
        return float(mcnemar(ary=table, exact=True)[1])
    if given["test"] != "permutation":
        raise Unsupported("no test of this name")
    settings = {"method": "exact"}
    if "resamples" in given:
        settings = {"method": "approximate", "num_rounds": given["resamples"], "seed": given["seed"]}
    return permutation_test(a, b, paired=True, **settings)


def distinct_p(given: Any) -> Any:
    return len({paired_p(given) for _ in range(given["times"])})


if __name__ == "__main__":
    answer("mlxtend", {"paired_p": paired_p, "distinct_p": distinct_p})
