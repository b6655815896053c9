"""Names of metrics of other tools: the nearest metric here, another meaning here, and the documented bounds."""

import re
from collections.abc import Mapping
from typing import Final

from steelyard.errors import UnknownName
from steelyard.i18n import Message

# hint with the nearest metrics → names in other tools of what they compute with a model
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
        "nv_accuracy answer_accuracy nugget_recall autonuggetizer ragchecker similar closedqa"
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
        "completeness toxicity bias tone sentiment perplexity topic_adherence agent_goal_accuracy task_completion dag"
    ),
}
# hint with the nearest metrics → names in other tools of what needs no model
_ABSENT: Final[Mapping[str, str]] = {
    "metrics.nearest_edit_distance": "levenshtein edit_distance non_llm_string_similarity",
    "metrics.nearest_position": "match",
    "metrics.nearest_gain": "dcg dcg_burges ideal_dcg",
    "metrics.nearest_average": "map_avgjg p_avgjg rprec_mult_avgjg yaap relstring",
    "metrics.nearest_none": "regex pattern pattern_match answer json_correctness tool_call_accuracy",
}

# least and greatest value that the documentation of the tools gives → names of metrics, without cut-offs
_RANGES: Final[Mapping[tuple[float, float], str]] = {
    (0.0, 1.0): (
        "faithfulness hallucination groundedness response_groundedness context_precision context_recall "
        "contextual_precision contextual_recall contextual_relevancy context_relevance context_relevancy "
        "context_utilization context_entity_recall context_entities_recall llm_context_precision_with_reference "
        "llm_context_precision_without_reference non_llm_context_precision_with_reference llm_context_recall "
        "non_llm_context_recall id_based_context_precision id_based_context_recall noise_sensitivity "
        "answer_correctness factual_correctness nv_accuracy answer_accuracy exact_match em exact f1 token_f1 f1_score "
        "acc accuracy precision recall p r map ap mrr rr ndcg hit hit_rate success recip_rank r_precision rprec bpref "
        "rouge1 rouge2 rougel rougelsum string_presence string_em cover_em"
    ),
    (-1.0, 1.0): (  # cosine similarity
        "answer_relevancy answer_relevance response_relevancy response_relevance semantic_similarity "
        "answer_similarity answer_semantic_similarity"
    ),
}


# judge of a model → names in other tools of what it computes
_JUDGES: Final[Mapping[str, str]] = {
    "claims": (
        "faithfulness hallucination hallucination_rate groundedness grounding response_groundedness "
        "context_faithfulness factuality attributable_to_source ais support claim_recall claim_precision ragchecker "
        "context_recall contextual_recall llm_context_recall retrieval_sufficiency factual_correctness"
    ),
    "same": (
        "answer_correctness correctness semantic_similarity answer_similarity answer_semantic_similarity "
        "semantic_score model_graded_qa model_graded_fact model_graded_factuality nv_accuracy answer_accuracy similar"
    ),
    "relevance": (
        "context_precision contextual_precision contextual_relevancy contextual_relevance context_relevance "
        "context_relevancy llm_context_precision_with_reference llm_context_precision_without_reference umbrela"
    ),
    "relevancy": "answer_relevancy answer_relevance response_relevancy response_relevance qa_relevance",
    "nuggets": "nugget_recall autonuggetizer",
    "refusal": "negative_rejection answer_refusal unanswerable_accuracy abstention",
    "criteria": (
        "g_eval geval gpt_eval gpt_score gptscore prometheus rubric rubrics rubrics_score llm_rubric llm_judge "
        "llm_as_a_judge llm_as_judge llm_eval model_graded_closedqa closedqa aspect_critic aspect_critique "
        "simple_criteria simple_criteria_score coherence fluency helpfulness conciseness completeness toxicity bias "
        "tone"
    ),
}

# metric of a judge that is not computed by default → names in other tools
_JUDGED_METRICS: Final[Mapping[str, str]] = {
    "Hallucination": "hallucination hallucination_rate",
    "ClaimPrecision": "claim_precision",
    "ClaimRecall": "claim_recall",
    "ClaimF1": "factual_correctness ragchecker",
    "ContextRecall": "context_recall contextual_recall llm_context_recall retrieval_sufficiency",
}

