"""The lines below a table: what was counted, how differences were tested, and the settings."""

from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.reports.words import Words
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import Summary

CANNOT_TELL: Final = {
    True: "this test cannot tell with {n} documents: the smallest p is {p}",
    False: "this test cannot tell with {n} items: the smallest p is {p}",
}
UNPAIRED_MEANS: Final = "means over all items of each result; differences over the {n} that both have"


def remarks(report: Report, words: Words) -> Iterator[str]:
    """For each result what was counted, then the method of comparison, then the signatures."""
    for summary in report.summaries:
        yield f"{summary.name}: {_fates(summary, words)}{_counts(summary, words)}"
    if report.comparisons:
        yield " · ".join(_method(report.comparisons, words))
        yield from _warnings(report.comparisons, words)
    for summary in report.summaries:
        yield f"{words('signature')} {summary.name}: {summary.signature}"


def too_few(found: Sequence[Comparison], words: Words) -> list[str]:
    """That so few documents or items vary that these tests can show nothing, each once."""
    return list(dict.fromkeys(_too_few(each, words) for each in found if each.hopeless and not each.result.resamples))


def _too_few(found: Comparison, words: Words) -> str:
    least, corrected = (0.0 if p is None else p for p in (found.smallest_p, found.smallest_p_adjusted))
    said = [words(CANNOT_TELL[found.by_document]).format(n=f"{found.units:,}", p=f"{least:.3g}")]
    if corrected > least:
        said.append(words("{p} after correction").format(p=f"{corrected:.3g}"))
    remedy = words("use --test t") if found.units > 1 else words("add more of them")
    return f"{', '.join(said)}; {remedy}"


def _fates(summary: Summary, words: Words) -> str:
    said = [f"{summary.items:,} {words('items')}", f"{summary.scored:,} {words('scored')}"]
    said += [f"{n:,} {words(what)}" for n, what in ((summary.unscored, "unscored"), (summary.errors, "errors")) if n]
    differing = {name: metric.scored for name, metric in summary.metrics.items() if metric.scored != summary.scored}
    said += [f"{name}: {count:,} {words('scored')}" for name, count in differing.items()]
    return ", ".join(said)


def _counts(summary: Summary, words: Words) -> str:
    """What was counted: missing queries always, the rest where it is not nought."""
    said = [f"{words(what)} {count:,}" for what, count in summary.counts.items() if count or "missing" in what]
    return f"; {words('counted')}: {' · '.join(said)}" if said else ""


def _method(found: Sequence[Comparison], words: Words) -> Iterator[str]:
    first = found[0]
    exact = sum(comparison.result.exact for comparison in found)
    resampled = next((c.result.resamples for c in found if c.result.resamples), None)
    yield words(first.result.test)
    if exact:
        yield f"{words('exact')} {exact}/{len(found)}"
    if resampled:
        yield f"{resampled:,} {words('resamples')}, {words('seed')} {first.settings.seed}"
    yield f"{words('correction')}: {words(first.settings.correction)} ({len(found)})"
    yield f"{cells.BETTER} {words('significantly better')}, {cells.WORSE} {words('significantly worse')}"
    yield f"{words('at')} {first.settings.alpha:g}"


def _warnings(found: Sequence[Comparison], words: Words) -> Iterator[str]:
    """What makes a comparison doubtful."""
    unpaired = max(comparison.unpaired for comparison in found)
    if unpaired:
        yield f"{words('items scored in only one of the two, left out of the comparison')}: {unpaired:,}"
        yield words(UNPAIRED_MEANS).format(n=_shared(found))
    differ = dict.fromkeys(key for comparison in found for key in comparison.settings_differ)
    if differ:
        yield f"{words('settings differ')}: {', '.join(differ)}"
    yield from too_few(found, words)
    sampled = [c for c in found if c.result.resamples]
    if sampled and _cannot_be_significant(sampled[0], len(found)):
        yield words("no sampled p can be significant after this correction: raise --resamples or name fewer metrics")


def _shared(found: Sequence[Comparison]) -> str:
    """How many items the two sides of a comparison share; a range where metrics differ in that."""
    least, most = min(each.n for each in found), max(each.n for each in found)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _cannot_be_significant(comparison: Comparison, family: int) -> bool:
    """Whether even the smallest p that this many resamples can give is above alpha once corrected."""
    least = 1 / ((comparison.result.resamples or 0) + 1)
    return comparison.settings.correction in ("holm", "bonferroni") and least * family >= comparison.settings.alpha
