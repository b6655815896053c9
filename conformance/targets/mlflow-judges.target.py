# /// script
# dependencies = ["mlflow==3.17.2", "litellm==1.106.2"]
# ///
"""MLflow: make_judge with a choice of labels, or a whole number."""

import os
from typing import Any, Literal

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["OPENAI_API_KEY"] = "none"

import judge
import lines
from judge import Given
from mlflow.genai.judges import make_judge


def grade(given: Given) -> Any:
    value = _judged(given, Literal[tuple(given["menu"])])
    return given["menu"].get(value, value) if isinstance(value, str) else value


def rating(given: Given) -> Any:
    low, high = given["scale"]
    value = _judged(given, Literal[tuple(range(low, high + 1))])
    return value if value is None or isinstance(value, str) else (value - low) / (high - low)


def _judged(given: Given, kind: Any) -> Any:
    def form(verdicts: Any) -> Any:
        return judge.single(verdicts, {}, "result", rationale=judge.reason(given))

    with judge.serving(lambda _: judge.said(given, form), once=given.get("once", False)) as url:
        made = make_judge(
            name="grade",
            instructions="Grade the answer {{ outputs }} to the question {{ inputs }}.",
            model=f"openai:/{judge.MODEL}",
            feedback_value_type=kind,
            base_url=f"{url}/chat/completions",
        )
        return made(inputs={"question": judge.question(given)}, outputs={"answer": judge.answer(given, form)}).value


if __name__ == "__main__":
    lines.answer("mlflow", {"grade": grade, "rating": rating})
