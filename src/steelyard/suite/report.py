"""What a program made of the vectors, as blocks: counts by family, faults with a line to repeat each, conventions."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from steelyard.i18n import Language, Localized, Words, words_of
from steelyard.reports.blocks import Block, CheckCase, CheckStatus, CheckSuite, Fields, Headline, Notes, TableBlock
from steelyard.suite.outcomes import KINDS, Kind, Outcome, Run, outcome_json
from steelyard.suite.vectors import Vector

_LONGEST: Final = 48
_STATUS: Final[Mapping[Kind, CheckStatus]] = {
    "right": "passed",
    "convention": "passed",
    "fault": "failed",
    "unsupported": "skipped",
}


def run_blocks(run: Run, vectors: Sequence[Vector], again: str, language: Language) -> list[Block]:
    """Return the outcome of a run; `again` is the command that repeats a vector, whose id follows."""
    words, by_id = words_of(language), {vector.id: vector for vector in vectors}
    faults, conventions = run.of("fault"), run.of("convention")
    title = f"{run.about.name} {run.about.version}"
    code = "suite.faults" if faults else "suite.conventions" if conventions else "suite.no_faults"
    counts = {"n": len(faults), "of": len(run.answered), "others": len(conventions)}
    return [
        Headline(words.labelled(title, words(code, **counts)), not faults),
        _counts(run, words),
        *([_faults(faults, by_id, words)] if faults else []),
        *([_conventions(conventions, by_id, words)] if conventions else []),
        Notes([f"{again} {outcome.id}" for outcome in faults]),
        _suite(run, by_id, title, again, words),
        Fields(partial(run_json, run, by_id)),
    ]


def run_json(run: Run, vectors: Mapping[str, Vector]) -> dict[str, Any]:
    """Return a run for programs."""
    about = {"name": run.about.name, "version": run.about.version, "computes": sorted(run.about.computes)}
    counts = {family: found.counts() for family, found in by_family(run).items()}
    return {
        "target": about,
        "counts": counts,
        "outcomes": [outcome_json(each, vectors[each.id]) for each in run.outcomes],
    }


def by_family(run: Run) -> dict[str, Run]:
    """Return the outcomes of each family."""
    families: dict[str, list[Outcome]] = {}
    for outcome in run.outcomes:
        families.setdefault(outcome.id.partition("/")[0], []).append(outcome)
    return {family: Run(run.about, outcomes) for family, outcomes in families.items()}


def shown(value: Any) -> str:
    """Return a value as JSON in one short line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _why(outcome: Outcome, words: Words) -> str:
    return outcome.why.text(words.language) if isinstance(outcome.why, Localized) else outcome.why


def _counts(run: Run, words: Words) -> TableBlock:
    rows = [
        [words(f"suite_names.{family}"), *(f"{count:,}" for count in found.counts().values())]
        for family, found in by_family(run).items()
    ]
    return TableBlock([words("suite_names.family"), *(words(f"suite_names.{kind}") for kind in KINDS)], rows)


def _faults(faults: Sequence[Outcome], by_id: Mapping[str, Vector], words: Words) -> TableBlock:
    rows = [
        [
            each.id,
            shown(by_id[each.id].expected),
            _why(each, words) or shown(each.value),
            by_id[each.id].origin["where"],
        ]
        for each in faults
    ]
    headings = [words(f"suite_names.{name}") for name in ("vector", "expected", "got", "origin")]
    return TableBlock(headings, rows, words("suite.fault_list"), labels=4)


def _conventions(found: Sequence[Outcome], by_id: Mapping[str, Vector], words: Words) -> TableBlock:
    rows = [[each.id, shown(by_id[each.id].expected), shown(each.value), each.convention] for each in found]
    headings = [words(f"suite_names.{name}") for name in ("vector", "expected", "got", "its_convention")]
    return TableBlock(headings, rows, words("suite.convention_list"), labels=4)


def _suite(run: Run, by_id: Mapping[str, Vector], title: str, again: str, words: Words) -> CheckSuite:
    cases = [
        CheckCase(
            outcome.id,
            _STATUS[outcome.kind],
            outcome.kind,
            _why(outcome, words) or f"{shown(outcome.value)}, not {shown(by_id[outcome.id].expected)}",
            outcome.convention,
            [f"{again} {outcome.id}"],
        )
        for outcome in run.outcomes
    ]
    return CheckSuite("conformance", "steelyard.conformance", {"target": title}, cases, [])
