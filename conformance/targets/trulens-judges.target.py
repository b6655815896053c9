# /// script
# dependencies = ["trulens-core==2.16.0", "trulens-feedback==2.16.0", "trulens-providers-openai==2.16.0"]
# ///
"""TruLens: the OpenAI provider; a rating of an answer, and groundedness with a rating of 0 to 3 for each statement."""

import os
from collections.abc import Callable
from typing import Any

os.environ["TRULENS_OTEL_TRACING"] = "0"

import judge
import lines
from judge import Ask, Given
from trulens.core.feedback.feedback import GroundednessConfigs
from trulens.providers.openai import OpenAI

WORDS = {"yes": 3, "no": 0, "absent": 0}


def faithfulness(given: Given) -> Any:
    if "unknown" in given["verdicts"]:
        raise lines.Unsupported("the ratings of statements are 0 to 3")
    if not given["claims"]:
        raise lines.Unsupported("every sentence is a statement")

    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, WORDS, "score", criteria="A statement.", supporting_evidence=judge.reason(given))

    def replies(ask: Ask) -> Any:
        if "Convert the following text" in ask.text:
            return "I cannot."  # to be asked for JSON is a second chance; the first reply is read then
        if "STATEMENT:" not in ask.text:
            return "\n".join(judge.claims(given))
        return judge.said(given, form, judge.item_in(given, ask.text.rpartition("STATEMENT:")[2]))

    source, answer = "\n".join(judge.contexts(given)), judge.answer(given, form)
    config = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=False)
    return _asked(
        given,
        replies,
        lambda provider: provider.groundedness_measure_with_cot_reasons(source, answer, groundedness_configs=config)[0],
    )


def rating(given: Given) -> Any:
    if "reason" in given:
        raise lines.Unsupported("generate_score asks for a number alone")
    low, high = given["scale"]

    def form(verdicts: Any) -> str:
        return str(judge.single(verdicts, {}).get("verdict", ""))

    def evaluate(provider: OpenAI) -> Any:
        system = f"Rate the answer from {low} (wrong) to {high} (right). Reply with the number alone."
        user = f"QUESTION: {judge.question(given)}\nANSWER: {judge.answer(given, form)}"
        return provider.generate_score(system, user, min_score_val=low, max_score_val=high)

    return _asked(given, lambda _: judge.said(given, form), evaluate)


def _asked(given: Given, replies: judge.Replies, evaluate: Callable[[OpenAI], Any]) -> Any:
    with judge.serving(replies, once=given.get("once", False)) as url:
        return evaluate(OpenAI(model_engine=judge.MODEL, base_url=url, api_key="none"))


if __name__ == "__main__":
    lines.answer("trulens-core", {"faithfulness": faithfulness, "rating": rating})
