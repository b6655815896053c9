"""Agreement of reviewers with the judge and with one another, and the blocks that show it."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from steelyard import __version__
from steelyard.errors import ConfigError, InputError, Problem, UnknownName
from steelyard.i18n import Language, Message, Words, words_of
from steelyard.io.reviews import CHOSEN, Judgement, digest_of
from steelyard.reports import cells
from steelyard.reports.blocks import Block, Fields, TableBlock
from steelyard.stats.agreement import Kappa, clopper_pearson, clopper_pearson_upper, cohen_kappa, effective_size
from steelyard.stats.intervals import Interval, mean_interval
from steelyard.stats.review import CERTAIN, PASSED, PASSING, UNCERTAIN, passed, reviewable, verdict_metric
from steelyard.stats.summary import interval_list, known
from steelyard.table import FloatArray, Table

CONFIDENCE: Final = 0.95
OTHER_HINT: Final = Message("reports.sampled_file_hint")


@dataclass(frozen=True, slots=True)
class Rate:
    """Agreement over the decided verdicts, and the upper bound of the error rate at 95 %."""

    decided: int
    errors: int
    agreement: float
    interval: Interval
    error_upper: float

    def as_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "reviewed": self.decided,
            "disagreed": self.errors,
            "agreement": known(self.agreement),
            "ci95": interval_list(self.interval),
            "interval": self.interval.method,
            "error_upper95": known(self.error_upper),
        }


@dataclass(frozen=True, slots=True)
class ReviewAgreement:
    """One review: counts, the rate as drawn and, where verdicts were not drawn alike, by weight; kappa; by tag.

    `unheard` are strata of which nothing was reviewed; `upper_if_unsure` is the bound if all unsure ones were wrong.
    `left_out` counts verdicts that the reviewer chose: they are no part of a sample, and count only by themselves.
    """

    file: str
    judgements: Sequence[Judgement]
    rate: Rate
    weighted: Rate | None
    unheard: Sequence[str]
    upper_if_unsure: float
    kappa: Kappa
    by: Mapping[str, Rate]
    is_whole: bool
    left_out: int = 0

    @property
    def disagreements(self) -> list[Judgement]:
        """The verdicts that the reviewer rejects."""
        return [judgement for judgement in self.judgements if judgement.agree is False]

    @property
    def unsure(self) -> int:
        """The number of verdicts that the reviewer could not decide."""
        return sum(not judgement.is_decided and judgement.unsure for judgement in self.judgements)

    @property
    def reviewers(self) -> list[str]:
        """The names of the reviewers."""
        return list(dict.fromkeys(judgement.reviewer for judgement in self.judgements if judgement.reviewer))

    @property
    def bound(self) -> float:
        """The bound on the judge's error rate."""
        return (self.weighted or self.rate).error_upper