# judge → where it differs from the metrics of the same name
_DIFFERENCES: Final[Mapping[str, str]] = {
    "claims": "judges.claims_differ",
    "same": "judges.same_differs",
    "relevance": "judges.relevance_differs",
    "relevancy": "judges.relevancy_differs",
    "nuggets": "judges.nuggets_differ",
    "criteria": "judges.criteria_differ",
}


def folded(name: str) -> str:
    """Return a name without case, blanks and marks; `FaithfulnessMetric` and `nv_context_relevance` as others."""
    letters = re.sub(r"[^a-z0-9]", "", name.casefold())
    return letters.removesuffix("metric").removeprefix("nv")


def _hints(table: Mapping[str, str]) -> dict[str, Message]:
    return {folded(name): Message(hint) for hint, names in table.items() for name in names.split()}


_JUDGED_HINTS: Final = _hints(_NEAREST)
_JUDGE_NAMES: Final = {folded(name): judge for judge, names in _JUDGES.items() for name in names.split()}
_METRIC_NAMES: Final = {folded(name): metric for metric, names in _JUDGED_METRICS.items() for name in names.split()}
_ABSENT_HINTS: Final = _hints(_ABSENT)
_G_EVAL: Final = "[geval]"
_BOUNDS: Final = {folded(name): bounds for bounds, names in _RANGES.items() for name in names.split()}
_CUTOFF: Final = re.compile(r"(?:@|_cut_|_at_)\d+$")


def documented_bounds(name: str) -> tuple[float, float] | None:
    """Return the values that a metric of this name can take, as its tools document them; None for other names."""
    return _BOUNDS.get(folded(_CUTOFF.sub("", name)))


RENAMED: Final[Mapping[str, str]] = {"Grounded": "ValuesGrounded"}
"""Names of metrics before 0.2, which are read everywhere."""
_OTHER_MEANINGS: Final = (
    (re.compile("grounded"), "metrics.grounded_renamed"),
    (re.compile(r"hits(?:@\d+)?(?:-l\d+)?"), "metrics.hits_of_ranx"),
    (re.compile(r"rbp\.\d+(?:-l\d+)?"), "metrics.rbp_of_ranx"),
)


def other_meaning(name: str) -> Message | None:
    """Return what a name of another tool means there, where it is computed otherwise here; None for other names."""
    codes = (code for pattern, code in _OTHER_MEANINGS if pattern.fullmatch(name.strip().casefold()))
    return next((Message(code, name=name) for code in codes), None)


def judge_called(name: str) -> str | None:
    """Return the judge that computes what another tool calls so, or None."""
    return _JUDGE_NAMES.get(folded("geval" if name.casefold().endswith(_G_EVAL) else name))


def names_of_judges() -> list[str]:
    """Return the names in other tools of what judges compute."""
    return [name for names in _JUDGES.values() for name in names.split()]


def metric_called(name: str) -> str | None:
    """Return the metric of a judge that another tool calls so, where the judge computes another one by default."""
    return _METRIC_NAMES.get(folded(name))


def judge_differs(name: str) -> Message | None:
    """Return where the definition of a judge differs from what other tools compute under this name."""
    code = _DIFFERENCES.get(judge_called(name) or "")
    return Message(code) if code else None


def computed_elsewhere(name: str) -> UnknownName | None:
    """Return the error for a metric that only other tools compute, with what is nearest here; None for other names."""
    wanted = folded("geval" if name.casefold().endswith(_G_EVAL) else name)
    if (judge := judge_called(name)) and wanted in _JUDGED_HINTS:
        by_judge = Message("metrics.judge_hint", judge=judge, nearest=_JUDGED_HINTS[wanted])
        return UnknownName(Message("metrics.needs_model_judge", name=name), hint=by_judge)
    hint = _JUDGED_HINTS.get(wanted) or _ABSENT_HINTS.get(wanted)
    return UnknownName(Message("metrics.not_computed", name=name), hint=hint) if hint else None
