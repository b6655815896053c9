"""What Steelyard computes of the answers."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from steelyard import evaluate_answers

_METRICS: Final = {
    "exact_match": "EM",
    "token_f1": "F1",
    "accuracy": "Acc",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "rouge_lsum": "ROUGE-Lsum",
    "bleu": "BLEU",
    "chrf": "chrF",
}


def _score(given: Any, *, metric: str) -> float:
    table = evaluate_answers([given["answer"]], [given["references"]], [metric])
    return float(table.columns[metric].values[0])


FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    name: partial(_score, metric=metric) for name, metric in _METRICS.items()
}
