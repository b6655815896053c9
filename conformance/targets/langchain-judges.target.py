# /// script
# dependencies = ["langchain-classic==1.0.8", "langchain-openai==1.1.9"]
# ///
"""LangChain: the evaluators `qa` (GRADE: CORRECT or INCORRECT) and `score_string` ([[1]] to [[10]])."""

import os
from typing import Any

os.environ["LANGSMITH_TRACING"] = "false"

import judge
import lines
from judge import Given
from langchain_classic.evaluation import load_evaluator
from langchain_openai import ChatOpenAI


def grade(given: Given) -> Any:
    labels = sorted(given["menu"], key=given["menu"].get, reverse=True)
    if len(labels) != 2:
        raise lines.Unsupported("an answer is CORRECT or INCORRECT")
    words = dict(zip(labels, ("CORRECT", "INCORRECT"), strict=True))

    def form(verdicts: Any) -> str:
        found = judge.single(verdicts, words)
        return judge.reason(given) + (f"\nGRADE: {found['verdict']}" if "verdict" in found else "")

    texts = {"input": judge.question(given), "prediction": judge.answer(given, form), "reference": "The truth."}
    return _asked(given, form, "qa", texts)["score"]


def rating(given: Given) -> Any:
    if given["scale"] != [1, 10]:
        raise lines.Unsupported("the scale of score_string is 1 to 10")

    def form(verdicts: Any) -> str:
        found = judge.single(verdicts, {})
        return judge.reason(given) + (f"\nRating: [[{found['verdict']}]]" if "verdict" in found else "")

    texts = {"input": judge.question(given), "prediction": judge.answer(given, form)}
    return (_asked(given, form, "score_string", texts)["score"] - 1) / 9


def _asked(given: Given, form: judge.Form, name: str, texts: dict[str, str]) -> Any:
    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        model = ChatOpenAI(model=judge.MODEL, base_url=url, api_key="none")
        return load_evaluator(name, llm=model).evaluate_strings(**texts)


if __name__ == "__main__":
    lines.answer("langchain-classic", {"grade": grade, "rating": rating})
