# /// script
# dependencies = ["deepeval==4.3.1"]
# ///
"""deepeval, with a model behind an OpenAI-compatible server (`LocalModel`)."""

# ruff: noqa: E402
import os
from collections.abc import Callable
from typing import Any

for name in ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_DISABLE_DOTENV", "DEEPEVAL_FILE_SYSTEM_READ_ONLY"):
    os.environ[name] = "1"

import judge
import lines
from deepeval.metrics import ContextualPrecisionMetric, ContextualRecallMetric, FaithfulnessMetric, GEval
from deepeval.metrics.base_metric import BaseMetric
from deepeval.metrics.g_eval import Rubric
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase, SingleTurnParams
from judge import Ask, Given

WORDS = {"yes": "yes", "no": "no"}
THREE = {**WORDS, "unknown": "borderline", "absent": "borderline"}


def faithfulness(given: Given) -> Any:
    form = _verdicts(given, THREE)

    def replies(ask: Ask) -> Any:
        if '"truths" key' in ask.text:
            return {"truths": judge.contexts(given)}
        return {"claims": judge.claims(given)} if '"claims" key' in ask.text else judge.said(given, form)

    return _measured(given, FaithfulnessMetric, replies, judge.answer(given, form))


def context_recall(given: Given) -> Any:
    form = _verdicts(given, _two(given))
    return _measured(given, ContextualRecallMetric, lambda _: judge.said(given, form))


def context_precision(given: Given) -> Any:
    form = _verdicts(given, _two(given))
    return _measured(given, ContextualPrecisionMetric, lambda _: judge.said(given, form))


def rating(given: Given) -> Any:
    low, high = given["scale"]

    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, {}, "score", reason=judge.reason(given))

    def metric(**settings: Any) -> BaseMetric:
        settings.pop("include_reason")
        steps, parameters = ["Rate the answer."], [SingleTurnParams.ACTUAL_OUTPUT]
        rubric = [
            Rubric(score_range=(low, low), expected_outcome="wrong"),
            Rubric(score_range=(low + 1, high), expected_outcome="the better, the higher"),
        ]
        return GEval(name="Rating", evaluation_steps=steps, evaluation_params=parameters, rubric=rubric, **settings)

    return _measured(given, metric, lambda _: judge.said(given, form), judge.answer(given, form))


def _measured(
    given: Given, metric: Callable[..., BaseMetric], replies: judge.Replies, answer: str = "An answer."
) -> Any:
    expected = " ".join(judge.claims(given)) if "passages" not in given else "A reference."
    case = LLMTestCase(
        input=judge.question(given),
        actual_output=answer,
        expected_output=expected,
        retrieval_context=judge.contexts(given),
    )
    with judge.serving(replies, once=given.get("once", False)) as url:
        model = LocalModel(model=judge.MODEL, base_url=url, api_key="none")
        return metric(model=model, include_reason=False, async_mode=False).measure(case, _show_indicator=False)


def _verdicts(given: Given, words: dict[str, str]) -> judge.Form:
    return lambda verdicts: {"verdicts": judge.listed(verdicts, words, reason=judge.reason(given))}


def _two(given: Given) -> dict[str, str]:
    """Return the words of a menu of two verdicts."""
    if {"unknown", "absent"} & {each for each in given["verdicts"] if isinstance(each, str)}:
        raise lines.Unsupported("the verdicts of this metric are yes and no")
    return WORDS


if __name__ == "__main__":
    lines.answer(
        "deepeval",
        {
            "faithfulness": faithfulness,
            "context_recall": context_recall,
            "context_precision": context_precision,
            "rating": rating,
        },
    )
