# /// script
# dependencies = ["lm-eval==0.4.13"]
# ///
"""lm-evaluation-harness: the standard error of a mean."""

from typing import Any

from lines import Unsupported, answer
from lm_eval.api.metrics import mean_stderr


def standard_error(given: Any) -> Any:
    if "clusters" in given:
        raise Unsupported("no clusters")
    return mean_stderr(given["values"])


if __name__ == "__main__":
    answer("lm_eval", {"standard_error": standard_error})
