"""The lines below a table: what was counted, how differences were tested, and the settings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from steelyard import counts
from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.content import Report
from steelyard.stats.compare import Comparison
from steelyard.stats.summary import Summary

CANNOT_TELL: Final = {
    True: "gate.smallest_p_documents",
    False: "gate.smallest_p_items",
}
TESTS: Final[Mapping[str, str]] = {
    "permutation": "report.permutation_test",
    "t": "report.t_test",
    "wilcoxon": "report.wilcoxon_test",
    "sign": "report.sign_test",
    "bootstrap": "report.bootstrap_test",
}
CORRECTIONS: Final[Mapping[str, str]] = {
    "none": "report.no_correction",
    "holm": "report.holm",
    "bh": "report.bh",
    "bonferroni": "report.bonferroni",
}


def remarks(report: Report, words: Words) -> Iterator[str]:
    """For each result what was counted, then the method of comparison, then the signatures."""
    for summary in report.summaries:
        yield f"{summary.name}: {_fates(summary, words)}{_counts(summary, words)}"
    if report.comparisons:
        yield " · ".join(_method(report.comparisons, words))
        yield from _warnings(report.comparisons, words)
    for summary in report.summaries:
        yield f"{words('report.signature')} {summary.name}: {summary.signature}"


def too_few(found: Sequence[Comparison], words: Words) -> list[str]:
    """That so few documents or items vary that these tests can show nothing, each once."""
    return list(dict.fromkeys(_too_few(each, words) for each in found if each.underpowered and not each.test.resamples))


def _too_few(found: Comparison, words: Words) -> str:
    least, corrected = (0.0 if p is None else p for p in (found.smallest_p, found.smallest_p_adjusted))
    said = [words(CANNOT_TELL[found.by_document], n=f"{found.units:,}", p=f"{least:.3g}")]
    if corrected > least:
        said.append(words("gate.after_correction", p=f"{corrected:.3g}"))
    remedy = words("gate.use_test_t") if found.units > 1 else words("gate.add_more")
    return f"{', '.join(said)}; {remedy}"


def _fates(summary: Summary, words: Words) -> str:
    said = [f"{summary.items:,} {words('report.items')}", f"{summary.scored:,} {words('report.scored')}"]
    fates = ((summary.unscored, "report.unscored"), (summary.errors, "report.errors"))
    said += [f"{n:,} {words(what)}" for n, what in fates if n]
    differing = {name: metric.scored for name, metric in summary.metrics.items() if metric.scored != summary.scored}
    said += [f"{name}: {count:,} {words('report.scored')}" for name, count in differing.items()]
    return ", ".join(said)


def _counts(summary: Summary, words: Words) -> str:
    """What was counted: missing queries always, the rest where it is not nought."""
    said = [f"{words.named(what)} {n:,}" for what, n in summary.counts.items() if n or what in counts.ALWAYS_SHOWN]
    return f"; {words('report.counted')}: {' · '.join(said)}" if said else ""


def _method(found: Sequence[Comparison], words: Words) -> Iterator[str]:
    first = found[0]
    exact = sum(comparison.test.exact for comparison in found)
    resampled = next((c.test.resamples for c in found if c.test.resamples), None)
    yield words(TESTS[first.test.name])
    if exact:
        yield f"{words('report.exact')} {exact}/{len(found)}"
    if resampled:
        yield f"{resampled:,} {words('report.resamples')}, {words('report.seed')} {first.settings.seed}"
    yield f"{words('report.correction')}: {words(CORRECTIONS[first.settings.correction])} ({len(found)})"
    yield f"{cells.BETTER} {words('report.significantly_better')}, {cells.WORSE} {words('report.significantly_worse')}"
    yield f"{words('report.at')} {first.settings.alpha:g}"


def _warnings(found: Sequence[Comparison], words: Words) -> Iterator[str]:
    """What makes a comparison doubtful."""
    unpaired = max(comparison.unpaired for comparison in found)
    if unpaired:
        yield f"{words('report.items_unpaired')}: {unpaired:,}"
        yield words("gate.means_over_all", n=_shared(found))
    differ = dict.fromkeys(key for comparison in found for key in comparison.settings_differ)
    if differ:
        yield f"{words('report.settings_differ')}: {', '.join(differ)}"
    yield from too_few(found, words)
    sampled = [c for c in found if c.test.resamples]
    if sampled and _cannot_be_significant(sampled[0], len(found)):
        yield words("report.too_few_resamples")


def _shared(found: Sequence[Comparison]) -> str:
    """How many items the two sides of a comparison share; a range where metrics differ in that."""
    least, most = min(each.n for each in found), max(each.n for each in found)
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def _cannot_be_significant(comparison: Comparison, family: int) -> bool:
    """Whether even the smallest p that this many resamples can give is above alpha once corrected."""
    least = 1 / ((comparison.test.resamples or 0) + 1)
    return comparison.settings.correction in ("holm", "bonferroni") and least * family >= comparison.settings.alpha
