"""What changed from one result to another: the outcome, and the items that changed most, regressions first."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from steelyard.i18n import Words
from steelyard.registry.kinds import is_directed
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Details, ItemList, ListItem, ListRole, Outcome
from steelyard.reports.content import PAIR, Report
from steelyard.reports.kinds import item_reason
from steelyard.reports.sections import section
from steelyard.reports.verdicts import TONES, outcome_of, verdict_lines
from steelyard.stats.compare import Comparison
from steelyard.table import Table

LISTED: Final = 5
"""So many items each way are listed, unless the scores of all items are asked for."""
REGRESSED, IMPROVED = 10, 5
"""So many items are details, in the metric of the headline."""
_TITLES: Final = {
    True: ("report.most_regressed", "report.most_improved"),
    False: ("report.most_fallen", "report.most_risen"),
}
"""The headings of changed items, by whether the metric has a direction."""
LONGEST_QUESTION: Final = 100
LONGEST_REASON: Final = 160


@section(4, *PAIR)
def blocks(report: Report, words: Words) -> Iterator[Block]:
    """Yield the outcome and the lists; those of the metrics that a report begins with are no details."""
    main = report.main
    compared = report.comparison(report.tables[1].name, main)
    if compared is None:
        return
    yield _outcome(compared, words)
    yield Details(partial(changed_items, report, main, words, REGRESSED, IMPROVED))
    most = len(report.tables[1]) if report.per_item else LISTED
    for metric in report.changed:
        yield from changed_items(report, metric, words, most, most, role="changed")


def _outcome(compared: Comparison, words: Words) -> Outcome:
    numbers = {"better": compared.wins, "worse": compared.losses, "same": compared.ties}
    directed = is_directed(compared.metric)
    code = "report.changed_counts" if directed else "report.undirected_counts"
    counts = words(code, **{name: f"{number:,}" for name, number in numbers.items()})
    name, headline = words.name("metric", compared.metric), words.name("headline", compared.metric)
    sentences = verdict_lines(compared, words)
    before, after = cells.number(compared.b_mean), cells.number(compared.a_mean)
    title = f"{compared.b} → {compared.a}"
    return Outcome(
        title,
        compared.metric,
        headline,
        sentences,
        [
            words.labelled(title, f"{name} {before} → {after}"),
            *(words.labelled(headline, line) for line in sentences),
            f"{counts} ({name})",
        ],
        TONES.get(outcome_of(compared), "even") if directed else "even",
        **numbers,
        directed=directed,
        before=before,
        after=after,
    )


def changed_items(
    report: Report, metric: str, words: Words, worse: int, better: int, *, role: ListRole = "most_changed"
) -> Iterator[ItemList]:
    """At most so many of the items that are worse and better in a metric, those that changed most first."""
    found = report.changes(report.tables[1].name, metric)
    titles = _TITLES[is_directed(metric)]
    sides = ((titles[0], found.worse, worse, 1), (titles[1], found.better, better, 0))
    for title, changed, most, chosen in sides:
        if changed:
            items = [
                changed_item(
                    each.id,
                    f"{cells.score(each.old)} → {cells.score(each.new)}",
                    [(table, rows[each.id]) for table, rows in zip(report.tables, report.rows, strict=True)],
                    metric,
                    words,
                    chosen=chosen,
                )
                for each in changed[:most]
            ]
            more = words("gate.and_more", n=f"{len(changed) - most:,}") if len(changed) > most else ""
            shown = words.name("metric" if role == "changed" else "headline", metric)
            heading = words.labelled(words(title), shown)
            yield ItemList(heading, items, role=role, more=more)


def changed_item(
    identifier: str, scores: str, found: Sequence[tuple[Table, int]], metric: str, words: Words, *, chosen: int = -1
) -> ListItem:
    """Return an item with its scores and its question, found in these rows of these tables.

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
    """Return the text in one line, cut after so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
