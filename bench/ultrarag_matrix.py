"""Both clients with both sets of servers over the same pipelines: every value that UltraRAG records, compared."""

import argparse
import html
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.markdown import NOTHING
from bench.ultrarag import OURS, Outcome, Party, run_all
from bench.ultrarag_project import Shipped, shipped, snapshots

TOLERANCE: Final = 1e-9
RANDOM: Final = ("p_value", "significant")
"""Values that UltraRAG draws anew every time (P1)."""
FILES: Final = {"build_text_corpus": "corpora/text.jsonl", "corpus_chunk": "corpora/chunks.jsonl"}
"""Files that pipelines make and that are text."""
EXPLAINED: Final = {"bm25_search": "R1", "hybrid_search": "R1", "ircot": "I1", "rag_branch": "C6"}
"""Pipelines whose values must differ, with the row of reference/ultrarag.md that says why."""
_STATE: Final = re.compile(r"branch\d+_state")
_LIST_OF_MARKUP: Final = re.compile(r"\[((?:Markup\((?:'[^']*'|\"[^\"]*\")\)(?:, )?)+)\]")
_MARKUP: Final = re.compile(r"Markup\((?:'([^']*)'|\"([^\"]*)\")\)")


@dataclass(slots=True)
class Compared:
    """How many values are equal, how many only without HTML escapes (S1), and where others differ."""

    equal: int = 0
    escaped: int = 0
    other: list[str] = field(default_factory=list)

    def cell(self, pipeline: str) -> str:
        """Return the comparison as a cell of a table."""
        parts = [f"{self.equal} equal" if self.equal else "runs"]
        parts += [f"{self.escaped} equal except for S1"] if self.escaped else []
        if self.other:
            verb = "differs" if len(self.other) == 1 else "differ"
            parts.append(f"{len(self.other)} {verb}: {EXPLAINED.get(pipeline, self.other[0])}")
        return ", ".join(parts)


