"""Labels of people beside verdicts: from a review of a result, from columns of any rows, or from two files of qrels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.errors import BadValue, ConfigError, InputError, UnknownName, cut, nearest_only
from steelyard.i18n import Message
from steelyard.io.records import Record, format_suffix, is_record_format, read_records, result_name
from steelyard.io.results import begins_with_header, load
from steelyard.io.reviews import CHOSEN, Judgement, digest_of, read_review
from steelyard.io.shapes import DECIMAL
from steelyard.judges.run import Source
from steelyard.judges.spec import RELEVANT, UNKNOWN
from steelyard.registry.kinds import is_lower_better
from steelyard.registry.names import column_called
from steelyard.retrieval.evaluate import evaluate_retrieval
from steelyard.retrieval.reading.rankings import Qrels
from steelyard.retrieval.reading.sources import qrels_from
from steelyard.stats.belief import MOST_UNDECIDED
from steelyard.stats.calibration import CLAIM, Calibration, Design, JudgeName, column_digest
from steelyard.stats.ranks import SystemAgreement, system_agreement
from steelyard.stats.review import DOUBTFUL, UNCERTAIN
from steelyard.stats.scopes import CLUSTER_TAG, clusters_of, scope_of
from steelyard.table import Column, FloatArray, Missing, Signature, Table

GRADE: Final = "grade"
"""The metric of a calibration of qrels."""
_UNKNOWN: Final = frozenset((UNKNOWN, "idk", "cannot_tell", "n/a", ""))
_WORDS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("true", "yes", "correct", "right", "pass", "passed", "是", "对", "正确"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong", "fail", "failed", "否", "错", "错误"), 0.0),
}
_NO_SAMPLE: Final = (UNCERTAIN, DOUBTFUL, CHOSEN)
_EVEN: Final = 1.5
"""How much likelier one verdict of a sample may have been drawn than another."""


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Where labels and verdicts are, and how they are read.

    `labels` are columns of people, several of several people; `positive` are the values that count 1, all others 0.
    Labels that are a `random` sample of the verdicts allow a correction by PPI++. Verdicts that the judge did not know
    are left out, or count against the answer. `topics` and `systems` are columns.
    """

    metric: str | None = None
    labels: Sequence[str] = ()
    positive: Sequence[str] = ()
    random: bool = False
    against: bool = False
    topics: str | None = None
    systems: str | None = None
    runs: Sequence[str] = ()
    run_metric: str = "nDCG@10"


class Labelled(NamedTuple):
    """The result whose verdicts have labels, its calibration, and how many labels could not be used, by why."""

    table: Table
    calibration: Calibration
    left_out: Mapping[str, int] = {}


def read_labelled(path: str, others: str | None, settings: LabelSettings) -> Labelled:
    """Read verdicts and labels: a result and its review, two files of qrels, or columns of one file or two."""
    if others is not None and not is_record_format(format_suffix(path)):
        return _of_qrels(path, others, settings)
    if others is not None and not settings.labels:
        if not _is_review(others):
            raise ConfigError(Message("calibration.no_labels"), where=others, hint=Message("calibration.labels_hint"))
        return _of_review(path, others, settings)
    if not settings.labels:
        raise ConfigError(Message("calibration.no_labels"), where=path, hint=Message("calibration.labels_hint"))
    return _of_columns(path, others, settings)


# --- a review of a result ---


def _is_review(path: str) -> bool:
    """Return whether some line of a file has a judgement of a reviewer."""
    return any({"agree", "verdict", "metric"} & record.fields.keys() for record in read_records(path)[0])


def _of_review(path: str, review: str, settings: LabelSettings) -> Labelled:
    """Return the labels of the people who have reviewed a result; a verdict that is accepted is its own label."""
    table = load(path)
    read = [each for each in read_review(review) if not each.is_by_model]
    judgements = [each for each in read if each.is_decided]
    if not judgements:
        hint = Message("calibration.nothing_reviewed_hint")
        raise InputError(Message("calibration.nothing_reviewed"), where=review, hint=hint)
    _check_review(table, judgements, settings)
    drawn = [each for each in judgements if each.sampling.by != CHOSEN] or judgements
    scores = dict(zip(table.ids, table.column(drawn[0].metric).tolist(), strict=True))
    is_binary = {score for score in scores.values() if not math.isnan(score)} <= {0.0, 1.0}
    for each in drawn:
        if not each.agree and each.score == each.verdict:
            raise InputError(Message("calibration.rejected_alike", id=each.id), where=each.where)
    labels = {each.id: _label_of(each, is_binary=is_binary) for each in drawn}
    if unclear := sum(map(math.isnan, labels.values())):
        hint = Message("calibration.no_score_hint")
        raise InputError(Message("calibration.no_score", n=unclear), where=review, hint=hint)
    samples = {(each.sampling.seed, each.sampling.by, each.sampling.n) for each in drawn}
    undecided = sum(n for *_, n in samples) - len(drawn)
    left_out = {
        "calibration.chosen": len(judgements) - len(drawn),
        "calibration.not_decided": max(undecided, 0),
    }
    is_random = _is_even(drawn) and 0 <= undecided <= MOST_UNDECIDED * len(drawn)
    found = np.array([[labels.get(name, math.nan) for name in table.ids]])
    return _labelled(table, drawn[0].metric, found, "random" if is_random else "selected", left_out)


