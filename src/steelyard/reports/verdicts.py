"""The sentences of an outcome: about these documents, and about other documents of the kind (`stats.scopes`).

The first sentence is that of the scope that decides. Every format and the gate use these.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from steelyard.i18n import Localized, Message, Words
from steelyard.registry.kinds import is_directed
from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison
from steelyard.stats.scopes import Scope, cannot_tell
from steelyard.stats.summary import MetricSummary, ScopeInterval

if TYPE_CHECKING:
    from steelyard.stats.gate import Finding

OutcomeCode = Literal[
    "report.better",
    "report.worse",
    "report.judged_better",
    "report.judged_worse",
    "scope.different",
    "report.no_evidence",
    "gate.cannot_tell",
]
TONES: Final[dict[OutcomeCode, Literal["good", "bad"]]] = {"report.better": "good", "report.worse": "bad"}
"""Outcomes that are good or bad; others are neither."""
NEEDED: Final[dict[tuple[Scope, bool], str]] = {
    ("items", True): "scope.about_items",
    ("items", False): "scope.at_least_items",
    ("documents", True): "scope.about_documents",
    ("documents", False): "scope.at_least_documents",
}
"""The codes of the number of units that would tell, about or at least."""


def sentences(comparison: Comparison) -> tuple[Message, ...]:
    """Return how two results compare: in the scope that decides, then in the other, if there is one."""
    documents = documents_of(comparison)
    return tuple(
        sentence(each.scope, each.units, documents, _finding(each)) for each in (comparison, *comparison.others)
    )


def documents_of(found: "Comparison | Finding | MetricSummary") -> int | None:
    """Return the number of documents; None where items have none."""
    return next((each.units for each in found.scopes if each.scope == "documents"), None)


def verdict_lines(comparison: Comparison, words: Words) -> list[str]:
    """Return the sentences in a language."""
    return [message.text(words.language) for message in sentences(comparison)]


def outcome_of(comparison: Comparison) -> OutcomeCode:
    """Return the code of the outcome of a comparison in its scope."""
    if comparison.cannot_tell:
        return "gate.cannot_tell"
    if not comparison.significant:
        return "report.no_evidence"
    if not is_directed(comparison.metric):
        return "scope.different"
    if comparison.judged:
        return "report.judged_better" if comparison.gain > 0 else "report.judged_worse"
    return "report.better" if comparison.gain > 0 else "report.worse"


def mean_verdicts(report: Report, words: Words) -> list[str]:
    """Return the sentences about the main metric of a single result that shares documents."""
    name = words.name("headline", report.main)
    lines = mean_sentences(report.summaries[0].metrics[report.main])
    return [words("core.labelled", label=name, message=line) for line in lines]


def board_verdicts(report: Report, words: Words) -> list[str]:
    """For each finding about the main metric in a scope that does not decide, the results that have it.

    The rows of the board have the scope that decides.
    """
    named: dict[tuple[str, str], list[str]] = {}
    for comparison in (each for each in report.comparisons if each.metric == report.main):
        for each in comparison.others:
            subject = _subject(each.scope, each.units, documents_of(comparison)).text(words.language)
            named.setdefault((subject, _finding(each).text(words.language)), []).append(comparison.a)
    return [
        words("scope.sentence", subject=subject, finding=words.labelled(words.joined("core.listed", names), finding))
        for (subject, finding), names in named.items()
    ]


def undecided(comparisons: Sequence[Comparison], words: Words) -> list[str]:
    """Once for each number of units, that so few cannot tell in the scope that decides, and how many could."""
    few = (each for each in comparisons if each.cannot_tell)
    found = (needed_units(each.scope, each.units, needed=None, least=each.least) for each in few)
    return list(dict.fromkeys(message.text(words.language) for message in found))


def mean_sentences(mean: MetricSummary) -> tuple[Message, ...]:
    """Return the mean with its interval in both scopes; nothing if there is one scope only, or for a total."""
    if len(mean.scopes) < 2 or mean.total is not None:
        return ()
    ordered = sorted(mean.scopes, key=lambda each: each.scope != mean.scope)
    return tuple(sentence(each.scope, each.units, documents_of(mean), _mean(mean, each)) for each in ordered)


def sentence(scope: Scope, units: int, documents: int | None, finding: Localized | str) -> Message:
    """Return a finding about these documents (or items, if they have none), or about other documents of the kind."""
    return Message("scope.sentence", subject=_subject(scope, units, documents), finding=finding)


def needed_units(scope: Scope, units: int, *, needed: int | None, least: int) -> Message:
    """Say that so few units cannot tell, and how many would."""
    count = least if needed is None else min(needed, cells.MOST_NEEDED)
    about = needed is not None and least < needed <= cells.MOST_NEEDED
    return Message(NEEDED[scope, about], reason=cannot_tell(scope, units), n=f"{count:,}")


def _finding(comparison: Comparison) -> Message:
    """Return the difference with its interval, p and outcome; where the units are too few, how many would tell."""
    if comparison.cannot_tell:
        return needed_units(comparison.scope, comparison.units, needed=comparison.needed, least=comparison.least)
    is_adjusted = comparison.p_adjusted != comparison.p_value
    outcome = Message(outcome_of(comparison))
    return Message(
        "scope.difference",
        difference=cells.signed(comparison.difference),
        interval=cells.interval(comparison.interval),
        p=Message("scope.p_adjusted" if is_adjusted else "scope.p", p=cells.p_value(comparison.p_adjusted)),
        outcome=Message("report.test_decides", outcome=outcome) if comparison.disagrees else outcome,
    )


def _mean(mean: MetricSummary, found: ScopeInterval) -> Localized | str:
    if math.isnan(found.interval.low):
        return cannot_tell(found.scope, found.units)
    return f"{cells.mean(mean)} {cells.interval(found.interval)}"


def _subject(scope: Scope, units: int, documents: int | None) -> Message:
    if scope == "documents":
        return Message("scope.other_documents")
    if documents is None:
        return Message("scope.this_item") if units == 1 else Message("scope.these_items", n=f"{units:,}")
    return Message("scope.this_document") if documents == 1 else Message("scope.these_documents", n=f"{documents:,}")
