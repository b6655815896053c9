"""What a check found as blocks: the differences row by row, with reasons, and what could not be recomputed."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Final

from steelyard.checks.findings import VECTORS, Found, Left, Value
from steelyard.i18n import Language, Words, words_of
from steelyard.reports.blocks import Block, CheckCase, CheckSuite, Fields, Headline, Notes, TableBlock

_ROWS: Final = 5
"""The most rows that are named of those whose value could not be recomputed for the same reason."""


def found_blocks(found: Found, known: Collection[str], language: Language) -> list[Block]:
    """Return what was found; `known` are the ids of the vectors that can be named."""
    words, differing = words_of(language), found.differing
    code = "checks.differ" if differing else "checks.none_differ"
    outcome = words(code, n=len(differing), of=len(found.values))
    counts = words("checks.counts", rows=found.rows, n=len(found.values), left=len(found.left))
    return [
        Headline(words.labelled(f"{found.tool} {found.name}", outcome), not differing),
        *([_differences(differing, known, words)] if differing else []),
        *([_left(found.left, words)] if found.left else []),
        Notes([counts]),
        _suite(found, words),
        Fields(partial(found_json, found, known)),
    ]


def found_json(found: Found, known: Collection[str]) -> dict[str, Any]:
    """Return what was found for programs."""
    english = words_of("en")
    return {
        "file": found.name,
        "tool": found.tool,
        "rows": found.rows,
        "recomputed": len(found.values),
        "differing": [
            {
                "row": each.row,
                "metric": each.metric,
                "written": each.written,
                "recomputed": each.recomputed,
                "reason": each.why,
                "text": english(f"check_reason_names.{each.why}"),
                "vector": _vector(each, known) or None,
            }
            for each in found.differing
        ],
        "not_recomputed": [{"row": each.row, "metric": each.metric, "reason": each.why} for each in found.left],
    }


def _vector(value: Value, known: Collection[str]) -> str:
    vector = VECTORS.get(value.why, "")
    return vector if vector in known else ""


def _differences(differing: Sequence[Value], known: Collection[str], words: Words) -> TableBlock:
    rows = [
        [
            _row(each.row, words),
            each.metric,
            *_numbers(each, words),
            words(f"check_reason_names.{each.why}"),
            _vector(each, known),
        ]
        for each in differing
    ]
    names = ["row", "metric", "written", "recomputed", "reason", "vector"]
    if not any(row[-1] for row in rows):
        names, rows = names[:-1], [row[:-1] for row in rows]
    headings = [words(f"check_names.{name}") for name in names]
    return TableBlock(headings, rows, words("checks.difference_list"), labels=len(names))


def _left(left: Sequence[Left], words: Words) -> TableBlock:
    groups: dict[tuple[str, str], list[str]] = {}
    for each in left:
        groups.setdefault((each.metric, each.why), []).append(_row(each.row, words))
    rows = [
        [metric, words(f"check_reason_names.{why}"), _some(names, words)] for (metric, why), names in groups.items()
    ]
    headings = [words(f"check_names.{name}") for name in ("metric", "reason", "rows")]
    return TableBlock(headings, rows, words("checks.left_list"), labels=3)


def _some(names: Sequence[str], words: Words) -> str:
    shown = words.joined("core.listed", names[:_ROWS])
    return shown if len(names) <= _ROWS else words("checks.and_more", shown=shown, n=len(names) - _ROWS)


def _row(row: str, words: Words) -> str:
    return row or words("check_names.file")


def _numbers(value: Value, words: Words) -> list[str]:
    short = [f"{each:.6g}" if each is not None else words("check_names.no_value") for each in _pair(value)]
    return short if short[0] != short[1] else [repr(each) for each in _pair(value)]


def _pair(value: Value) -> tuple[float | None, float | None]:
    return value.written, value.recomputed


def _suite(found: Found, words: Words) -> CheckSuite:
    cases = [
        CheckCase(
            f"{_row(each.row, words)} {each.metric}",
            "failed" if each.differs else "passed",
            each.why,
            words(
                "checks.case", written=numbers[0], recomputed=numbers[1], reason=words(f"check_reason_names.{each.why}")
            ),
            "",
        )
        for each in found.values
        for numbers in [_numbers(each, words)]
    ]
    cases += [
        CheckCase(
            f"{_row(each.row, words)} {each.metric}", "skipped", each.why, words(f"check_reason_names.{each.why}"), ""
        )
        for each in found.left
    ]
    return CheckSuite("check-scores", "steelyard.check-scores", {"tool": found.tool, "file": found.name}, cases, [])