def render_matrix(arguments: argparse.Namespace) -> str:
    """Return the table of the matrix, beside UltraRAG's own client and servers."""
    if arguments.upstream_python is None:
        raise SystemExit("--matrix needs --upstream-python, a python that has UltraRAG installed")
    theirs, *others = _parties(arguments.upstream_python)
    offered = arguments.only or _offered(arguments.checkout, arguments.keep)
    reference = _outcomes(arguments, theirs, offered)
    able = [name for name, outcome in reference.items() if outcome.state == "runs"]
    lines = [
        f"| pipeline (client × server) | {theirs.name} | {' | '.join(other.name for other in others)} |",
        "|---" * (len(others) + 2) + "|",
    ]
    tried = {other.name: _outcomes(arguments, other, able) for other in others}
    for name, outcome in reference.items():
        shown = [_cell(outcome, tried[other.name][name]) if name in able else NOTHING for other in others]
        said = _values(_count(outcome)) if name in able else f"fails: {outcome.message}"
        lines.append(f"| `{name}` | {said} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _values(count: int) -> str:
    return f"{count} value" if count == 1 else f"{count} values"


def compare(expected: Any, found: Any, where: str, result: Compared) -> None:
    """Count the values of one side that the other side has too."""
    expected, found = _plain(expected), _plain(found)
    match expected:
        case Mapping() if isinstance(found, Mapping):
            for name in (name for name in expected if name not in RANDOM):
                compare(expected[name], found.get(name), f"{where}.{name}", result)
        case list() if isinstance(found, list) and len(found) == len(expected):
            for place, (one, other) in enumerate(zip(expected, found, strict=True)):
                compare(one, other, f"{where}[{place}]", result)
        case _ if _same(expected, found):
            result.equal += 1
        case str() if isinstance(found, str) and _unescaped(expected) == _unescaped(found):
            result.escaped += 1
        case _:
            result.other.append(f"{where}: {_short(expected)} / {_short(found)}")


def _parties(python: Path) -> tuple[Party, ...]:
    folder = str(python.parent)
    client = (str(python.parent / "ultrarag"),)
    ours = str(Path(sys.executable).parent)
    return (
        Party("UltraRAG × UltraRAG", client, path=folder, upstream=True),
        Party("UltraRAG × Steelyard", client, path=ours, our_servers=True, upstream=True),
        Party("Steelyard × UltraRAG", OURS.client, ("--servers", "project"), path=folder),
        Party("Steelyard × Steelyard", OURS.client, path=ours),
    )


def _offered(checkout: Path, keep: Path | None) -> list[str]:
    """Return the pipelines that are not refused."""
    outcomes = run_all(checkout, OURS, mixed=True, keep=keep / "table" if keep else None)
    return [f"{outcome.pipeline.folder}/{outcome.pipeline.name}" for outcome in outcomes if outcome.state == "runs"]


def _outcomes(arguments: argparse.Namespace, party: Party, names: Sequence[str]) -> dict[str, Outcome]:
    keep = arguments.keep / re.sub(r"\W+", "_", party.name) if arguments.keep else None
    known = {f"{pipeline.folder}/{pipeline.name}": pipeline for pipeline in shipped(arguments.checkout)}
    wanted = [known[name] if name in known else _by_stem(known, name) for name in names]
    found = run_all(arguments.checkout, party, wanted=wanted, mixed=False, keep=keep)
    return {f"{outcome.pipeline.folder}/{outcome.pipeline.name}": outcome for outcome in found}


def _by_stem(known: Mapping[str, Shipped], name: str) -> Shipped:
    return next(pipeline for pipeline in known.values() if pipeline.name == name)


def _cell(reference: Outcome, outcome: Outcome) -> str:
    if outcome.state != "runs":
        return f"{outcome.state}: {EXPLAINED.get(outcome.pipeline.name, outcome.message)}"
    result = Compared()
    for where, (expected, found) in _recorded(reference, outcome).items():
        compare(expected, found, where, result)
    return result.cell(outcome.pipeline.name).replace("|", "\\|").replace("\n", " ")


def _count(outcome: Outcome) -> int:
    result = Compared()
    for where, (expected, _) in _recorded(outcome, outcome).items():
        compare(expected, expected, where, result)
    return result.equal


def _recorded(reference: Outcome, outcome: Outcome) -> dict[str, tuple[Any, Any]]:
    """Return what both have recorded: the snapshot, step by step, and files that a pipeline makes."""
    sides = [_steps(each) for each in (reference, outcome)]
    pairs: dict[str, tuple[Any, Any]] = {"steps": (list(sides[0]), list(sides[1]))}
    if pairs["steps"][0] == pairs["steps"][1]:
        pairs = {name: (sides[0][name], sides[1][name]) for name in sides[0]}
    if name := FILES.get(outcome.pipeline.name):
        pairs[name] = (_rows(reference, name), _rows(outcome, name))
    return pairs


def _steps(outcome: Outcome) -> dict[str, Any]:
    *_, last = (None, *snapshots(outcome.folder or Path()))
    entries = json.loads(last.read_text(encoding="utf-8")) if last is not None else []
    return {f"{number}. {entry['step']}": entry["memory"] for number, entry in enumerate(entries, start=1)}


def _rows(outcome: Outcome, name: str) -> list[Any]:
    path = (outcome.folder or Path()) / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def _plain(value: Any) -> Any:
    """Return what a router gave, without its states."""
    if (
        isinstance(value, Mapping)
        and "data" in value
        and any(_STATE.fullmatch(name) or name == "state" for name in value)
    ):
        return value["data"]
    return value


def _same(expected: Any, found: Any) -> bool:
    numbers = (int, float)
    if isinstance(expected, numbers) and isinstance(found, numbers):
        return math.isclose(expected, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(expected == found)


def _unescaped(text: str) -> str:
    for _ in range(4):
        text = html.unescape(text)
    return _LIST_OF_MARKUP.sub(lambda found: "\n".join(_inner(found[1])), text)


def _inner(texts: str) -> Iterator[str]:
    yield from (one or other for one, other in _MARKUP.findall(texts))


def _short(value: Any) -> str:
    return repr(value)[:60]
