# /// script
# dependencies = ["inspect-ai==0.3.285"]
# ///
"""The text scorers of Inspect: exact, f1 and includes."""

import asyncio
from functools import partial
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import CORRECT, Scorer, Target, exact, f1, includes
from inspect_ai.solver import TaskState
from lines import answer


def score(given: Any, *, scorer: Scorer) -> float:
    output = ModelOutput.from_content(model="mockllm/model", content=given["answer"])
    state = TaskState(model="mockllm/model", sample_id=1, epoch=1, input="", messages=[], output=output)
    found = asyncio.run(scorer(state, Target(given["references"]))).value
    return float(found == CORRECT) if isinstance(found, str) else float(found)


if __name__ == "__main__":
    scorers = {"exact_match": exact(), "token_f1": f1(), "accuracy": includes()}
    answer("inspect-ai", {name: partial(score, scorer=scorer) for name, scorer in scorers.items()})
