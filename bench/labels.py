"""`python -m bench.labels [FOLDER …]`: the rule judges beside labels, by verdict and language.

A folder has JSONL files of lines with a label (`abstains`, `correct`, `hallucinated`, `included`), an answer and its
question; without a folder those of `../shared/data` and of the tests are read.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.freeze import BESIDE, LINES
from steelyard.legal import FactRules, contains_quote, detect_abstention, find_invented, judge_fact

FOLDERS: Final = (LINES, *(BESIDE / name for name in ("legal_zh", "real_outputs", "real_outputs_b")))
_Line = Mapping[str, Any]


class Judged(NamedTuple):
    """A verdict beside its label."""

    verdict: str
    label: bool
    decision: bool
    uncertain: bool


def main(folders: Sequence[Path]) -> None:
    print("| verdict | language | lines | right | decided right | uncertain | wrong | of these uncertain | κ |")
    print("|---|---|---|---|---|---|---|---|---|")
    groups: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for folder in folders:
        for line in labelled_lines(folder):
            for judged in verdicts(line):
                groups[judged.verdict, language_of(line)].append(judged)
    for (verdict, language), rows in sorted(groups.items()):
        print(f"| {verdict} | {language} | {_figures(rows)} |")


def labelled_lines(folder: Path) -> Iterator[_Line]:
    """Yield the lines of all files of a folder."""
    for path in sorted(folder.glob("*.jsonl")):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def _figures(rows: Sequence[Judged]) -> str:
    wrong = [row for row in rows if row.decision != row.label]
    decided = [row for row in rows if not row.uncertain]
    right = sum(row.decision == row.label for row in decided)
    unsure = sum(row.uncertain for row in wrong)
    return " | ".join(
        (
            str(len(rows)),
            f"{1 - len(wrong) / len(rows):.1%}",
            f"{right / max(len(decided), 1):.1%}",
            f"{1 - len(decided) / len(rows):.1%}",
            str(len(wrong)),
            str(unsure),
            f"{_kappa(rows):.2f}",
        )
    )


def _kappa(rows: Sequence[Judged]) -> float:
    """Cohen's κ; NaN where label and verdict are constant."""
    pairs = Counter((row.label, row.decision) for row in rows)
    total = len(rows)
    agreed = (pairs[True, True] + pairs[False, False]) / total
    labels, verdicts = (sum(flags) / total for flags in ([row.label for row in rows], [row.decision for row in rows]))
    chance = labels * verdicts + (1 - labels) * (1 - verdicts)
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def language_of(line: _Line) -> str:
    return "zh" if any("\u4e00" <= char <= "\u9fff" for char in str(line.get("answer", ""))) else "en"


def verdicts(line: _Line) -> Iterator[Judged]:
    """Yield the verdicts on a line for which it has a label."""
    question, answer = line.get("question", ""), line.get("output", line.get("answer", ""))
    if "abstains" in line:
        stance = detect_abstention(answer, question=question)
        yield Judged("refusal", line["abstains"], stance.abstains, stance.uncertain)
    if "correct" in line and line.get("expected") not in (None, [], {}):
        expected = expected_fields(line["expected"])
        rules = FactRules(source=line.get("source", "") if line.get("kind") else "")
        fact = judge_fact(expected, answer, question=question, rules=rules)
        yield Judged(_field(expected), line["correct"], fact.correct, fact.uncertain)
    if "hallucinated" in line and (line.get("context") or line.get("source")):
        found = find_invented(answer, line.get("context") or line["source"], question=question)
        yield Judged("grounding", line["hallucinated"], bool(found), uncertain=False)
    if "included" in line:
        is_there = contains_quote(answer, line.get("required_quote") or line["quote"])
        yield Judged("quotation", line["included"], is_there, uncertain=False)


def expected_fields(expected: Any) -> dict[str, Any]:
    """Return the expected fields; a list is a text with its aliases."""
    if isinstance(expected, bool):
        return {"boolean_answer": expected}
    if isinstance(expected, list):
        return {"text_answer": expected[0], "aliases": expected[1:]}
    return dict(expected)


def _field(expected: Mapping[str, Any]) -> str:
    names = {"boolean_answer": "yes/no", "entity": "name", "text_answer": "text"}
    first = next(iter(expected))
    return names.get(first, "figures")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or FOLDERS)
