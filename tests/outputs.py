"""What the commands print and write, before a change and after it.

    python tests/outputs.py make SOURCES FOLDER     run a fixed set of commands with PYTHONPATH=SOURCES
    python tests/outputs.py compare BEFORE AFTER    name the files that differ, and show how
    python tests/outputs.py messages BEFORE AFTER   the same for what tests were told (STEELYARD_RECORD=FILE make test)

Everything that differs between two runs of the same program is made alike: version, times, paths, hashes of files that
hold these. Of a page its text, its attributes and its data are kept, not its scripts and their texts.
"""

import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from recording import messages

LANGUAGES: Final = ("en", "zh")
TEXTS: Final = (".md", ".tex", ".csv", ".json", ".html", ".svg")
QRELS: Final = (
    "# judged by hand\n" + "".join(f"q{n} 0 d{n} 1\nq{n} 0 e{n} {n % 3}\n" for n in range(1, 13)) + "q13 0 d 0\n"
)
ANSWERS: Final = ("张三于2020年1月1日借款五万元", "the defendant signed the contract", "十日内", "", "42")
REVIEW: Final = "review.jsonl"
RULES: Final = (
    "legal >= 0.1",
    "legal[type=fact_exact] >= 0.99",
    "legal[type=fact] >= 0.5",
    "legal.no_hallucination == 1",
    "legal >= baseline - 0.01",
    "legal not-worse-by 0.02",
)

Command = Sequence[str]


def run_of(shift: int) -> str:
    """A run with ties, a wrong rank column, an unjudged query and one query too few."""
    lines = [f"q{n} Q0 d{n} 1 {0.9 - shift * (n % 3) / 2} tag\nq{n} Q0 e{n} 2 0.5 tag\n" for n in range(1, 12)]
    return "# a run\n" + "".join(lines) + "q99 Q0 d1 1 0.5 tag\nq1 Q0 x 3 0.1\nq2 Q0 x 3 0.1 tag more\n"


def answer_lines(right: int) -> str:
    said = [ANSWERS[n % 5] if n % right else "wrong" for n in range(20)]
    rows: list[dict[str, Any]] = [
        {"id": f"a{n}", "question": f"question {n}", "prediction": each, "type": "ab"[n % 2]}
        for n, each in enumerate(said)
    ]
    references = [[ANSWERS[n % 4]] if n != 7 else [] for n in range(20)]
    rows[3]["prediction"], rows[4]["prediction"] = None, 42
    return "".join(json.dumps({**row, "references": each}) + "\n" for row, each in zip(rows, references, strict=True))


def prepare(folder: Path) -> None:
    """The inputs of the commands."""
    (folder / "qrels.txt").write_text(QRELS, encoding="utf-8")
    for name, shift in (("a", 0), ("b", 1), ("c", 2)):
        (folder / f"{name}.run").write_text(run_of(shift), encoding="utf-8")
    for name, right in (("a", 3), ("b", 5), ("c", 19)):
        (folder / f"{name}.jsonl").write_text(answer_lines(right), encoding="utf-8")


def commands(language: str) -> Iterator[tuple[str, Command]]:
    """Names of outputs and the commands that make them, in order: later ones read what earlier ones wrote."""
    for name, command in (*evaluating(), *reading(), *deciding()):
        yield name, (*command, *(() if name == "metrics" else ("--lang", language)))


def evaluating() -> Iterator[tuple[str, Command]]:
    """Commands that write results."""
    written = [*shown(), "-o", "{name}.jsonl"]
    baseline = ("bench", "--system", "builtin:baseline", "-j", "1")
    yield "demo", ("demo",)
    yield "metrics", ("metrics",)
    yield "retrieval", ("retrieval", "qrels.txt", "a.run", *written)
    yield "rankings", ("retrieval", "qrels.txt", "a.run", "b.run", "c.run", *written)
    yield "skipping", ("retrieval", "qrels.txt", "a.run", "b.run", "--missing", "skip", "--test", "sign")
    yield "ranked-json", ("retrieval", "qrels.txt", "a.run", "--json")
    yield "answers", ("answers", "a.jsonl", *written, "--by", "type")
    yield "answered", ("answers", "a.jsonl", "b.jsonl", *written, "-q", "--test", "bootstrap")
    yield "third", ("answers", "c.jsonl", "-o", "{name}.jsonl")
    yield "legal", (*baseline, *written)
    yield "half", (*baseline, "--limit", "60", *written)