def _check_review(table: Table, judgements: Sequence[Judgement], settings: LabelSettings) -> None:
    """Refuse a review of another result, or of another metric than the one that is asked for."""
    first = judgements[0]
    if first.result != digest_of(table):
        hint = Message("reports.sampled_file_hint")
        message = Message("reports.review_of_other_result", result=first.result, digest=digest_of(table))
        raise InputError(message, where=first.where, hint=hint)
    if settings.metric is not None and column_called(settings.metric, table.columns) != first.metric:
        raise ConfigError(Message("calibration.review_of_metric", metric=first.metric), where=first.where)
    unknown = next((each for each in judgements if each.id not in table.ids), None)
    if unknown is not None:
        raise InputError(Message("calibration.unknown_item", name=unknown.id), where=unknown.where)


def _is_even(drawn: Sequence[Judgement]) -> bool:
    """Return whether all items were about as likely to be drawn: by chance, or in proportion from strata."""
    if any(each.sampling.by in _NO_SAMPLE for each in drawn):
        return False
    chances = [each.sampling.drawn / each.sampling.of for each in drawn]
    return max(chances) <= _EVEN * min(chances)


def _label_of(judgement: Judgement, *, is_binary: bool) -> float:
    """Return what a reviewer says the score should be; NaN if a score of more than two is only rejected."""
    if judgement.score is not None:
        return judgement.score
    if judgement.agree:
        return judgement.verdict
    return 1 - judgement.verdict if is_binary else math.nan