@dataclass(frozen=True, slots=True)
class Between:
    """Two reviews of the same verdicts: kappa of the reviewers' own verdicts, and the items on which they differ."""

    a: str
    b: str
    both: int
    same: int
    kappa: Kappa
    differ: Sequence[tuple[Judgement, Judgement]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """All reviews of a result."""

    table: Table
    metric: str
    population: int
    tag: str | None
    reviews: Sequence[ReviewAgreement]
    between: Sequence[Between]


def agree(table: Table, reviews: Mapping[str, Sequence[Judgement]], *, by: str | None = None) -> Agreement:
    """Return how far the reviews agree with the judge; each must be of this result."""
    metric = _common_metric(table, reviews)
    for judgements in reviews.values():
        _check(table, judgements)
    tag = by or ("type" if "type" in table.tags else None)
    if tag is not None and tag not in table.tags:
        raise UnknownName.of(Message("words.tag"), tag, table.tags, where=table.name)
    own = {file: _own_verdicts(table, metric, judgements) for file, judgements in reviews.items()}
    return Agreement(
        table,
        metric,
        len(reviewable(table, metric)),
        tag,
        [_review(table, metric, tag, file, judgements) for file, judgements in reviews.items()],
        [_between(reviews, own, a, b) for a, b in combinations(reviews, 2)],
    )


def as_json(agreement: Agreement) -> dict[str, Any]:
    """Return all of it for the command line's JSON."""
    return {
        "steelyard": __version__,
        "kind": "agreement",
        "signature": str(agreement.table.signature),
        "name": agreement.table.name,
        "result": digest_of(agreement.table),
        "metric": agreement.metric,
        "population": agreement.population,
        "reviews": [_review_json(review, agreement.tag) for review in agreement.reviews],
        "between": [
            {
                "a": between.a,
                "b": between.b,
                "both": between.both,
                "same": between.same,
                "kappa": _kappa_json(between.kappa),
                "differ": [
                    {"id": one.id, "verdict": one.verdict, "a": one.agree, "b": other.agree}
                    for one, other in between.differ
                ],
            }
            for between in agreement.between
        ],
    }


def check_result(table: Table, judgements: Sequence[Judgement]) -> None:
    """Refuse judgements of another result, or of items that it does not have."""
    digest, ids = digest_of(table), set(table.ids)
    other = next((judgement for judgement in judgements if judgement.result != digest), None)
    if other is not None:
        message = Message("reports.review_of_other_result", result=other.result, digest=digest)
        raise InputError(message, where=other.where, hint=OTHER_HINT)
    unknown = [
        Problem(judgement.where, Message("reports.no_item_called", id=judgement.id))
        for judgement in judgements
        if judgement.id not in ids
    ]
    if unknown:
        raise InputError.of(unknown)


def _check(table: Table, judgements: Sequence[Judgement]) -> None:
    check_result(table, judgements)
    if not any(judgement.is_decided for judgement in judgements):
        file = judgements[0].where.rpartition(":")[0]
        raise InputError(Message("reports.nothing_reviewed"), where=file, hint=Message("reports.agree_where_reviewed"))


def _common_metric(table: Table, reviews: Mapping[str, Sequence[Judgement]]) -> str:
    metrics = list(dict.fromkeys(judgement.metric for judgements in reviews.values() for judgement in judgements))
    if len(metrics) != 1:
        raise ConfigError(
            Message("reports.reviews_several_metrics", names=", ".join(metrics)),
            hint=Message("reports.one_metric_hint"),
        )
    return verdict_metric(table, metrics[0])


def _review(table: Table, metric: str, tag: str | None, file: str, given: Sequence[Judgement]) -> ReviewAgreement:
    is_whole = sum(judgement.is_decided for judgement in given) == len(reviewable(table, metric))
    judgements = given if is_whole else _sampled(given)
    decided = [judgement for judgement in judgements if judgement.is_decided]
    weights = dict.fromkeys((judgement.id for judgement in decided), 1.0) if is_whole else _weights(decided)
    is_even = math.isclose(min(weights.values()), max(weights.values()), rel_tol=1e-9)
    weighted = partial(_weighted_rate, weights=weights)
    plain = _whole_rate if is_whole else _rate
    values = {} if tag is None else dict(zip(table.ids, table.tags[tag], strict=True))
    by_value: dict[str, list[Judgement]] = {}
    for judgement in decided if values else ():
        by_value.setdefault(values[judgement.id], []).append(judgement)
    return ReviewAgreement(
        file=file,
        judgements=judgements,
        rate=plain(decided),
        weighted=None if is_even else weighted(decided),
        unheard=sorted(_strata(judgements) - {judgement.sampling.stratum for judgement in decided}),
        upper_if_unsure=_upper_if_unsure(judgements, is_even=is_even),
        kappa=cohen_kappa(_judge_against_reviewer(table, metric, decided, weights)),
        by={value: (plain if is_even else weighted)(of_value) for value, of_value in by_value.items()},
        is_whole=is_whole,
        left_out=len(given) - len(judgements),
    )


def _sampled(judgements: Sequence[Judgement]) -> Sequence[Judgement]:
    """Return the judgements of drawn verdicts; all of them if none of those is decided."""
    drawn = [judgement for judgement in judgements if judgement.sampling.by != CHOSEN]
    return drawn if any(judgement.is_decided for judgement in drawn) else judgements


def _strata(judgements: Sequence[Judgement]) -> set[str]:
    """Return the strata of the result: those of the sample, and the certain verdicts where uncertain ones filled it."""
    strata = {judgement.sampling.stratum: judgement.sampling for judgement in judgements}
    covered = sum(sampling.of for sampling in strata.values())
    is_cut = any(sampling.by == UNCERTAIN and covered < sampling.population for sampling in strata.values())
    return {*strata, *([CERTAIN] if is_cut else [])}


def _upper_if_unsure(judgements: Sequence[Judgement], *, is_even: bool) -> float:
    doubted = [
        replace(judgement, agree=False) if judgement.unsure and not judgement.is_decided else judgement
        for judgement in judgements
    ]
    decided = [judgement for judgement in doubted if judgement.is_decided]
    return (_rate(decided) if is_even else _weighted_rate(decided, _weights(decided))).error_upper


def _weights(decided: Sequence[Judgement]) -> dict[str, float]:
    """How many verdicts each reviewed one represents: the size of its stratum by how many of it were reviewed."""
    reviewed = Counter(judgement.sampling.stratum for judgement in decided)
    return {judgement.id: judgement.sampling.of / reviewed[judgement.sampling.stratum] for judgement in decided}


def _rate(decided: Sequence[Judgement]) -> Rate:
    agreed = np.array([float(bool(judgement.agree)) for judgement in decided])
    errors = int(len(agreed) - agreed.sum())
    upper = clopper_pearson_upper(errors, len(agreed), confidence=CONFIDENCE)
    return Rate(len(agreed), errors, float(agreed.mean()), mean_interval(agreed, method="wilson"), upper)


def _whole_rate(decided: Sequence[Judgement]) -> Rate:
    """Return the rate where every verdict was reviewed, which has no sampling error."""
    rate = _rate(decided)
    exact = Interval(rate.agreement, rate.agreement, "all reviewed")
    return replace(rate, interval=exact, error_upper=rate.errors / rate.decided)


def _weighted_rate(decided: Sequence[Judgement], weights: Mapping[str, float]) -> Rate:
    """Return each verdict by its weight; interval and bound as Korn and Graubard (1998), with the effective number."""
    trials = effective_size([weights[judgement.id] for judgement in decided])
    wrong = [weights[judgement.id] for judgement in decided if not judgement.agree]
    errors = math.fsum(wrong) / math.fsum(weights[judgement.id] for judgement in decided)
    upper = clopper_pearson_upper(errors * trials, trials, confidence=CONFIDENCE)
    return Rate(len(decided), len(wrong), 1 - errors, clopper_pearson((1 - errors) * trials, trials), upper)


def _judge_against_reviewer(
    table: Table, metric: str, decided: Sequence[Judgement], weights: Mapping[str, float]
) -> FloatArray:
    """Not passed and passed, by the judge down and the reviewer across, adding up to the effective number."""
    judge = dict(zip(table.ids, passed(table, metric).tolist(), strict=True))
    person = _own_verdicts(table, metric, decided)
    counts = np.zeros((2, 2))
    for judgement in decided:
        counts[int(judge[judgement.id]), int(person[judgement.id])] += weights[judgement.id]
    return np.asarray(counts * (effective_size(list(weights.values())) / counts.sum()))


def _own_verdicts(table: Table, metric: str, judgements: Sequence[Judgement]) -> dict[str, bool]:
    """Return the verdicts of the reviewer: as corrected, else that of the judge where they agree, else the opposite."""
    judge = dict(zip(table.ids, passed(table, metric).tolist(), strict=True))
    is_recorded = PASSED in table.parts.get(metric, {})
    own: dict[str, bool] = {}
    for judgement in judgements:
        if judgement.is_decided and judgement.id in judge:
            corrected = _corrected(judgement, is_recorded=is_recorded)
            own[judgement.id] = judge[judgement.id] == judgement.agree if corrected is None else corrected
    return own


def _corrected(judgement: Judgement, *, is_recorded: bool) -> bool | None:
    """Whether a corrected verdict is a pass; None if the correction does not say so."""
    if PASSED in judgement.parts:
        return judgement.parts[PASSED] == 1
    return None if judgement.score is None or is_recorded else judgement.score >= PASSING


def _between(
    reviews: Mapping[str, Sequence[Judgement]], own: Mapping[str, Mapping[str, bool]], a: str, b: str
) -> Between:
    both = [identifier for identifier in own[a] if identifier in own[b]]
    counts = np.zeros((2, 2))
    for identifier in both:
        counts[int(own[a][identifier]), int(own[b][identifier])] += 1
    by_id = [{judgement.id: judgement for judgement in reviews[file]} for file in (a, b)]
    differ = [(by_id[0][item], by_id[1][item]) for item in both if own[a][item] != own[b][item]]
    return Between(a, b, len(both), len(both) - len(differ), cohen_kappa(counts), differ)


def _review_json(review: ReviewAgreement, tag: str | None) -> dict[str, Any]:
    return {
        "file": review.file,
        "reviewers": review.reviewers,
        "sampled": len(review.judgements),
        **review.rate.as_dict(),
        "unsure": review.unsure,
        "open": len(review.judgements) - review.rate.decided - review.unsure,
        "error_upper95_if_unsure_are_wrong": known(review.upper_if_unsure),
        "weighted": review.weighted.as_dict() if review.weighted else None,
        "not_covered": list(review.unheard),
        **({"left_out": review.left_out} if review.left_out else {}),
        "kappa": _kappa_json(review.kappa),
        "by": {tag: {value: rate.as_dict() for value, rate in review.by.items()}} if tag else {},
        "disagreements": [
            {
                "id": each.id,
                "verdict": each.verdict,
                "remark": each.remark,
                "reviewer": each.reviewer,
                **({} if each.score is None else {"score": each.score}),
            }
            for each in review.disagreements
        ],
    }


def _kappa_json(kappa: Kappa) -> dict[str, Any]:
    return {"value": known(kappa.value), "ci95": interval_list(kappa.interval)}


def agreement_blocks(agreement: Agreement, language: Language = "en") -> list[Block]:
    """Return the blocks in the order of the reviews."""
    return [*_tables(agreement, words_of(language)), Fields(partial(as_json, agreement))]


def _tables(agreement: Agreement, words: Words) -> Iterator[TableBlock]:
    for review in agreement.reviews:
        yield _rates_block(agreement, review, words)
        if len(review.by) > 1:
            yield _by_block(agreement.tag or "", review, words)
        if review.disagreements:
            yield _disagreements_block(review, words)
    for between in agreement.between:
        counted = f"{between.same} / {between.both} {words('review.same')}"
        kappa = _kappa_row(words("review.kappa_persons"), between.kappa, counted)
        yield _named_rows(f"{between.a} – {between.b}", [kappa], words)
        if between.differ:
            rows = [
                [
                    one.id,
                    *(words("review.agree" if each.agree else "review.disagree") for each in (one, other)),
                    f"{one.remark} {other.remark}",
                ]
                for one, other in between.differ
            ]
            headings = ["id", between.a, between.b, words("review.remark")]
            yield TableBlock(headings, rows, words("review.differ_on"), labels=4)


def _disagreements_block(review: ReviewAgreement, words: Words) -> TableBlock:
    """Return the rejected verdicts; what they should have been, if some were corrected."""
    scores = [cells.DASH if each.score is None else cells.number(each.score, 2) for each in review.disagreements]
    is_shown = any(each.score is not None for each in review.disagreements)
    rows = [
        [each.id, cells.number(each.verdict, 2), *([score] if is_shown else []), each.remark]
        for each, score in zip(review.disagreements, scores, strict=True)
    ]
    codes = ["review.verdict_score", *(["review.corrected_score"] if is_shown else []), "review.remark"]
    return TableBlock(["id", *map(words, codes)], rows, words("review.disagreements"), labels=len(codes) + 1)


def _rates_block(agreement: Agreement, review: ReviewAgreement, words: Words) -> TableBlock:
    """Agreement, kappa and the bound on wrong verdicts, with notes about the sample."""
    who = f" ({words.joined('core.listed', review.reviewers)})" if review.reviewers else ""
    wrong = f"{review.rate.errors} / {review.rate.decided} {words('review.wrong')}"
    sampled = words.joined("core.clauses", [wrong, words("review.one_sided")])
    bound = words("review.no_chance_left") if review.is_whole else sampled
    rows = [
        _rate_row(words("review.agreement"), review.rate, words),
        *([_rate_row(words("review.agreement_weighted"), review.weighted, words)] if review.weighted else []),
        _kappa_row(words("review.kappa_judge"), review.kappa),
        [words("review.wrong_at_most"), cells.percent(review.bound, words), "", bound],
    ]
    title = f"{agreement.table.name} · {words.name('headline', agreement.metric)} · {review.file}{who}"
    return replace(_named_rows(title, rows, words), notes=list(_notes(agreement, review, words)))


def _named_rows(title: str, rows: Sequence[Sequence[str]], words: Words) -> TableBlock:
    """Rows of a name, a number, its interval and a text."""
    return TableBlock(["", "", words("report.interval"), ""], rows, title, labels=4)


def _rate_row(name: str, rate: Rate, words: Words) -> list[str]:
    counted = f"{rate.decided - rate.errors} / {rate.decided} {words('review.reviewed')}"
    return [name, cells.number(rate.agreement), cells.interval(rate.interval), counted]


def _kappa_row(name: str, kappa: Kappa, counted: str = "") -> list[str]:
    return [name, cells.number(kappa.value), cells.interval(kappa.interval), counted]


def _notes(agreement: Agreement, review: ReviewAgreement, words: Words) -> Iterator[str]:
    sampling = review.judgements[0].sampling
    unread = len(review.judgements) - review.rate.decided - review.unsure
    counts = f"{len(review.judgements)} / {agreement.population} {words('review.sampled')}"
    by = [f"{words('review.by')} {sampling.by}"] if sampling.by else []
    drawn = words.joined("core.comma", [f"{words('report.seed')} {sampling.seed}", *by])
    rest = f"{review.unsure} {words('review.unsure')} · {unread} {words('review.still_open')}"
    yield f"{counts} ({drawn}) · {rest}"
    if sampling.by == CHOSEN and not review.is_whole:
        yield words("review.chosen")
    if review.left_out:
        yield f"{review.left_out:,} {words('review.chosen_left_out')}"
    if review.weighted:
        yield words("review.weighted")
    if review.unheard:
        yield words.labelled(words("review.nothing_known_of"), words.joined("core.listed", review.unheard))
    if review.unsure and not review.is_whole:
        yield f"{words('review.if_unsure_wrong')} {cells.percent(review.upper_if_unsure, words)}"


def _by_block(tag: str, review: ReviewAgreement, words: Words) -> TableBlock:
    codes = ("review.agreement", "report.interval", "review.reviewed", "review.wrong_at_most")
    rows = [
        [
            words.value(tag, value) or cells.DASH,
            cells.number(rate.agreement),
            cells.interval(rate.interval),
            str(rate.decided),
            cells.percent(rate.error_upper, words),
        ]
        for value, rate in review.by.items()
    ]
    name = words.name("tag", tag)
    return TableBlock([name, *map(words, codes)], rows, words.labelled(review.file, name))
