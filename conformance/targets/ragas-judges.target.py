# /// script
# dependencies = ["ragas==0.4.3", "langchain-community==0.3.31", "openai==1.109.1"]
# ///
"""RAGAS: the metrics of `ragas.metrics.collections`. Without an old langchain-community it cannot be imported."""

import asyncio
import math
import os
from functools import partial
from typing import Any

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import judge
import lines
from judge import Ask, Given
from openai import AsyncOpenAI
from ragas.llms import llm_factory
from ragas.metrics.collections import (
    ContextPrecisionWithReference,
    ContextRecall,
    FactualCorrectness,
    Faithfulness,
)

WORDS = {"yes": 1, "no": 0, "absent": 0}
VERDICTS = "StatementFaithfulnessAnswer"  # a name in the answer schema


def faithfulness(given: Given) -> Any:
    form = _statements(given, "verdict")

    def replies(ask: Ask) -> Any:
        return judge.said(given, form) if VERDICTS in ask.text + ask.schema else {"statements": judge.claims(given)}

    texts = {"response": judge.answer(given, form), "retrieved_contexts": judge.contexts(given)}
    return _scored(given, replies, Faithfulness, user_input=judge.question(given), **texts)


def context_recall(given: Given) -> Any:
    statements = _statements(given, "attributed")

    def form(verdicts: Any) -> Any:
        return {"classifications": statements(verdicts)["statements"]}

    texts = {"reference": " ".join(judge.claims(given)), "retrieved_contexts": judge.contexts(given)}
    return _scored(given, lambda _: judge.said(given, form), ContextRecall, user_input=judge.question(given), **texts)


def context_precision(given: Given) -> Any:
    _check(given)

    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, WORDS, reason=judge.reason(given))

    def replies(ask: Ask) -> Any:
        own = max(range(len(given["passages"])), key=lambda number: ask.text.rfind(given["passages"][number]))
        return judge.said(given, form, own)

    texts = {"reference": "A reference.", "retrieved_contexts": judge.contexts(given)}
    return _scored(given, replies, ContextPrecisionWithReference, user_input=judge.question(given), **texts)


def claim_recall(given: Given) -> Any:
    return _correct(given, "recall")


def claim_f1(given: Given) -> Any:
    return _correct(given, "f1")


def _correct(given: Given, mode: str) -> Any:
    other = {**given, "claims": given["reference_claims"], "verdicts": given["reference_verdicts"]}

    def replies(ask: Ask) -> Any:
        is_verdict = VERDICTS in ask.text + ask.schema
        asked = ask.text.rpartition("statements" if is_verdict else "response")[2]
        about = given if judge.claims(given)[0] in asked else other
        return judge.said(about, _statements(about, "verdict")) if is_verdict else {"claims": judge.claims(about)}

    texts = {"response": " ".join(judge.claims(given)), "reference": " ".join(judge.claims(other))}
    return _scored(given, replies, partial(FactualCorrectness, mode=mode), **texts)


def _scored(given: Given, replies: judge.Replies, metric: Any, **texts: Any) -> Any:
    with judge.serving(replies, once=given.get("once", False)) as url:
        llm = llm_factory(judge.MODEL, client=AsyncOpenAI(base_url=url, api_key="none"))
        value = asyncio.run(metric(llm=llm).ascore(**texts)).value
    return None if math.isnan(value) else value


def _statements(given: Given, name: str) -> judge.Form:
    _check(given)

    def form(verdicts: Any) -> Any:
        found = zip([*judge.claims(given), *judge.claims(given)], verdicts, strict=False)
        pairs = [(claim, verdict) for claim, verdict in found if verdict is not None]
        return {
            "statements": [
                judge.single([verdict], WORDS, name, statement=claim, reason=judge.reason(given))
                for claim, verdict in pairs
            ]
        }

    return form


def _check(given: Given) -> None:
    if "unknown" in given["verdicts"]:
        raise lines.Unsupported("the verdicts are 1 and 0")


if __name__ == "__main__":
    lines.answer(
        "ragas",
        {
            "faithfulness": faithfulness,
            "context_recall": context_recall,
            "context_precision": context_precision,
            "claim_recall": claim_recall,
            "claim_f1": claim_f1,
        },
    )
