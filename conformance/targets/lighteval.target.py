# /// script
# dependencies = ["lighteval==0.13.0"]
# ///
"""Quasi exact match and F1 of lighteval, with its normalizer of HELM."""

from typing import Any, Final

from lighteval.metrics.metrics_sample import ExactMatches, F1_score
from lighteval.metrics.normalizations import helm_normalizer
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc
from lines import answer

METRICS: Final = {
    "exact_match": ExactMatches(normalize_gold=helm_normalizer, normalize_pred=helm_normalizer),
    "token_f1": F1_score(normalize_gold=helm_normalizer, normalize_pred=helm_normalizer),
}


def score(given: Any, name: str) -> float:
    references = given["references"]
    doc = Doc(query="", choices=references, gold_index=list(range(len(references))))
    return float(METRICS[name].compute(doc=doc, model_response=ModelResponse(text=[given["answer"]])))


if __name__ == "__main__":
    answer(
        "lighteval",
        {"exact_match": lambda given: score(given, "exact_match"), "token_f1": lambda given: score(given, "token_f1")},
    )