def reading() -> Iterator[tuple[str, Command]]:
    """Commands that read results."""
    for test, correction in (("permutation", "holm"), ("t", "bh"), ("wilcoxon", "bonferroni"), ("sign", "none")):
        chosen = ("--test", test, "--correction", correction)
        yield f"compared-{test}", ("compare", "rankings.jsonl", *chosen, *shown())
    yield "pairs", ("compare", "answered.jsonl", "third.jsonl", "--anyway", "--by", "type", *shown())
    yield "halves", ("compare", "legal.jsonl", "half.jsonl", "--anyway", *shown())
    yield "compared-json", ("compare", "answered.jsonl", "--json")
    yield "report", ("report", "legal.jsonl", "--by", "type", "--mask", *shown())
    yield "cut", ("report", "cut.jsonl", *shown())
    yield "sample", ("sample", "legal.jsonl", "-n", "9", "--by", "type", "-o", "{name}.html", "-o", REVIEW)
    yield "agreement", ("agreement", "legal.jsonl", REVIEW, "other.jsonl", "-o", "{name}.md")
    yield "agreement-json", ("agreement", "legal.jsonl", REVIEW, "--json")
    yield "missing", ("report", "nowhere.jsonl")


def deciding() -> Iterator[tuple[str, Command]]:
    """Commands that hold results against rules."""
    files = ("-o", "{name}.xml", "-o", "{name}.md", "-o", "{name}.json")
    against = ("--baseline", "legal.jsonl", "--anyway")
    wanted = [part for rule in RULES for part in ("--require", rule)]
    yield "gate", ("gate", "half.jsonl", *wanted, *against, *files)
    yield "gate-unsure", ("gate", "half.jsonl", *wanted, *against, "--allow-unsure", *files)
    yield "gate-fell", ("gate", "answers.jsonl", "--no-fall", "F1", "--baseline", "third.jsonl", "--anyway", *files)
    yield "gate-cut", ("gate", "cut.jsonl", "--require", "legal >= 0.1", *files)


def shown() -> list[str]:
    """Options that write a report in every format that is text."""
    return [part for suffix in TEXTS for part in ("-o", f"{{name}}{suffix}")]


def before(name: str, folder: Path) -> None:
    """What a command finds that no command before it wrote: a run that was cut off, reviews that are filled in."""
    if name == "report":
        lines = (folder / "legal.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "cut.jsonl").write_text("".join(lines[:7]), encoding="utf-8")
    if name == "agreement":
        lines = (folder / REVIEW).read_text(encoding="utf-8").splitlines()
        for file, wrong in ((REVIEW, 3), ("other.jsonl", 4)):
            filled = [_reviewed(json.loads(line), number, wrong) for number, line in enumerate(lines)]
            (folder / file).write_text("".join(json.dumps(line) + "\n" for line in filled), encoding="utf-8")


def _reviewed(line: dict[str, Any], number: int, wrong: int) -> dict[str, Any]:
    agree = None if number == 8 else bool(number % wrong)
    return {**line, "agree": agree, "unsure": number == 8, "remark": f"remark {number}", "reviewer": f"person {wrong}"}


def make(sources: Path, folder: Path) -> None:
    """Run every command in every language; what it prints and writes stands in the folder of the language."""
    for language in LANGUAGES:
        place = folder / language
        place.mkdir(parents=True)
        prepare(place)
        for name, command in commands(language):
            before(name, place)
            _run(name, command, sources.resolve(), place)
        for path in sorted(place.rglob("*")):
            if path.is_file():
                path.write_text(alike(path.read_text(encoding="utf-8"), path.suffix, place, sources), encoding="utf-8")


def _run(name: str, command: Command, sources: Path, place: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(sources), "COLUMNS": "200", "PYTHONHASHSEED": "0"}
    words = [sys.executable, "-m", "steelyard", *(part.replace("{name}", name) for part in command)]
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, check=False)
    said = f"{done.stdout}\n--- errors\n{done.stderr}\n--- exit code {done.returncode}\n"
    (place / f"{name}.txt").write_text(said, encoding="utf-8")


