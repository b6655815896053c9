# /// script
# dependencies = ["inspect-ai==0.3.285", "openai==3.51.0"]
# ///
"""Inspect: model_graded_qa, in a task whose model gives the answer of the vector."""

import os
from tempfile import TemporaryDirectory
from typing import Any

os.environ["INSPECT_TELEMETRY"] = ""

import judge
import lines
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver
from judge import Given

LETTERS = {1: "C", 0.5: "P", 0: "I"}
SCORES = {letter: score for score, letter in LETTERS.items()}


@solver
def answered(text: str) -> Solver:
    """Give an answer without a model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("none", text)
        return state

    return solve


def grade(given: Given) -> Any:
    menu = given["menu"]
    if not set(menu.values()) <= LETTERS.keys():
        raise lines.Unsupported("grades are C, P and I")
    words = {label: LETTERS[score] for label, score in menu.items()}

    def form(verdicts: Any) -> Any:
        found = judge.single(verdicts, words)
        return judge.reason(given) + (f"\n\nGRADE: {found['verdict']}" if "verdict" in found else "")

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        config = GenerateConfig(max_retries=1, timeout=20)
        grader = get_model(f"openai-api/local/{judge.MODEL}", base_url=url, api_key="none", config=config)
        task = Task(
            dataset=[Sample(input=judge.question(given), target="The answer is right.")],
            solver=answered(judge.answer(given, form)),
            scorer=model_graded_qa(partial_credit=len(menu) == 3, model=grader),
        )
        with TemporaryDirectory() as folder:
            (log,) = evaluate(task, model=grader, display="none", log_dir=folder, fail_on_error=False)
            scores = log.samples[0].scores
    value = scores["model_graded_qa"].value if scores else None
    return SCORES.get(value, value)


if __name__ == "__main__":
    lines.answer("inspect-ai", {"grade": grade})
