"""`python -m bench.judge_sets NAME PLACE… -o DIR`: what people say beside what judges say, of eight public sets.

`python -m bench.judge_sets table DIR` then prints one table: how far each judge agrees with people, the mean of all
labels estimated from a few random ones, how many of the intervals of 200 such draws hold it, and who is refused.

A place is a folder or a git directory of the set's repositories, of which nothing is kept here; `NAME.JUDGE.jsonl` has
one line per item: `id`, `label` (people), `verdict` (the judge; null with a `reason` where it gave none), and `topic`,
`system`, `annotator1` … where the set has them. The first line of each reader is its reading rule.
"""

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench.judge_table import Row, table

Rows = Iterator[tuple[str, Row]]
_WICE: Final = "code_and_resources/model_outputs/entailment_classification/oracle_chunks/claim/"
_UHGEVAL: Final = "docs/experiments/20240822/output-concise/*DiscSentence*.json"
_FRANK: Final = ("FactCC", "QAGS", "FEQA", "Dep Entail", "BertScore P Art", "Rouge L")
_SYSTEMS: Final = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
_GRADES: Final = 4


class Files:
    """The files of several folders or git directories, by their paths; a git directory shows its newest commit."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = {path: place for place in places for path in _paths(place)}

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, in order."""
        return sorted(path for path in self._places if fnmatch(path, pattern))

    def text(self, path: str) -> str:
        """Return the text of a file."""
        place = self._places[path]
        return _git(place, "show", f"HEAD:{path}") if _is_git(place) else (place / path).read_text("utf-8")

    def json(self, path: str) -> Any:
        """Return the content of a JSON file."""
        return json.loads(self.text(path))