def alike(text: str, suffix: str, place: Path, sources: Path) -> str:
    """A text without what differs between two runs of the same program."""
    if suffix == ".html":
        text = _page(text)
    for path, name in ((place, "PLACE"), (sources.resolve(), "SOURCES"), (place.resolve(), "PLACE")):
        text = text.replace(str(path), name)
    for pattern, instead in _ALIKE:
        text = pattern.sub(instead, text)
    return text


_ALIKE: Final = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r'("seconds\w*"): ?[\d.e-]+'), r"\1: SECONDS"),
    (re.compile(r'\btime="[\d.]+"'), 'time="SECONDS"'),
    (re.compile(r"[\d.e-]+ m?s · p95 [\d.e-]+ m?s"), "SECONDS"),
    (re.compile(r"[\d.]+ s\b"), "SECONDS"),
    (re.compile(r'("steelyard": ?)"[^"]+"'), r'\1"VERSION"'),
    (re.compile(r"steelyard:\d[\w.+-]*"), "steelyard:VERSION"),
    (re.compile(r"Steelyard \d[\w.+-]*"), "Steelyard VERSION"),
    (re.compile(r"steelyard-review-[0-9a-f]{16}"), "steelyard-review-KEY"),
    (re.compile(r'"result": "?(sha256 )?[0-9a-f]{16,64}"?'), '"result": HASH'),
]


def _page(text: str) -> str:
    """A page without scripts, style and policy; its data without texts of the program, which go by other keys."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    held = json.loads(data[1]) if data else {}
    for key in ("words", "names", "kinds"):
        held.pop(key, None)
    text = re.sub(r"<script.*?</script>|<style.*?</style>|<meta http-equiv[^>]*>", "", text, flags=re.DOTALL)
    return f"{text}\n{json.dumps(held, ensure_ascii=False, indent=1, sort_keys=True)}\n"


def compare(one: Path, other: Path) -> int:
    """Show what differs between two folders; 1 where anything does."""
    names = sorted({path.relative_to(place) for place in (one, other) for path in place.rglob("*") if path.is_file()})
    return _show_differences({str(name): (_lines(one / name), _lines(other / name)) for name in names}, "files")


def compare_messages(one: Path, other: Path) -> int:
    """Show which tests were told something else; tests that only one of the files has are left out."""
    before, after = messages(one), messages(other)
    return _show_differences({test: (before[test], after[test]) for test in before if test in after}, "tests")


def _show_differences(pairs: dict[str, tuple[list[str], list[str]]], noun: str) -> int:
    differing = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    for name, (before, after) in differing.items():
        said = difflib.unified_diff(_split(before), _split(after), f"before/{name}", f"after/{name}", n=0)
        sys.stdout.writelines(f"{line[:400]}\n" for line in said)
    sys.stdout.write(f"{len(pairs)} {noun}, {len(differing)} differ\n")
    return int(bool(differing))


def _split(texts: list[str]) -> list[str]:
    return [line for text in texts for line in text.split("\n")]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n") if path.is_file() else []


def main(arguments: Sequence[str]) -> int:
    match arguments:
        case ["make", sources, folder]:
            make(Path(sources), Path(folder))
            return 0
        case ["compare", one, other]:
            return compare(Path(one), Path(other))
        case ["messages", one, other]:
            return compare_messages(Path(one), Path(other))
    sys.stderr.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