# --- columns of rows ---


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows with named values, each with its id and its place; `table` is the result that they are of, if any."""

    path: str
    ids: Sequence[str]
    columns: Mapping[str, Sequence[Any]]
    places: Sequence[str]
    table: Table | None = None
    has_ids: bool = True

    @classmethod
    def read(cls, path: str, names: Sequence[str]) -> "_Rows":
        """Read a results file, or rows that have these columns, or a file of scores of another tool."""
        records = [] if begins_with_header(path) else read_records(path)[0]
        if any({*names} <= each.fields.keys() for each in records):
            return cls._of_records(path, records)
        try:
            table = load(path)
        except InputError as error:
            if error.message.code == "formats.no_result":  # it has no line at all
                raise InputError(Message("formats.no_rows"), where=path) from None
            known = dict.fromkeys(name for each in records for name in each.fields)
            lacking = [name for name in names if name not in known]
            if error.message.code != "formats.no_scores" or not lacking:
                raise
            raise UnknownName.of(Message("words.column"), lacking[0], [*known], where=path) from None
        scores = {metric: table.column(metric).tolist() for metric in table.columns}
        return cls(path, table.ids, {**table.tags, **scores}, [path] * len(table), table)

    @classmethod
    def beside(cls, path: str, table: Table | None, names: Sequence[str]) -> "_Rows":
        """Read rows with labels for the items of a result; rows without ids have those that results give them.

        Such ids are questions, in any order, or else numbers, which say the same only where all rows are there.
        """
        rows = cls.read(path, names)
        if rows.has_ids or table is None:
            return rows
        found = Source(path, tags=names).read(()).rows
        ids, known = [row.id for row in found], {*table.ids}
        are_questions = known.issuperset(ids) and all(row.id == row.question for row in found)
        if not are_questions and ids[: len(table)] != [*table.ids]:
            return rows
        columns = {name: [row.tags.get(name) for row in found] for name in names}
        return cls(path, [row.id for row in found], columns, [path] * len(found))

    @classmethod
    def _of_records(cls, path: str, records: Sequence[Record]) -> "_Rows":
        names = dict.fromkeys(name for each in records for name in each.fields)
        columns = {name: [each.fields.get(name) for each in records] for name in names}
        ids = [str(each.fields.get("id", each.number)) for each in records]
        has_ids = all("id" in each.fields for each in records)
        return cls(path, ids, columns, [each.where for each in records], has_ids=has_ids)

    def with_unique_ids(self, name: str | None) -> "_Rows":
        """Return the rows with ids that the values of a column complete; an id that two rows have is refused."""
        ids = (
            self.ids
            if name is None
            else [f"{one} {other}" for one, other in zip(self.ids, self.values(name), strict=True)]
        )
        first: dict[str, int] = {}
        for row, identifier in enumerate(ids):
            if first.setdefault(identifier, row) != row:
                message = Message("calibration.same_id", name=identifier, place=self.places[first[identifier]])
                raise InputError(message, where=self.places[row], hint=Message("calibration.same_id_hint"))
        return replace(self, ids=ids)

    def values(self, name: str) -> Sequence[Any]:
        """Return a column."""
        if name not in self.columns:
            raise UnknownName.of(Message("words.column"), name, self.columns, where=self.path)
        return self.columns[name]

    def numbers(self, name: str, positive: Sequence[str]) -> FloatArray:
        """Return a column as numbers; NaN for nothing and for what means unknown."""
        found = np.full(len(self.ids), np.nan)
        for row, value in enumerate(self.values(name)):
            try:
                found[row] = _number(value, positive)
            except BadValue as error:
                hint = Message("calibration.positive_hint")
                raise InputError(error.message, where=self.places[row], hint=hint) from None
        return found

    def aligned(self, ids: Sequence[str], values: FloatArray) -> FloatArray:
        """Return values of these rows for other ids; NaN for ids that they do not have."""
        by_id = dict(zip(self.ids, values.tolist(), strict=True))
        return np.array([by_id.get(name, np.nan) for name in ids])


def _number(value: Any, positive: Sequence[str]) -> float:
    """Return a label or a verdict as a number; words that are named as positive are 1, then all other words are 0.

    Numbers stay what they are, unless numbers are named as positive.
    """
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    text = "" if value is None else str(value).strip().casefold()
    is_word = isinstance(value, str | bool) or all(map(_is_decimal, positive))
    if positive and is_word and text not in _UNKNOWN - {*positive}:
        return float(any(text == each or _same_number(text, each) for each in positive))
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return float(value)
    if text in _UNKNOWN:
        return math.nan
    if text in _WORDS:
        return _WORDS[text]
    if _is_decimal(text):
        return float(text)
    raise BadValue(Message("calibration.no_number", value=cut(str(value), 60)))


def _is_decimal(text: str) -> bool:
    return DECIMAL.fullmatch(text) is not None and math.isfinite(float(text))


def _same_number(text: str, other: str) -> bool:
    return _is_decimal(text) and _is_decimal(other) and float(text) == float(other)


def _of_columns(path: str, others: str | None, settings: LabelSettings) -> Labelled:
    given = [name for name in (settings.metric, settings.topics, settings.systems) if name]
    rows = _Rows.read(path, [*given, *(settings.labels if others is None else ())])
    people = rows if others is None else _Rows.beside(others, rows.table, settings.labels)
    metric = _metric_of(rows, settings)
    if others is None and rows.table is not None and rows.table.signature.get("unit") == CLAIM:
        raise ConfigError(Message("calibration.label_of_answers"), where=path, hint=Message("calibration.label_claims"))
    _check_people(rows, people, metric, settings)
    positive = [value.strip().casefold() for value in settings.positive]
    verdicts = rows.numbers(metric, positive)
    columns = [people.numbers(name, positive) for name in settings.labels]
    if others is not None:
        for each in (rows, people):
            if not each.has_ids:
                raise InputError(
                    Message("calibration.no_ids"), where=each.path, hint=Message("calibration.no_ids_hint")
                )
        rows, people = (each.with_unique_ids(None) for each in (rows, people))
        columns = [people.aligned(rows.ids, each) for each in columns]
    elif rows.table is None:
        rows = rows.with_unique_ids(settings.systems)
    labels = np.vstack(columns)
    if np.isnan(labels).all():
        ids = {"ours": rows.ids[0], "theirs": people.ids[0]}
        raise InputError(
            Message("calibration.no_label_fits"), where=others or path, hint=Message("calibration.ids_hint", **ids)
        )
    table = _table(rows, metric, verdicts, settings)
    found = _labelled(table, metric, labels, "random" if settings.random else "elsewhere")
    return found._replace(calibration=_with_systems(found.calibration, rows, verdicts, settings))


def _check_people(rows: _Rows, people: _Rows, metric: str, settings: LabelSettings) -> None:
    """Refuse labels that are verdicts of a judge, and values that count as right but are nowhere."""
    table = people.table
    judged = set() if table is None else {*table.judges, *(() if table.kind == "scores" else table.columns)}
    for name in settings.labels:
        if name not in people.columns and people.table is not None and not nearest_only(name, people.columns):
            hint = Message("calibration.column_hint", name=name, result=rows.path)
            raise InputError(
                Message("core.unknown_name", what=Message("words.column"), name=name), where=people.path, hint=hint
            )
        if name in judged or name == metric:
            raise ConfigError(Message("calibration.label_is_verdict", name=name), where=people.path)
    columns = [rows.values(metric), *map(people.values, settings.labels)]
    values = {str(value).strip().casefold() for column in columns for value in column}
    for value in settings.positive:
        text = value.strip().casefold()
        if not any(text == each or _same_number(text, each) for each in values):
            raise UnknownName.of(Message("words.value"), value, sorted(values), where=people.path)


def _metric_of(rows: _Rows, settings: LabelSettings) -> str:
    if settings.metric:
        return settings.metric if rows.table is None else column_called(settings.metric, rows.table.columns)
    if rows.table is None:
        raise ConfigError(
            Message("calibration.no_verdicts"), where=rows.path, hint=Message("calibration.verdicts_hint")
        )
    return rows.table.main or rows.table.metrics[0]


def _table(rows: _Rows, metric: str, verdicts: FloatArray, settings: LabelSettings) -> Table:
    """Return the result of the rows, with the topic of each as its document; unknown verdicts count as asked."""
    lost = np.isnan(verdicts)
    if settings.against and not lost.all():
        verdicts, lost = np.where(lost, _worst(metric, verdicts), verdicts), np.zeros(len(verdicts), np.bool_)
    reasons = (Missing("unscored", Message("missing.judge_unknown")),)
    column = Column(verdicts, lost.astype(np.int64), reasons)
    topics = {} if settings.topics is None else {CLUSTER_TAG: [str(value) for value in rows.values(settings.topics)]}
    if rows.table is not None:
        is_same = not settings.against
        kept = rows.table if is_same else replace(rows.table, columns={**rows.table.columns, metric: column})
        return replace(kept, tags={**kept.tags, **topics})
    signature = Signature.of({"kind": "scores", "verdicts": metric})
    return Table(rows.ids, {metric: column}, "scores", result_name(rows.path), signature, tags=topics)


def _worst(metric: str, verdicts: FloatArray) -> float:
    """Return what an unknown verdict counts: the worst of 0 and 1, or of the grades or scores that occur."""
    low, high = float(np.nanmin(verdicts)), float(np.nanmax(verdicts))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return high if is_lower_better(metric) else low


def _with_systems(found: Calibration, rows: _Rows, verdicts: FloatArray, settings: LabelSettings) -> Calibration:
    """Return the calibration with the order of the systems that the rows are of, over topics that all of them have."""
    if settings.systems is None:
        return found
    if settings.topics is None:
        raise ConfigError(Message("calibration.systems_need_topics"), hint=Message("calibration.topics_hint"))
    labels = dict(zip(found.ids, found.labels.tolist(), strict=True))
    cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name, system, topic, verdict in zip(
        rows.ids, rows.values(settings.systems), rows.values(settings.topics), verdicts.tolist(), strict=True
    ):
        if name in labels and not math.isnan(verdict):
            cells.setdefault((str(topic), str(system)), []).append((verdict, labels[name]))
    systems = sorted({system for _, system in cells})
    topics = [
        topic for topic in dict.fromkeys(topic for topic, _ in cells) if all((topic, each) in cells for each in systems)
    ]
    if len(systems) < 2 or len(topics) < 2:
        raise InputError(Message("calibration.no_matrix", systems=len(systems), topics=len(topics)), where=rows.path)
    means = np.array([[np.mean(cells[topic, system], axis=0) for system in systems] for topic in topics])
    return replace(found, systems=system_agreement(means[:, :, 0], means[:, :, 1]))


# --- two files of qrels ---


def _of_qrels(judged: str, people: str, settings: LabelSettings) -> Labelled:
    """Return the grades of a judge and of people for the same passages; those of one topic belong together."""
    ours, theirs = (qrels_from(each) for each in (judged, people))
    grades, labels = _grades(ours), _grades(theirs)
    pairs = [*labels, *(pair for pair in grades if pair not in labels)]
    verdicts = np.array([grades.get(pair, np.nan) for pair in pairs])
    column = Column(
        verdicts, np.isnan(verdicts).astype(np.int64), (Missing("unscored", Message("missing.not_graded")),)
    )
    signature = Signature.of({"kind": "scores", "verdicts": f"sha256 {ours.digest[:16]}"})
    tags = {CLUSTER_TAG: [topic for topic, _ in pairs]}
    table = Table(
        [f"{topic}/{document}" for topic, document in pairs], {GRADE: column}, "scores", ours.name, signature, tags
    )
    known = np.array([labels.get(pair, np.nan) for pair in pairs])
    found = _labelled(table, GRADE, known[np.newaxis], "random" if settings.random else "elsewhere")
    highest = found.calibration.values.max()
    order = _order_of_runs(ours, theirs, settings) if settings.runs else None
    return found._replace(
        calibration=replace(found.calibration, threshold=float(min(RELEVANT, highest)), systems=order)
    )


def _grades(qrels: Qrels) -> dict[tuple[str, str], float]:
    topics = (qrels.ids[query] for query in qrels.query.tolist())
    return dict(zip(zip(topics, qrels.documents.texts(), strict=True), map(float, qrels.grades.tolist()), strict=True))


def _order_of_runs(ours: Qrels, theirs: Qrels, settings: LabelSettings) -> SystemAgreement:
    """Return how far the runs have one order by the judge's qrels and by people's, on the topics of both."""
    topics = sorted({*ours.ids} & {*theirs.ids})
    columns: list[list[FloatArray]] = [[], []]
    for run in settings.runs:
        for place, qrels in zip(columns, (ours, theirs), strict=True):
            table = evaluate_retrieval(qrels, run, [settings.run_metric])
            scores = dict(zip(table.ids, table.column(table.metrics[0]).tolist(), strict=True))
            place.append(np.array([scores.get(topic, 0.0) for topic in topics]))
    if len(settings.runs) < 2 or len(topics) < 2:
        raise ConfigError(Message("calibration.no_matrix", systems=len(settings.runs), topics=len(topics)))
    judge, people = (np.column_stack(place) for place in columns)
    return system_agreement(judge, people)


# --- all of them ---


def _labelled(
    table: Table, metric: str, people: FloatArray, design: Design, left_out: Mapping[str, int] = {}
) -> Labelled:
    """Return the calibration of a column, from the labels of one person or several (rows), NaN where there is none."""
    _check_bounds(table, metric, people)
    labels, ties = _consensus(people)
    verdicts = table.column(metric)
    known, decided = ~np.isnan(labels), ~np.isnan(verdicts)
    both = np.flatnonzero(known & decided)
    design = "random" if known[decided].all() else design
    if not len(both):
        raise InputError(Message("calibration.nothing_in_common"), where=table.name)
    clusters = clusters_of(table, scope_of("auto", table))
    setting = table.signature.get
    judge = JudgeName(setting("judge") or "", table.judges.get(metric, ""), setting("model") or "")
    calibration = Calibration(
        judge,
        metric,
        [table.ids[row] for row in both.tolist()],
        labels[both],
        verdicts[both],
        design,
        column_digest(table, metric),
        {table.ids[row]: float(labels[row]) for row in np.flatnonzero(known & ~decided).tolist()},
        people[:, both] if len(people) > 1 else None,
        None if clusters is None else clusters[both],
        unit=setting("unit") or "",
    )
    return Labelled(table, calibration, {**left_out, "calibration.tied": ties})


def _check_bounds(table: Table, metric: str, people: FloatArray) -> None:
    """Refuse labels that no score of the metric can have."""
    low, high = table.bounds(metric)
    for label in np.unique(people[~np.isnan(people)]).tolist():
        if not low <= label <= high:
            hint = Message("calibration.positive_hint")
            message = Message("calibration.label_out_of_bounds", label=f"{label:g}", metric=metric)
            raise InputError(message, where=table.name, hint=hint)


def _consensus(people: FloatArray) -> tuple[FloatArray, int]:
    """Return the label that most people gave each item, the mean of the first if several are tied, and how many are."""
    if len(people) == 1:
        return people[0], 0
    labels, ties = np.full(people.shape[1], np.nan), 0
    for item, given in enumerate(people.T):
        votes = Counter(given[~np.isnan(given)].tolist())
        most = [label for label, count in votes.items() if count == max(votes.values())]
        ties += len(most) > 1
        labels[item] = math.fsum(most) / len(most) if most else math.nan
    return labels, ties
