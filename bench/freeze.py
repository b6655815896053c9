"""`python -m bench.freeze FILE`: write every verdict with its reason; `--compare FILE` lists those that changed.

The material: all labelled lines (also those of `../shared/data`, where they are there), the bundled benchmark with
every cheating and recorded system, and texts made from both by cutting, joining and changing clauses.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.processes import PROJECT
from bench.statements import chinese_statement, english_statement

LINES: Final = PROJECT / "tests" / "legal" / "lines"
BESIDE: Final = PROJECT.parent / "shared" / "data"
FOLDERS: Final = (LINES, *(BESIDE / name for name in ("legal_zh", "real_outputs", "real_outputs_b")))
GENERATED: Final = 100_000
SHOWN: Final = 40
LABELS: Final = ("correct", "abstains", "hallucinated", "included")


class Text(NamedTuple):
    """An answer with its question, and what a judge needs besides."""

    id: str
    question: str
    answer: str
    line: dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.freeze", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true", help="compare with the file instead of writing it")
    parser.add_argument("--generated", type=int, default=GENERATED, help="number of generated texts")
    options = parser.parse_args()
    if options.compare:
        sys.exit(compare(options.file, options.generated))
    with options.file.open("w", encoding="utf-8") as file:
        for row in verdicts(options.generated):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def compare(path: Path, generated: int) -> int:
    """Print the verdicts that differ from those in a file, and how labelled ones moved; 1 if any differs."""
    before = {row["id"]: row for row in map(json.loads, path.open(encoding="utf-8"))}
    compared, moved, changed = 0, Counter[str](), []
    for row in verdicts(generated):
        old = before.get(row["id"])
        compared += old is not None
        if old is None or old["verdict"] == row["verdict"]:
            continue
        changed.append((old, row))
        if row["label"] is not None:
            moved[f"{_sign(old)} → {_sign(row)}"] += 1
    for old, row in changed[:SHOWN]:
        print(f"{row['id']}\n  before {old['verdict']}\n  now    {row['verdict']}")
    print(f"{len(changed)} of {compared} verdicts differ; labelled: {dict(moved)}")
    return bool(changed)


def _sign(row: dict[str, Any]) -> str:
    right = "right" if row["decision"] == row["label"] else "wrong"
    return f"{right}, uncertain" if row["uncertain"] else right


def verdicts(generated: int) -> Iterator[dict[str, Any]]:
    """Yield all verdicts, in a fixed order."""
    texts = [*labelled_texts(), *generated_texts(generated)]
    with ProcessPoolExecutor() as pool:
        for rows in pool.map(_judged, texts, chunksize=200):
            yield from rows
    yield from benchmark_verdicts()


def labelled_texts() -> Iterator[Text]:
    """Yield the labelled lines of the project and those beside it."""
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.jsonl")):
            for number, text in enumerate(path.read_text("utf-8").splitlines()):
                line = json.loads(text)
                answer = line.get("output", line.get("answer", ""))
                answer = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
                yield Text(f"{folder.name}/{path.name}:{number + 1}", line.get("question", ""), answer, line)


def generated_texts(count: int) -> Iterator[Text]:
    """Labelled answers cut, joined and changed, and invented accounts; the same for each count."""
    draw = random.Random(29)
    own = [text for text in labelled_texts() if text.id.startswith(LINES.name)]
    clauses = [piece for text in own for piece in re.findall(r"[^。；，.;,\n]+[。；，.;,\n]*", text.answer)]
    for number in range(count):
        source, other = draw.choice(own), draw.choice(own)
        match number % 5:
            case 0:
                answer = source.answer + other.answer
            case 1:
                answer = "".join(draw.choices(clauses, k=draw.randint(1, 6)))
            case 2:
                answer = draw.choice(clauses) + source.answer + draw.choice(clauses)
            case 3:
                answer = source.answer[draw.randrange(len(source.answer) + 1) :]
            case _:
                make = draw.choice((chinese_statement, english_statement))
                answer = make(draw.choice((80, 300, 900)), number) + source.answer
        yield Text(f"generated:{number}", other.question or source.question, answer, source.line)


def _judged(text: Text) -> list[dict[str, Any]]:
    """Return the verdicts on one text: refusal, the fact that its line expects or a usual one, and inventions."""
    from steelyard.legal import contains_quote, detect_abstention, find_invented, judge_fact

    line, is_labelled = text.line, not text.id.startswith("generated")
    refusal = detect_abstention(text.answer, question=text.question)
    rows = [_row(text, "refusal", (refusal.abstains, refusal.uncertain, refusal.reason), line.get("abstains"))]
    expected = line.get("expected") or _USUAL[len(text.answer) % len(_USUAL)]
    output = line.get("output", text.answer) if is_labelled else text.answer
    fact = judge_fact(expected, output, question=text.question)
    rows.append(_row(text, "fact", (fact.correct, fact.uncertain, fact.reason), line.get("correct")))
    context = line.get("context") or line.get("source") or ""
    found = find_invented(text.answer, context, question=text.question)
    invented = [f"{value.text} ({value.kind})" for value in found]
    rows.append(_row(text, "grounding", (bool(found), False, str(invented)), line.get("hallucinated")))
    if quote := line.get("required_quote") or line.get("quote"):
        rows.append(_row(text, "quote", (contains_quote(text.answer, quote), False, ""), line.get("included")))
    return rows if is_labelled else [row | {"label": None} for row in rows]


_USUAL: Final = (
    {"amount_total": 42000},
    {"date": "2020-08-30"},
    {"count": 3},
    {"boolean_answer": True},
    {"entity": "张三"},
    {"text_answer": "乙方"},
)


def _row(text: Text, kind: str, found: tuple[bool, bool, str], label: bool | None) -> dict[str, Any]:
    decision, uncertain, reason = found
    verdict = f"{decision}{' uncertain' if uncertain else ''}: {reason}"
    return {
        "id": f"{text.id} {kind}", "verdict": verdict, "decision": decision, "uncertain": uncertain, "label": label,
    }  # fmt: skip


def benchmark_verdicts() -> Iterator[dict[str, Any]]:
    """Yield verdicts on the bundled benchmark: the baseline, the nearest line, and cheating systems of the tests."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from legal.cheats import CHEATS, honest_line  # type: ignore[import-not-found]

    from steelyard.legal import judge
    from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
    from steelyard.systems import baseline

    bundled = load_benchmark(benchmark_folder())
    indexes = {each.name: baseline.Index(list(baseline.passages_of(each))) for each in bundled.documents.values()}
    systems = {
        "baseline": lambda question, document: baseline.answer(question, indexes[document.name]),
        "honest_line": honest_line,
        **CHEATS,
    }
    for name, system in systems.items():
        for question in bundled.questions:
            document = bundled.documents[question.about.document]
            verdict = judge(question, system(question.about.question, document), document)
            words = f"{verdict.score:.6f} {dict(verdict.parts)} {verdict.reason}"
            yield {
                "id": f"{name} {question.about.id}", "verdict": words, "decision": verdict.score,
                "uncertain": verdict.uncertain, "label": None,
            }  # fmt: skip


if __name__ == "__main__":
    main()
