# /// script
# dependencies = ["haystack-ai==3.4.0"]
# ///
"""haystack: FaithfulnessEvaluator, with OpenAIChatGenerator in JSON mode."""

import os
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import judge
import lines
from haystack.components.evaluators import FaithfulnessEvaluator
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret
from judge import Given

WORDS = {"yes": 1, "no": 0, "absent": 0}


def faithfulness(given: Given) -> Any:
    if "unknown" in given["verdicts"]:
        raise lines.Unsupported("the scores of statements are 1 and 0")

    def form(verdicts: Any) -> Any:
        scores = [each.get("verdict") for each in judge.listed(verdicts, WORDS)]
        return {"statements": judge.claims(given), "statement_scores": scores}

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        generator = OpenAIChatGenerator(
            api_key=Secret.from_token("none"),
            model=judge.MODEL,
            api_base_url=url,
            generation_kwargs={"response_format": {"type": "json_object"}},
        )
        evaluator = FaithfulnessEvaluator(chat_generator=generator, progress_bar=False)
        found = evaluator.run(
            questions=[judge.question(given)],
            contexts=[judge.contexts(given)],
            predicted_answers=[judge.answer(given, form)],
        )
    return found["score"]


if __name__ == "__main__":
    lines.answer("haystack-ai", {"faithfulness": faithfulness})
