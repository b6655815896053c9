"""What a check found as blocks: the differences row by row, with reasons, and what could not be recomputed."""

from collections.abc import Collection
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from steelyard.checks.findings import VECTORS, Finding, Found, Value
from steelyard.i18n import Language, Words, words_of
from steelyard.reports.blocks import Block, CheckCase, CheckSuite, Fields, Headline, Notes, TableBlock

_ROWS: Final = 5
"""The most rows that are named of those whose value could not be recomputed for the same reason."""


def found_blocks(found: Found, known: Collection[str], language: Language) -> list[Block]:
    """Return what was found; `known` are the ids of the vectors that can be named."""
    words, differing = words_of(language), found.differing
    code = "checks.differ" if differing else "checks.none_differ"
    outcome = words(code, n=len(differing), of=len(found.values))
    blocks: list[Block] = [Headline(words.labelled(f"{found.tool} {found.name}", outcome), not differing)]
    if differing:
        blocks.append(_differences(found, known, words))
    if found.left:
        blocks.append(_left(found, words))
    suite = CheckSuite(
        "check-scores",
        "steelyard.check-scores",
        {"tool": found.tool, "file": found.name},
        [_case(each, words) for each in found.findings],
        [],
    )
    counts = words("checks.counts", rows=found.rows, n=len(found.values), left=len(found.left))
    return [*blocks, Notes([counts]), suite, Fields(partial(found_json, found, known))]


def found_json(found: Found, known: Collection[str]) -> dict[str, Any]:
    """Return what was found for programs."""
    words = words_of("en")
    return {
        "file": found.name,
        "tool": found.tool,
        "rows": found.rows,
        "recomputed": len(found.values),
        "differing": [
            asdict(each) | {"reason": _reason(each, words), "vector": _vector(each, known) or None}
            for each in found.differing
        ],
        "not_recomputed": [asdict(each) | {"reason": _reason(each, words)} for each in found.left],
    }


def _vector(value: Value, known: Collection[str]) -> str:
    vector = VECTORS.get(value.why, "")
    return vector if vector in known else ""


def _differences(found: Found, known: Collection[str], words: Words) -> TableBlock:
    names = ["row", "metric", "written", "recomputed", "reason", "vector"]
    rows = [
        [_row(each, words), each.metric, *_numbers(each, words), _reason(each, words), _vector(each, known)]
        for each in found.differing
    ]
    shown = len(names) if any(row[-1] for row in rows) else len(names) - 1
    headings = [words(f"check_names.{name}") for name in names[:shown]]
    return TableBlock(headings, [row[:shown] for row in rows], words("checks.difference_list"), labels=shown)


def _left(found: Found, words: Words) -> TableBlock:
    groups: dict[tuple[str, str], list[str]] = {}
    for each in found.left:
        groups.setdefault((each.metric, _reason(each, words)), []).append(_row(each, words))
    rows = [[*group, _some(names, words)] for group, names in groups.items()]
    headings = [words(f"check_names.{name}") for name in ("metric", "reason", "rows")]
    return TableBlock(headings, rows, words("checks.left_list"), labels=3)


def _some(names: list[str], words: Words) -> str:
    shown = words.joined("core.listed", names[:_ROWS])
    return shown if len(names) <= _ROWS else words("checks.and_more", shown=shown, n=len(names) - _ROWS)


def _row(finding: Finding, words: Words) -> str:
    return finding.row or words("check_names.file")


def _reason(finding: Finding, words: Words) -> str:
    return words(f"check_reason_names.{finding.why}")


def _numbers(value: Value, words: Words) -> list[str]:
    pair, none = (value.written, value.recomputed), words("check_names.no_value")
    short = [none if each is None else f"{each:.6g}" for each in pair]
    return short if short[0] != short[1] or not value.differs else [repr(each) for each in pair]


def _case(finding: Finding, words: Words) -> CheckCase:
    name, reason = f"{_row(finding, words)} {finding.metric}", _reason(finding, words)
    if not isinstance(finding, Value):
        return CheckCase(name, "skipped", finding.why, reason, "")
    written, recomputed = _numbers(finding, words)
    text = words("checks.case", written=written, recomputed=recomputed, reason=reason)
    return CheckCase(name, "failed" if finding.differs else "passed", finding.why, text, "")
