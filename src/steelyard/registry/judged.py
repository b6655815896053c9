"""Names of metrics that other tools compute with a model, each with the nearest metric here that needs none."""

import re
from collections.abc import Mapping
from typing import Final

from steelyard.errors import UnknownName
from steelyard.i18n import Message

# hint with the nearest metrics → names in other tools, folded (lower case, "_" for "-" and blanks)
_NEAREST: Final[Mapping[str, str]] = {
    "metrics.nearest_grounded": (
        "faithfulness hallucination hallucination_rate groundedness grounding response_groundedness "
        "context_utilization context_faithfulness factuality hhem minicheck summac align_score alignscore "
        "attributable_to_source ais"
    ),
    "metrics.nearest_context_precision": (
        "context_precision contextual_precision contextual_relevancy contextual_relevance context_relevance "
        "context_relevancy llm_context_precision_with_reference llm_context_precision_without_reference "
        "non_llm_context_precision_with_reference retrieval_precision umbrela"
    ),
    "metrics.nearest_context_recall": (
        "context_recall contextual_recall context_entity_recall context_entities_recall llm_context_recall "
        "non_llm_context_recall claim_recall retrieval_sufficiency"
    ),
    "metrics.nearest_answer": (
        "answer_correctness correctness factual_correctness semantic_similarity answer_similarity "
        "answer_semantic_similarity semantic_score sas bertscore bert_score bleurt bartscore moverscore comet "
        "llm_judge llm_as_a_judge llm_as_judge llm_eval g_eval geval gpt_eval gpt_score gptscore prometheus "
        "rubric rubrics rubrics_score llm_rubric model_graded_qa model_graded_fact model_graded_closedqa "
        "model_graded_factuality aspect_critic aspect_critique simple_criteria simple_criteria_score "
        "nv_accuracy answer_accuracy nugget_recall autonuggetizer ragchecker"
    ),
    "metrics.nearest_relevance": (
        "answer_relevancy answer_relevance response_relevancy response_relevance qa_relevance"
    ),
    "metrics.nearest_refusal": (
        "noise_sensitivity noise_robustness negative_rejection answer_refusal unanswerable_accuracy abstention"
    ),
    "metrics.nearest_citation": (
        "citation_precision citation_recall citation_f1 citation_accuracy citation_quality autoais "
        "citation_faithfulness citations support"
    ),
    "metrics.nearest_text": (
        "summarization summarization_score summary_score coherence fluency relevance helpfulness conciseness "
        "completeness toxicity bias tone sentiment perplexity"
    ),
}
_HINTS: Final = {name: Message(hint) for hint, names in _NEAREST.items() for name in names.split()}


def judged_elsewhere(name: str) -> UnknownName | None:
    """The error for a metric that other tools compute with a model, with what is nearest here; None for others."""
    hint = _HINTS.get(re.sub(r"[\- ]", "_", name.strip().casefold()))
    return None if hint is None else UnknownName(Message("metrics.needs_model_judge", name=name), hint=hint)
