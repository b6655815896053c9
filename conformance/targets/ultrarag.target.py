# /// script
# dependencies = ["rouge-score==0.1.2", "fastmcp==3.4.4", "tabulate==0.10.0", "pytrec-eval-terrier==0.5.11"]
# ///
"""The evaluation server of UltraRAG 0.3.0.2, which is not packaged: ULTRARAG is the folder of its repository."""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any

from lines import answer


def score(given: Any, *, function: Callable[[list[str], str], float]) -> float:
    return function(given["references"], given["answer"])


if __name__ == "__main__":
    if "ULTRARAG" not in os.environ:
        sys.exit("ULTRARAG is not set: the folder of a copy of OpenBMB/UltraRAG")
    sys.path[:0] = [
        os.path.abspath(os.path.join(os.environ["ULTRARAG"], part)) for part in ("src", "servers/evaluation/src")
    ]
    os.chdir(tempfile.gettempdir())  # it writes logs
    import evaluation

    functions = {
        "exact_match": evaluation.exact_match_score,
        "token_f1": evaluation.f1_score,
        "accuracy": evaluation.accuracy_score,
    }
    answer("ultrarag", {name: partial(score, function=each) for name, each in functions.items()}, release="0.3.0.2")
