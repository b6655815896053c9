"""What metrics need of a row, and why a row that lacks it has no score."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from steelyard.answers.rows import AnswerRow, ContextUse
from steelyard.answers.values import Contexts
from steelyard.errors import InputError
from steelyard.i18n import Message, Option
from steelyard.io import layouts
from steelyard.io.costs import NO_COST
from steelyard.registry.kinds import COSTS
from steelyard.registry.metrics import Measure
from steelyard.table import Flags, Missing
from steelyard.text.marks import find_marks

MOST_JUDGED: Final = 1_000
"""Rows up to which a file has by default the metrics of judges, which take a millisecond a row and more."""
NO_REFERENCE: Final = Missing("unscored", Message("missing.no_reference"))
NO_PREDICTION: Final = Missing("unscored", Message("missing.no_prediction"))
UNMET: Final = "metrics.needs_unmet"
"""The code of the error about metrics of which no row has what they need."""
BLANK: Final = Message("missing.blank_answer")
TOO_LONG: Final = Message("missing.answer_too_long")


class Need(NamedTuple):
    """One need: whether a row has it, why a row without it is unscored, what it is, and the names of its columns.

    `is_shown` says whether a row shows that the file has what is needed, where that is more than `is_met`.
    """

    is_met: Callable[[AnswerRow], bool]
    lacking: Missing
    what: Message
    columns: tuple[str, ...]
    is_shown: Callable[[AnswerRow], bool] | None = None


def _has_texts(contexts: Contexts | None) -> bool:
    return contexts is not None and all(each.text is not None for each in contexts)


def _has_spans(contexts: Contexts | None) -> bool:
    return contexts is not None and all(each.span is not None for each in contexts)


def is_judged_by_ids(row: AnswerRow) -> bool:
    """Return whether a row has reference ids, and ids of what was retrieved or nothing retrieved, which scores 0.

    An empty list of reference ids says that nothing is relevant: such a row scores 0 too, as `retrieval` has it.
    """
    return row.reference_ids is not None and (row.retrieved_ids is not None or row.contexts is None)


def _has_ids(row: AnswerRow) -> bool:
    return row.retrieved_ids is not None and row.reference_ids is not None


def _has_reference_texts(row: AnswerRow) -> bool:
    return bool(row.reference_contexts) and _has_texts(row.reference_contexts)


def _has_text_evidence(row: AnswerRow) -> bool:
    return _has_texts(row.contexts) and (_has_reference_texts(row) or bool(row.references))


def _has_cost(metric: str, row: AnswerRow) -> bool:
    return metric in row.costs


AS_READ: Final = {
    "lawbench": {
        **dict.fromkeys(("1-1", "2-7", "3-2", "3-8"), "ROUGE-L"),
        **dict.fromkeys(("1-2", "2-8", "3-6"), "Choice"),
        **dict.fromkeys(("2-2", "2-4"), "LabelEM"),
        **{"2-3": "LabelF1", "2-5": "CharF1", "2-6": "EntityF1", "3-7": "Amount"},
        **{"3-1": "StatuteF", "3-3": "ChargeF", "3-4": "TermLog", "3-5": "TermLog"},
    }
}
"""The metric of each task of a benchmark by its own definition, by profile."""
WANTS: Final = {
    "judge": Message("metrics.wants_judge", file=Option("references")),
    "lawbench": Message("metrics.wants_lawbench", file=Option("references")),
    "cail2025": Message("metrics.wants_cail2025", file=Option("references")),
}
"""What is read by a profile for the files of a benchmark."""
_IDS: Final = (layouts.RETRIEVED_IDS[0], layouts.REFERENCE_IDS[0])
NEEDS: Final = {
    "references": Need(lambda row: bool(row.references), NO_REFERENCE, Message("words.references"), layouts.REFERENCES),
    "question": Need(
        lambda row: bool(row.question),
        Missing("unscored", Message("missing.no_question")),
        Message("words.question"),
        layouts.QUESTION,
    ),
    "contexts": Need(
        lambda row: _has_texts(row.contexts),
        Missing("unscored", Message("missing.no_contexts")),
        Message("words.contexts"),
        layouts.CONTEXTS,
    ),
    "reference_contexts": Need(
        _has_reference_texts,
        Missing("unscored", Message("missing.no_reference_contexts")),
        Message("words.reference_contexts"),
        layouts.REFERENCE_CONTEXTS,
    ),
    "ids": Need(
        is_judged_by_ids,
        Missing("unscored", Message("missing.no_context_ids")),
        Message("words.context_ids"),
        _IDS,
        _has_ids,
    ),
    "spans": Need(
        lambda row: _has_spans(row.contexts) and bool(row.reference_contexts) and _has_spans(row.reference_contexts),
        Missing("unscored", Message("missing.no_spans")),
        Message("words.context_spans"),
        ("contexts", "reference_contexts"),
    ),
    "evidence": Need(
        lambda row: is_judged_by_ids(row) or _has_text_evidence(row),
        Missing("unscored", Message("missing.no_evidence")),
        Message("words.contexts_and_references"),
        (*layouts.CONTEXTS, *_IDS),
        lambda row: _has_ids(row) or _has_text_evidence(row),
    ),
    "task": Need(
        lambda row: bool(row.tags.get("task")),
        Missing("unscored", Message("missing.no_task")),
        Message("words.task"),
        ("task",),
    ),
    "seconds": Need(partial(_has_cost, "Seconds"), NO_COST, Message("words.seconds"), ()),
    "tokens": Need(partial(_has_cost, "Tokens"), NO_COST, Message("words.tokens"), ()),
    "cost": Need(partial(_has_cost, "Cost"), NO_COST, Message("words.cost"), ()),
}
"""Needs by name, in the order in which a lack is named; a prediction is apart, because silence has a score."""

_FROM_COLUMNS: Final = frozenset(("prediction", "references"))  # whose column is looked for before rows are read
_COSTS: Final = frozenset(("seconds", "tokens", "cost"))
_WITHOUT_CONTEXTS: Final = _FROM_COLUMNS | {"question", "task"} | _COSTS


def met_by(rows: Sequence[AnswerRow], needs: Iterable[str], has: Callable[[str], Flags]) -> frozenset[str]:
    """Return the needs that some row shows; `has` says which rows meet one."""
    shown = {need: NEEDS[need].is_shown if need in NEEDS else None for need in needs}
    return frozenset(need for need, test in shown.items() if (any(map(test, rows)) if test else has(need).any()))


def needed(measures: Iterable[Measure]) -> frozenset[str]:
    """Return all that metrics need."""
    return frozenset(need for measure in measures for need in measure.metric.needs)


def required_fields(measures: Iterable[Measure]) -> frozenset[str]:
    """Return the fields whose column must be there."""
    return needed(measures) & _FROM_COLUMNS


def context_use(measures: Iterable[Measure], *, keep: bool) -> ContextUse:
    """Return what contexts are read for; `keep` says that they are wanted although no metric needs them."""
    if needed(measures) - _WITHOUT_CONTEXTS:
        return "needed"
    return "kept" if keep else "unused"


def metrics_of_tasks(profile: str, rows: Sequence[AnswerRow] = ()) -> list[str]:
    """Return the metrics that a profile has for the tasks of rows, where it goes by tasks."""
    tasks = dict.fromkeys(row.tags.get("task", "") for row in rows)
    return list(dict.fromkeys(AS_READ.get(profile, {})[task] for task in tasks if task in AS_READ.get(profile, {})))


def judged_metrics(rows: Sequence[AnswerRow] = ()) -> list[str]:
    """Return the metrics of judges that rows have by default; none in a long file, where they take long."""
    if len(rows) > MOST_JUDGED:
        return []
    correct = ["Correct"] * any(row.references for row in rows)
    costs = [metric for metric in COSTS if any(metric in row.costs for row in rows)]
    if not any(row.contexts and _has_texts(row.contexts) for row in rows):
        return [*correct, *costs]
    cited = any(find_marks(row.prediction or "", [each.id for each in row.contexts or ()]) for row in rows)
    wanted = any(_has_ids(row) or _has_reference_texts(row) for row in rows)
    attributed = ["Accurate"] * any(row.references and _has_texts(row.contexts) for row in rows)
    over_contexts = [
        "ValuesGrounded",
        "Refusal",
        *(["CitationP", "CitationR"] * cited),
        *(["ContextP", "ContextR"] * wanted),
    ]
    return [*correct, *attributed, *over_contexts, *costs]


def uses_answerable(measures: Iterable[Measure]) -> bool:
    """Return whether a metric reads the tag `answerable`."""
    return any(measure.metric.name == "Refusal" for measure in measures)


def check_met(measures: Sequence[Measure], met: frozenset[str], where: str) -> None:
    """Refuse metrics of which no row has what they need; of references, rows are counted instead."""
    for measure in measures:
        for name in NEEDS:
            if name in measure.metric.needs - _FROM_COLUMNS - met:
                need = NEEDS[name]
                message = Message(UNMET, measure=str(measure), lacking=need.what)
                mapped = {"ids": "retrieved_context_ids", "spans": "contexts", "evidence": "contexts"}.get(name, name)
                option = Option("column", field=mapped, column="COLUMN")
                hint = Message("formats.map_column_hint", names=", ".join(need.columns), option=option)
                hint = Message("metrics.task_hint") if name == "task" else hint
                hint = Message("metrics.cost_hint") if name in _COSTS else hint
                raise InputError(message, where=where, hint=hint)
