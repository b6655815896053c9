# /// script
# dependencies = ["arize-phoenix-evals==3.9.4", "openai==3.51.0"]
# ///
"""Phoenix evals: ClassificationEvaluator with the choices of the vector."""

from typing import Any

import judge
import lines
from judge import Given
from phoenix.evals import LLM, ClassificationEvaluator


def grade(given: Given) -> Any:
    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, {}, "label", explanation=judge.reason(given))

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        evaluator = ClassificationEvaluator(
            name="grade",
            llm=LLM(provider="openai", model=judge.MODEL, base_url=url, api_key="none"),
            prompt_template="Grade the answer to the question.\nQuestion: {question}\nAnswer: {answer}",
            choices=given["menu"],
        )
        (score,) = evaluator.evaluate({"question": judge.question(given), "answer": judge.answer(given, form)})
    return score.score


if __name__ == "__main__":
    lines.answer("arize-phoenix-evals", {"grade": grade})
