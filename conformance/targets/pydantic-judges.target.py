# /// script
# dependencies = ["pydantic-evals==2.62.0", "pydantic-ai-slim[openai]==2.62.0"]
# ///
"""Pydantic Evals: the judge of LLMJudge, which passes or fails an answer and gives a score."""

import asyncio
from typing import Any

import judge
import lines
from judge import Given
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_evals.evaluators.llm_as_a_judge import judge_input_output


def grade(given: Given) -> Any:
    best, worst = max(given["menu"].values()), min(given["menu"].values())
    if sorted(given["menu"].values()) != [worst, best]:
        raise lines.Unsupported("an answer passes or fails")
    passes = {label: score == best for label, score in given["menu"].items()}

    def form(verdicts: Any) -> Any:
        found = judge.single(verdicts, passes, "pass", reason=judge.reason(given))
        return {**found, **judge.single(verdicts, given["menu"], "score")}

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        model = OpenAIChatModel(judge.MODEL, provider=OpenAIProvider(base_url=url, api_key="none"))
        texts = (judge.question(given), judge.answer(given, form))
        found = asyncio.run(judge_input_output(*texts, "The answer is right.", model))
    return best if found.pass_ else worst


if __name__ == "__main__":
    lines.answer("pydantic-evals", {"grade": grade})
