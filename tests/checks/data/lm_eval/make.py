"""lm-evaluation-harness on two invented tasks, with a model whose outputs are written here; see README.md."""

import json
import sys
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

# question, answer, output
TERMS = [
    ("How long is a loan?", "21 days", "21 days"),
    ("What is the late fee?", "10 cents", "10 Cents"),
    ("When does it open?", "nine", "ten"),
    ("Which option?", "A", "A"),
    ("哪个城市？", "北京", "北京"),
    ("How many seats?", "12", " 12."),
]
# question, choices, right choice, log likelihoods
CHOICES = [
    ("Which is a colour?", ["green", "stone", "seven"], 0, [-1.0, -2.0, -3.0]),
    ("Which is a number?", ["a long phrase of words", "ten", "hat"], 1, [-4.0, -3.0, -5.0]),
    ("Which is a bird?", ["hen", "the kingfisher by the river"], 1, [-3.0, -9.0]),
    ("Which is a town?", ["Rye", "rye"], 0, [-2.5, -1.5]),
    ("Which is a tree?", ["oak", "sock", "rock"], 0, [-0.5, -0.75, -2.0]),
]


class Scripted(LM):
    """Answers by the question in the prompt."""

    def generate_until(self, requests, disable_tqdm=False):
        return [next(out for asked, _, out in TERMS if asked in request.args[0]) for request in requests]

    def loglikelihood(self, requests, disable_tqdm=False):
        found = []
        for request in requests:
            _, choices, _, values = next(each for each in CHOICES if each[0] in request.args[0])
            found.append((values[choices.index(request.args[1].strip())], False))
        return found

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def task(name, rows, folder, **settings):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(rows), "utf-8")
    place = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(path)}}, "test_split": "test"}
    return {"task": name, **place, "doc_to_text": "{{question}}", **settings}


def tasks(folder):
    terms = [{"question": asked, "answer": answer} for asked, answer, _ in TERMS]
    yield task(
        "invented_terms",
        terms,
        folder,
        output_type="generate_until",
        doc_to_target="{{answer}}",
        metric_list=[{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    )
    choices = [{"question": asked, "choices": several, "label": right} for asked, several, right, _ in CHOICES]
    yield task(
        "invented_choices",
        choices,
        folder,
        output_type="multiple_choice",
        doc_to_target="label",
        doc_to_choice="choices",
        metric_list=[{"metric": name} for name in ("acc", "acc_norm")],
    )


if __name__ == "__main__":
    target, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    tracker = EvaluationTracker(output_path=str(target))
    found = lm_eval.simple_evaluate(
        model=Scripted(),
        tasks=list(tasks(scratch)),
        task_manager=TaskManager(),
        log_samples=True,
        evaluation_tracker=tracker,
    )
    samples = found.pop("samples")
    tracker.save_results_aggregated(results=found, samples=samples)
    for name, rows in samples.items():
        tracker.save_results_samples(task_name=name, samples=rows)
