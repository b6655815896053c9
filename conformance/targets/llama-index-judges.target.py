# /// script
# dependencies = ["llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1"]
# ///
"""LlamaIndex: CorrectnessEvaluator (a number of 1 to 5) and FaithfulnessEvaluator (YES or NO)."""

from typing import Any

import judge
import lines
from judge import Given
from llama_index.core.evaluation import CorrectnessEvaluator, FaithfulnessEvaluator
from llama_index.llms.openai_like import OpenAILike


def rating(given: Given) -> Any:
    if given["scale"] != [1, 5]:
        raise lines.Unsupported("the scale of CorrectnessEvaluator is 1 to 5")

    def form(verdicts: Any) -> Any:
        found = judge.single(verdicts, {})
        return "\n".join(filter(None, [str(found.get("verdict", "")), judge.reason(given)]))

    def evaluate(model: OpenAILike) -> Any:
        texts = {"query": judge.question(given), "response": judge.answer(given, form), "reference": "A reference."}
        return CorrectnessEvaluator(llm=model).evaluate(**texts).score

    score = _asked(given, form, evaluate)
    return None if score is None else (score - 1) / 4


def grade(given: Given) -> Any:
    labels = sorted(given["menu"], key=given["menu"].get, reverse=True)
    if len(labels) != 2 or "reason" in given:
        raise lines.Unsupported("the reply of FaithfulnessEvaluator is YES or NO")

    def form(verdicts: Any) -> Any:
        return str(judge.single(verdicts, dict(zip(labels, ("YES", "NO"), strict=True))).get("verdict", ""))

    def evaluate(model: OpenAILike) -> Any:
        answer = judge.answer(given, form)
        return FaithfulnessEvaluator(llm=model).evaluate(response=answer, contexts=["The source."]).score

    return _asked(given, form, evaluate)


def _asked(given: Given, form: judge.Form, evaluate: Any) -> Any:
    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        return evaluate(OpenAILike(model=judge.MODEL, api_base=url, api_key="none", is_chat_model=True))


if __name__ == "__main__":
    lines.answer("llama-index-core", {"rating": rating, "grade": grade})
