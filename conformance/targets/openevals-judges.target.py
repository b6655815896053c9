# /// script
# dependencies = ["openevals==0.2.2", "openai==3.51.0"]
# ///
"""openevals: create_llm_as_judge with an OpenAI client, and numbers as choices."""

import os
from collections.abc import Mapping
from typing import Any

os.environ["LANGSMITH_TRACING"] = "false"

import judge
import lines
from judge import Given
from openai import OpenAI
from openevals.llm import create_llm_as_judge


def grade(given: Given) -> Any:
    if any(isinstance(verdict, str) and verdict not in given["menu"] for verdict in given["verdicts"]):
        raise lines.Unsupported("choices are numbers: no other label can be given")
    return _judged(given, given["menu"], sorted(given["menu"].values()))


def rating(given: Given) -> Any:
    low, high = given["scale"]
    score = _judged(given, {}, list(range(low, high + 1)))
    return score if isinstance(score, str) else (score - low) / (high - low)


def _judged(given: Given, words: Mapping[str, Any], choices: list[float]) -> Any:
    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, words, "score", reasoning=judge.reason(given))

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        evaluator = create_llm_as_judge(
            prompt="Grade the answer to the question.\nQuestion: {inputs}\nAnswer: {outputs}",
            judge=OpenAI(base_url=url, api_key="none"),
            model=judge.MODEL,
            choices=choices,
        )
        return evaluator(inputs=judge.question(given), outputs=judge.answer(given, form))["score"]


if __name__ == "__main__":
    lines.answer("openevals", {"grade": grade, "rating": rating})
