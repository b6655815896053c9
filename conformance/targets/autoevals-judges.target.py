# /// script
# dependencies = ["autoevals==0.4.1", "openai==3.51.0"]
# ///
"""autoevals: LLMClassifier with the choices of the vector."""

from typing import Any

import judge
import lines
from autoevals import LLMClassifier
from judge import Given
from openai import OpenAI


def grade(given: Given) -> Any:
    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, {}, "choice", reasons=judge.reason(given))

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        scorer = LLMClassifier(
            name="grade",
            prompt_template="Grade the answer to the question.\nQuestion: {{input}}\nAnswer: {{output}}",
            choice_scores=given["menu"],
            use_cot=True,
            model=judge.MODEL,
            client=OpenAI(base_url=url, api_key="none"),
        )
        return scorer.eval(judge.answer(given, form), None, input=judge.question(given)).score


if __name__ == "__main__":
    lines.answer("autoevals", {"grade": grade})
