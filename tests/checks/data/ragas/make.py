"""RAGAS's result of invented rows, without a model but for one that fails on a row; see README.md."""

import sys
from pathlib import Path

from langchain_core.outputs import Generation, LLMResult
from ragas import EvaluationDataset, evaluate
from ragas.llms.base import BaseRagasLLM
from ragas.metrics import (
    BleuScore,
    ExactMatch,
    Faithfulness,
    IDBasedContextPrecision,
    IDBasedContextRecall,
    NonLLMStringSimilarity,
    RougeScore,
    StringPresence,
)

TWO = "The library opens at nine in the morning. It closes at five in the afternoon."
# response, reference, retrieved ids, reference ids
ROWS = [
    ("Books are lent for 21 days.", "Books are lent for 21 days.", ["a", "b"], ["a"]),
    ("Books are lent for three weeks.", "Books are lent for 21 days.", ["a", "b", "a"], ["c"]),
    ("The library opens at nine in the morning", TWO, ["c"], ["c", "d"]),
    (TWO, TWO, ["a", "b", "c", "d"], ["a", "d"]),
    ("图书馆九点开门。", "图书馆九点开门。", ["x"], ["x"]),
    ("图书馆五点关门。", "图书馆九点开门。", ["x", "y"], ["x", "z"]),
    ("Yes", "yes", [], ["a"]),
    ("The late fee is 10 cents for each day.", "The fee is 10 cents a day.", ["b", "b", "b"], ["b"]),
]


class Scripted(BaseRagasLLM):
    """One statement, then one verdict on it; fails on the row about the late fee."""

    def is_finished(self, response):
        return True

    def generate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
        text = prompt.to_string()
        if "late fee" in text.rpartition("input")[2]:
            raise RuntimeError("the model is away")
        verdict = '{"statements": [{"statement": "s", "reason": "as scripted", "verdict": 1}]}'
        asked = "verdict" in text
        return LLMResult(generations=[[Generation(text=verdict if asked else '{"statements": ["s"]}')]])

    async def agenerate_text(self, prompt, n=1, temperature=None, stop=None, callbacks=None):
        return self.generate_text(prompt)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    names = ("response", "reference", "retrieved_context_ids", "reference_context_ids")
    rows = [
        {
            "user_input": f"Question {number}?",
            "retrieved_contexts": ["A passage."],
            **dict(zip(names, row, strict=True)),
        }
        for number, row in enumerate(ROWS, 1)
    ]
    kinds = [ExactMatch, StringPresence, RougeScore, BleuScore, NonLLMStringSimilarity]
    metrics = [
        *(kind() for kind in kinds),
        IDBasedContextPrecision(),
        IDBasedContextRecall(),
        Faithfulness(llm=Scripted()),
    ]
    result = evaluate(EvaluationDataset.from_list(rows), metrics, llm=Scripted(), show_progress=False)
    frame = result.to_pandas()
    frame.to_csv(folder / "result.csv", index=False)
    frame.to_json(folder / "result.jsonl", orient="records", lines=True, force_ascii=False)