def _is_git(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def _paths(place: Path) -> list[str]:
    if _is_git(place):
        return _git(place, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")
    return [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()]


def _git(place: Path, *arguments: str) -> str:
    return subprocess.run(("git", "--git-dir", place, *arguments), capture_output=True, check=True).stdout.decode()


def _row(name: str, label: float, verdict: float | None, *, reason: str = "unreadable", **more: Any) -> Row:
    return {"id": name, "label": label, "verdict": verdict, **({"reason": reason} if verdict is None else {}), **more}


def faithbench(files: Files) -> Rows:
    """Call a summary faithful if people find nothing Questionable or Unwanted, and to a judge if its score is > 0.5."""
    topics: dict[str, int] = {}
    for path in files.matching("data_for_release/batch_*.json"):
        for sample in files.json(path)["samples"]:
            scores = dict(sample["metadata"])
            more = {"system": scores.pop("summarizer"), "topic": topics.setdefault(sample["source"], len(topics))}
            del scores["raw_sample_id"]
            said = {label.partition(".")[0] for annotation in sample["annotations"] for label in annotation["label"]}
            for judge, score in scores.items():
                verdict = None if score is None else int(score > 0.5)
                name = f"{Path(path).stem}/{sample['sample_id']}"
                yield judge, _row(name, int(said <= {"Benign"}), verdict, reason="missing", **more)


def llmjudge(files: Files, *, least: int | None = None) -> Rows:
    """Read grades of 0 to 3 from qrels (or 1 if at least `least`); a grade off this scale is no verdict."""
    read = (lambda grade: grade) if least is None else (lambda grade: int(grade >= least))
    people = _qrels(files.text("data/llmjudge_test_qrel_idx.txt"))
    for path in files.matching("submissions/scores/*.txt"):
        grades = _qrels(files.text(path))
        for (topic, passage), label in people.items():
            grade = grades.get((topic, passage))
            verdict = read(grade) if grade in range(_GRADES) else None
            reason = "missing" if grade is None else "off the scale"
            yield Path(path).stem, _row(f"{topic}/{passage}", read(label), verdict, reason=reason, topic=topic)


def _qrels(text: str) -> dict[tuple[str, str], int]:
    lines = (line.split() for line in text.splitlines())
    return {(topic, passage): int(grade) for topic, _, passage, grade in lines}


def halueval2(files: Files) -> Rows:
    """Call a fact true or not; the judge's "unknown" is no verdict."""
    for path in files.matching("annotation/human_annotation/*.json"):
        judged = {item["id"]: item for item in files.json(path.replace("human_annotation", "model_prediction"))}
        for item in files.json(path):
            name = f"{Path(path).stem}/{item['id']}"
            for number, label in enumerate(item["human_judge"]):
                word = re.split(r"\W", judged[item["id"]]["chatgpt_judge"][number].strip(), maxsplit=1)[0].lower()
                verdict = {"true": 1, "false": 0}.get(word)
                reason = "unknown" if word == "unknown" else "unreadable"
                yield "ChatGPT", _row(f"{name}/{number}", int(label == "true"), verdict, reason=reason, topic=name)


def wice(files: Files) -> Rows:
    """Call a claim supported or not (partly is not), to a judge if its score is > 0.5: GPT's partly is 0.5."""
    lines = map(json.loads, files.text("data/entailment_retrieval/claim/test.jsonl").splitlines())
    labels = {line["meta"]["id"]: int(line["label"] == "supported") for line in lines}
    for path in files.matching(f"{_WICE}*/test.entailment_score.json"):
        for name, score in files.json(path).items():
            yield path.split("entailment=")[1].split("/")[0], _row(name, labels[name], int(score > 0.5))


def uhgeval(files: Files) -> Rows:
    """Call a continuation real or not, as the first (不)符合现实 of the reply says; without it there is no verdict."""
    for path in files.matching(_UHGEVAL):
        for item in files.json(path)["results"]:
            for side, label in (("hallu", 0), ("unhallu", 1)):
                found = re.search("(不?)符合现实", item["log"][f"response_to_{side}"])
                verdict = int(not found[1]) if found else None
                yield Path(path).name.split("_")[1], _row(f"{item['id']}/{side}", label, verdict, topic=item["id"])


def pandalm(files: Files) -> Rows:
    """Let the first response win (1), tie (0.5) or lose (0), as most of three people say; "garbage" is no verdict."""
    points = {"1": 1.0, "0": 0.5, "Tie": 0.5, "2": 0.0}
    topics: dict[str, int] = {}
    people = {item["idx"]: item for item in files.json("data/testset-v1.json")}
    for judge, field in (("gpt-3.5-turbo", "gpt_result"), ("pandalm-7b", "pandalm_result")):
        for item in files.json(f"data/{judge}-testset-v1.json"):
            pair = people[item["idx"]]
            votes: Row = {name: points[str(pair[name])] for name in ("annotator1", "annotator2", "annotator3")}
            topic = topics.setdefault(pair["instruction"] + pair["input"], len(topics))
            label = Counter(votes.values()).most_common(1)[0][0]
            verdict = points.get(str(item[field]))
            yield judge, _row(str(item["idx"]), label, verdict, topic=topic, system=pair["cmp_key"], **votes)


def frank(files: Files) -> Rows:
    """Take the share of a summary's sentences that people call factual as label, the metric's score as verdict."""
    people = {(item["hash"], item["model_name"]): item for item in files.json("data/human_annotations.json")}
    for item in files.json("data/baseline_factuality_metrics_outputs.json"):
        topic, system = item["hash"], item["model_name"]
        label = people[topic, system]["Factuality"]
        for judge in _FRANK:
            row = _row(f"{topic}/{system}", label, item.get(judge), reason="missing", topic=topic, system=system)
            yield judge.replace(" ", "-"), row


def qa_eval(files: Files) -> Rows:
    """Call an answer right or wrong, with Steelyard's EM, F1 and Acc as the judges; unlabelled ones are left out."""
    from steelyard import evaluate_answers

    for path in files.matching("EVOUNA/*.json"):
        items = list(_answers(files.json(path)))
        table = evaluate_answers([item for item, _ in items], metrics=["EM", "F1", "Acc"])
        for metric in table.metrics:
            for (item, more), score in zip(items, table.column(metric), strict=True):
                yield f"{Path(path).stem}-{metric}", _row(item["id"], verdict=float(score), **more)


def _answers(items: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
    """Yield the labelled answers as rows of `evaluate_answers`, each with its label, topic and system."""
    for topic, item in enumerate(items):
        for system in _SYSTEMS:
            label, answer = item[f"judge_{system}"], item[f"answer_{system}"]
            if isinstance(label, bool):
                row = {"id": f"{topic}/{system}", "question": item["question"], "prediction": answer}
                references = item["golden_answer"].split("/")
                yield row | {"references": references}, {"label": int(label), "topic": topic, "system": system}


SETS: Final[dict[str, Callable[[Files], Rows]]] = {
    "faithbench": faithbench,
    "llmjudge": llmjudge,
    "llmjudge-2": partial(llmjudge, least=2),
    "halueval2": halueval2,
    "wice": wice,
    "uhgeval": uhgeval,
    "pandalm": pandalm,
    "frank": frank,
    "qa-eval": qa_eval,
}


def write(name: str, places: Sequence[Path], folder: Path) -> list[Path]:
    """Write one file per judge of a set and return their paths."""
    lines: dict[str, list[str]] = defaultdict(list)
    for judge, row in SETS[name](Files(places)):
        lines[judge].append(json.dumps(row, ensure_ascii=False) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    for judge, written in lines.items():
        (folder / f"{name}.{judge}.jsonl").write_text("".join(written), "utf-8")
    return [folder / f"{name}.{judge}.jsonl" for judge in lines]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m bench.judge_sets", description=__doc__)
    parser.add_argument("name", choices=[*SETS, "table"])
    parser.add_argument("places", type=Path, nargs="+", metavar="PLACE", help="folders or git directories of the set")
    parser.add_argument("-o", dest="folder", type=Path, default=Path(), metavar="DIR", help="where to write")
    arguments = parser.parse_args(argv)
    if arguments.name == "table":
        print(table(arguments.places[0], SETS))
        return
    for path in write(arguments.name, arguments.places, arguments.folder):
        print(path)


if __name__ == "__main__":
    main()
