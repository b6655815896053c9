"""Inspect's log of invented samples, with a model whose outputs are written here; see README.md."""

import sys

from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, exact, f1, includes, match, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

# name: question, target, output
SAMPLES = {
    "colour": ("What colour is the door?", "green", "green"),
    "doors": ("How many doors are there?", "12", "There are 12"),
    "street": ("Which street?", "Mill Lane", "It is in Mill Lane, near the bridge."),
    "keeper": ("Who has the key?", "the caretaker", "The caretaker!"),
    "year": ("In which year was it built?", "1987", "In 1986"),
    "city": ("哪个城市？", "北京", "北京"),
    "capital": ("首都是哪里？", "北京", "中国的首都是北京"),
    "letter": ("Which option?", "A", "A"),
    "wrong-letter": ("Which option?", "A", "B"),
    "roof": ("What is the roof made of?", "slate tiles", "tiles"),
    "unread": ("What is on the sign?", "No entry", "closed"),
}


@scorer(metrics=[mean(), accuracy(), stderr()])
def graded() -> Scorer:
    """Grades by hand: C, P, I; one sample is left without a score."""
    grades = {"colour": "C", "doors": "C", "street": "P", "year": "I", "roof": "P"}

    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == "unread":
            return Score.unscored() if hasattr(Score, "unscored") else Score(value=float("nan"))
        return Score(value=grades.get(state.sample_id, "C"))

    return score


def model():
    outputs = [ModelOutput.from_content("mockllm/model", output) for _, _, output in SAMPLES.values()]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # counting needs a download
    return get_model("mockllm/model", custom_outputs=outputs)


if __name__ == "__main__":
    dataset = [Sample(id=name, input=asked, target=target) for name, (asked, target, _) in SAMPLES.items()]
    task = Task(dataset=dataset, solver=generate(), scorer=[exact(), f1(), includes(), match(), graded()], name="door")
    for kind in ("json", "eval"):
        run(task, model=model(), log_dir=sys.argv[1], log_format=kind, max_samples=1, display="none")
