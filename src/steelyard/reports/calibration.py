"""What may be believed of a judged metric, as blocks: what the judge says, what people say, and how far they agree."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from steelyard.i18n import Message, Words
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, TableBlock
from steelyard.stats.agreement import clopper_pearson
from steelyard.stats.belief import Belief, Calibrations, Unknown
from steelyard.stats.calibration import Calibration, Design, Shares
from steelyard.stats.corrected import Corrected
from steelyard.stats.distributions import normal_quantile
from steelyard.stats.intervals import Interval
from steelyard.stats.scopes import Scope, scope_of
from steelyard.stats.summary import interval_list, known
from steelyard.table import Table

LABELS_SHOWN: Final = 100
"""The number of labels for which the precision of a corrected mean is given."""
_DESIGNS: Final[Mapping[Design, str]] = {
    "random": "calibration.design_random",
    "selected": "calibration.design_selected",
    "elsewhere": "calibration.design_elsewhere",
}

Line = list[str]


def belief_block(name: str, belief: Belief, words: Words) -> TableBlock:
    """Return what may be believed of the metric of a result, for readers who know no statistics."""
    metric, judge = words.name("metric", belief.metric), str(belief.judge)
    title = words("calibration.title", metric=metric, judge=judge) if judge else metric
    titled = words.labelled(name, title) if name else title
    notes = [words("calibration.none_hint")] if belief.calibration is None else []
    headings = ["", words("calibration.value"), words("report.interval"), ""]
    return TableBlock(headings, [*_belief_rows(belief, words)], titled, "judged", labels=4, notes=notes)


def _belief_rows(belief: Belief, words: Words) -> Iterator[Line]:
    raw, people, found = belief.raw, belief.people, belief.calibration
    lost = [words("calibration.without", n=f"{belief.without:,}")] if belief.without else []
    items = words.joined("core.clauses", [words("report.n_items", n=f"{raw.n:,}"), *lost])
    yield _row(words("calibration.judge_says"), raw.value, raw.interval, items)
    if belief.unknown is not None:
        yield _unknown_row(belief.unknown, words)
    if found is not None and people is not None:
        count = words("calibration.of_these" if people.n < raw.n else "calibration.of_all", n=f"{people.n:,}")
        yield _row(words("calibration.people_say"), people.value, people.interval, count)
    if found is not None:
        yield _corrected_row(words("calibration.corrected"), belief.corrected or belief.why, words)
        same = words("calibration.agreeing", same=f"{round(found.agreement * len(found)):,}", n=f"{len(found):,}")
        guess = words("calibration.constant", share=cells.percent(found.constant, words))
        kappa = found.kappa
        yield _row("κ", kappa.value, kappa.interval, words.joined("core.clauses", [same, guess]))
        yield [words("calibration.saved"), cells.percent(found.saved, words), "", words("calibration.saved_of")]
    counts = words("calibration.counts") if belief.advisory is None else words("calibration.advisory")
    why = "" if belief.advisory is None else belief.advisory.text(words.language)
    yield [words("calibration.in_a_gate"), counts, "", why]


def _unknown_row(unknown: Unknown, words: Words) -> Line:
    """Return the mean if everything unknown counts against the answers, or for them."""
    ends = cells.interval(Interval(unknown.low, unknown.high, "range"))
    policy = words.value("unknown", unknown.policy)
    return [words("calibration.range"), "", ends, words("calibration.range_of", n=f"{unknown.items:,}", policy=policy)]


def _corrected_row(name: str, found: Corrected | Message | None, words: Words) -> Line:
    if not isinstance(found, Corrected):
        return [name, cells.DASH, cells.DASH, "" if found is None else found.text(words.language)]
    return _row(name, found.estimate, found.interval, words.name("method", found.method))


def _row(name: str, value: float, interval: Interval, text: str) -> Line:
    return [name, cells.number(value), cells.interval(interval), text]


def belief_json(belief: Belief) -> dict[str, Any]:
    """Return the same for programs; unknown numbers are None."""
    found = belief.calibration
    return {
        "metric": belief.metric,
        "judge": {"name": belief.judge.name, "hash": belief.judge.hash, "model": belief.judge.model},
        "judge_says": belief.raw.as_dict(),
        "people_say": None if belief.people is None else belief.people.as_dict(),
        "unknown": None if belief.unknown is None else belief.unknown._asdict(),
        "corrected": None if belief.corrected is None else corrected_json(belief.corrected),
        "refused": None if belief.why is None else str(belief.why),
        "kappa": None if found is None else found.figures()["kappa"],
        "rho2": None if found is None else known(found.saved),
        "counts": belief.advisory is None,
        "advisory": None if belief.advisory is None else str(belief.advisory),
    }


def corrected_json(found: Corrected) -> dict[str, Any]:
    """Return a corrected mean or difference for programs."""
    return {"mean": known(found.estimate), "ci95": interval_list(found.interval), "method": found.method}


# --- a calibration by itself ---


def calibration_blocks(
    table: Table, calibration: Calibration, least_kappa: float, left_out: Mapping[str, int], words: Words
) -> list[Block]:
    """Return what a calibration found, and the mean of its result."""
    scope: Scope = scope_of("auto", table)
    belief = Calibrations([calibration], least_kappa).belief(table, calibration.metric, scope)
    rows = [*_agreement_rows(calibration, words), *_more_rows(calibration, words)]
    headings = ["", words("calibration.value"), words("report.interval"), ""]
    notes = [words.labelled(words(code), f"{count:,}") for code, count in left_out.items() if count]
    is_other_corrected = calibration.design != "random" or not calibration.is_of_whole
    notes += [words(_DESIGNS[calibration.design] if is_other_corrected else "calibration.design_random_whole")]
    notes += [words("calibration.label_of_whole")] if calibration.is_of_whole else []
    notes += [] if table.complete else [words("calibration.unfinished", n=f"{len(table):,}")]
    return [
        belief_block(table.name, belief, words),
        TableBlock(headings, rows, words("calibration.agreement"), labels=4, notes=notes),
        Fields(partial(_calibration_json, calibration, belief)),
    ]


def _calibration_json(calibration: Calibration, belief: Belief) -> dict[str, Any]:
    return {**calibration.as_dict(), "judged": belief_json(belief)}


def _agreement_rows(found: Calibration, words: Words) -> Iterator[Line]:
    if found.line is not None:
        yield _share_row(words("calibration.sensitivity"), found.sensitivity, words)
        yield _share_row(words("calibration.specificity"), found.specificity, words)
    if found.design != "random":
        on_these = words("calibration.on_labelled", n=f"{len(found):,}")
        yield [words("calibration.people_mean"), cells.number(float(found.labels.mean())), "", on_these]
        yield [words("calibration.judge_mean"), cells.number(float(found.verdicts.mean())), "", on_these]
    if found.unknown:
        labels = words("calibration.unknown_people", mean=cells.number(found.unknown_mean))
        yield [words("calibration.unknown"), f"{len(found.unknown):,}", "", labels]
    if found.exact_kappa is not None:
        yield _row(words("calibration.exact_kappa"), found.exact_kappa.value, found.exact_kappa.interval, "")
    yield _row("α", *found.alpha, words("calibration.alpha"))
    if found.ac1 is not None:
        yield _row("AC1", found.ac1.value, found.ac1.interval, words("calibration.ac1"))


def _share_row(name: str, share: Shares, words: Words) -> Line:
    agreeing, of = share
    if not of:
        return [name, cells.DASH, cells.DASH, ""]
    return [
        name,
        cells.percent(agreeing / of, words),
        cells.interval(clopper_pearson(agreeing, of)),
        f"{agreeing:,} / {of:,}",
    ]


def _more_rows(found: Calibration, words: Words) -> Iterator[Line]:
    """Yield how precise a mean with further labels is, what several people and several systems say."""
    with_judge, alone = (f"± {cells.number(_half_width(found, rho2))}" for rho2 in (found.saved, 0.0))
    if math.isfinite(found.saved):
        instead = words("calibration.instead_of", alone=alone)
        yield [words("calibration.precision", n=f"{LABELS_SHOWN:,}"), with_judge, "", instead]
    if found.between_people is not None:
        yield _row(words("calibration.between_people"), *found.between_people, "α")
    if found.alt_test is not None:
        test = found.alt_test
        outcome = words("calibration.alt_passed" if test.passes else "calibration.alt_failed")
        rate = words("calibration.advantage", share=cells.percent(test.advantage, words))
        text = words.joined("core.clauses", [outcome, rate])
        yield [words("calibration.alt_test"), cells.percent(test.winning_rate, words), "", text]
    if found.systems is not None:
        order = found.systems
        top = words("calibration.same_top" if order.top else "calibration.other_top")
        yield _row(words("calibration.tau"), order.tau, order.tau_interval, top)
        yield _row(words("calibration.tau_ap"), order.tau_ap, order.tau_ap_interval, "")


def _half_width(found: Calibration, rho2: float) -> float:
    """Return half of the interval of a mean with so many labels as are shown, and many verdicts."""
    return normal_quantile(0.975) * math.sqrt(float(found.labels.var()) * (1 - rho2) / LABELS_SHOWN)
