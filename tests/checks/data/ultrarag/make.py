"""UltraRAG's own evaluation functions on invented answers; see README.md. Usage: make.py EVALUATION_PY FOLDER."""

import json
import sys
import types
from pathlib import Path

# question, references, answer
ITEMS = [
    ("What is the capital of France?", ["Paris"], "Paris"),
    ("Who wrote the letter?", ["the mayor"], "The mayor wrote it."),
    ("When was the bridge built?", ["14 December 1972", "December 1972"], "December 1972"),
    ("Which option?", ["A"], "A"),
    ("Which option?", ["A"], "B"),
    ("Which option?", ["B"], "B"),
    ("哪个城市？", ["北京"], "北京"),
    ("首都是哪里？", ["北京"], "中国的首都是北京"),
    ("Which sign?", ["!!!"], "no sign at all"),
    ("How many seats?", ["12 seats", "twelve"], "there are 13 seats"),
    ("Is it open?", ["yes"], "True"),
    ("Which vitamin?", ["vitamin A"], "vitamin"),
]


class Server:
    """In place of UltraRAG's server: `@app.tool(...)` leaves the function as it is."""

    def __init__(self, name):
        self.name = name
        self.logger = types.SimpleNamespace(warning=print, info=print, error=print)

    def tool(self, *_, **__):
        return lambda function: function

    def run(self, *_, **__):
        """Nothing is served."""


def functions(path):
    module = types.ModuleType("ultrarag.server")
    vars(module)["UltraRAG_MCP_Server"] = Server
    sys.modules |= {"ultrarag": types.ModuleType("ultrarag"), "ultrarag.server": module}
    found = types.ModuleType("evaluation")
    exec(compile(Path(path).read_text("utf-8"), path, "exec"), found.__dict__)
    return found


if __name__ == "__main__":
    evaluation, folder = functions(sys.argv[1]), Path(sys.argv[2])
    questions, references, answers = (list(column) for column in zip(*ITEMS, strict=True))
    results = evaluation.compute_metrics(references, answers, None)
    memory = {"memory_q_ls": questions, "memory_gt_ls": references, "memory_pred_ls": answers}
    steps = [
        {"step": "benchmark.get_data", "memory": {**memory, "memory_pred_ls": "<UNSET>", "memory_eval_res": "<UNSET>"}},
        {"step": "evaluation.evaluate", "memory": {**memory, "memory_eval_res": results}},
    ]
    (folder / "memory_invented.json").write_text(json.dumps(steps, indent=1, ensure_ascii=False) + "\n", "utf-8")
    results = evaluation.compute_metrics(references, answers[:9], ["em", "EM", "bleu", "f1"])
    (folder / "evaluate_results.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
