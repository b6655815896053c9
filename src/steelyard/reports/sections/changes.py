"""What changed from one result to another: the outcome, and the items that changed most, regressions first."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, ItemList, ListItem, Outcome, PageOnly
from steelyard.reports.content import Report, main_metric
from steelyard.reports.kinds import item_reason
from steelyard.reports.verdicts import TONES, outcome_of, report_verdicts, verdict_lines
from steelyard.stats.compare import Comparison
from steelyard.stats.direction import is_directed
from steelyard.stats.pairing import Change, Changes, changes
from steelyard.table import Table

ORDER: Final = 4
PRINTED: Final = 5
"""So many items each way are printed, unless the scores of all items are asked for."""
REGRESSED, IMPROVED = 10, 5
"""So many items are on a page."""
_TITLES: Final = {
    True: ("report.most_regressed", "report.most_improved"),
    False: ("report.most_fallen", "report.most_risen"),
}
"""The headings of changed items, by whether the metric has a direction."""
LONGEST_QUESTION: Final = 100
LONGEST_REASON: Final = 160


def blocks(report: Report, words: Words) -> Iterator[Block]:
    """The outcome and the lists, for two results; a report that does not begin with lists has them on pages only."""
    if not report.is_pair:
        return
    main = main_metric(report)
    compared = report.comparison(report.tables[1].name, main)
    if compared is None:
        return
    yield _outcome(report, compared, words)
    yield PageOnly(partial(changed_items, report, main, words, REGRESSED, IMPROVED))
    most = len(report.tables[1]) if report.per_item else PRINTED
    for metric in report.changed:
        yield from changed_items(report, metric, words, most, most, on_page=False)


def _outcome(report: Report, compared: Comparison, words: Words) -> Outcome:
    same = compared.n - compared.wins - compared.losses
    numbers = {"better": compared.wins, "worse": compared.losses, "same": same}
    directed = is_directed(compared.metric)
    code = "report.changed_counts" if directed else "report.undirected_counts"
    counts = words(code, **{name: f"{number:,}" for name, number in numbers.items()})
    name = words.name("metric", compared.metric)
    before, after = cells.number(compared.b_mean), cells.number(compared.a_mean)
    title = f"{compared.b} → {compared.a}"
    return Outcome(
        title,
        compared.metric,
        words.name("headline", compared.metric),
        f"{counts} ({name})",
        report_verdicts(report, words),
        verdict_lines(compared, words),
        TONES.get(outcome_of(compared), "even") if directed else "even",
        **numbers,
        directed=directed,
        before=before,
        after=after,
        line=words.labelled(title, f"{name} {before} → {after}"),
    )


def changed_items(
    report: Report, metric: str, words: Words, worse: int, better: int, *, on_page: bool = True
) -> Iterator[ItemList]:
    """At most so many of the items that are worse and better in a metric, those that changed most first."""
    found = _changes(report, metric)
    titles = _TITLES[is_directed(metric)]
    sides = ((titles[0], found.worse, worse, 1), (titles[1], found.better, better, 0))
    for title, changed, most, chosen in sides:
        if changed:
            items = [_item(report, metric, change, words, chosen) for change in changed[:most]]
            more = words("gate.and_more", n=f"{len(changed) - most:,}") if len(changed) > most else ""
            shown = words.name("headline" if on_page else "metric", metric)
            heading = words.labelled(words(title), shown)
            yield ItemList(heading, items, on_page=on_page, more=more, place="changes")


def _changes(report: Report, metric: str) -> Changes:
    """The changes in a metric, found once for all languages."""
    key = f"changes in {metric}"
    if key not in report.kept:
        old, new = report.tables
        report.kept[key] = changes(new, old, metric)
    found: Changes = report.kept[key]
    return found


def _places(report: Report) -> list[dict[str, int]]:
    """The row of each item in each result."""
    if "places" not in report.kept:
        report.kept["places"] = [{item: row for row, item in enumerate(table.ids)} for table in report.tables]
    found: list[dict[str, int]] = report.kept["places"]
    return found


def _item(report: Report, metric: str, change: Change, words: Words, chosen: int) -> ListItem:
    scores = f"{cells.score(change.old)} → {cells.score(change.new)}"
    rows = [places[change.id] for places in _places(report)]
    return changed_item(change.id, scores, list(zip(report.tables, rows, strict=True)), metric, words, chosen=chosen)


def changed_item(
    identifier: str, scores: str, found: Sequence[tuple[Table, int]], metric: str, words: Words, *, chosen: int = -1
) -> ListItem:
    """An item with its scores and its question, found in these rows of these tables.

    Text has the reason of the table with the number `chosen`, and says if that is the earlier one; a page has all.
    """
    reasons = [excerpt(item_reason(table, row, metric, words), LONGEST_REASON) for table, row in found]
    outputs = [table.outputs[row] if table.outputs else None for table, row in found]
    questions = (str((output or {}).get("question") or "").strip() for output in outputs)
    question = next(filter(None, questions), "")
    title, _, rest = question.partition("\n")
    asked = excerpt(title, LONGEST_QUESTION)
    parts = [identifier, scores, *([asked] if asked and asked != identifier else [])]
    below = ["" if not asked or is_question(identifier, question) else identifier, excerpt(rest, LONGEST_REASON)]
    reason = reasons[chosen] if reasons else ""
    if reason and chosen == 0:
        reason = words("core.labelled", label=words("report.before"), message=reason)
    return ListItem(parts, reason, item=identifier, sides=reasons, below=[text for text in below if text])


def is_question(identifier: str, question: str) -> bool:
    """Whether an id is the question itself: the whole of it, or its beginning with a hash (`io.foreign.items`)."""
    line = " ".join(question.split())
    begin, _, cut = identifier.partition("… ")
    return identifier == line or (bool(cut) and line.startswith(begin))


def excerpt(text: str, longest: int) -> str:
    """The text in one line, cut after so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
