"""Nuggets of TREC RAG, as nuggetizer writes them: facts that an answer or a passage should hold, and whether it does.

A nugget whose assignment failed leaves the scores that it is part of without a number; nuggetizer counts it as not
supported. Without vital nuggets there is no score of vital ones, where nuggetizer has 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import SCALAR, TEXT, ListOf, Plain
from steelyard.io.shapes import Fields as Shape

NAME: Final = "nuggets"
TITLE: Final = "nuggets of TREC RAG"
BOUNDS: Final = (0.0, 1.0)

_CREDIT: Final = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
_FAILED: Final = "failed"
_ASSIGNMENT: Final = Plain(
    Message("words.one_of_values", values=", ".join((*_CREDIT, _FAILED))),
    lambda value: isinstance(value, str) and value.lower() in (*_CREDIT, _FAILED),
)
_ROW: Final = Shape(
    {
        "qid": SCALAR,
        "query": TEXT,
        "answer_text": TEXT,
        "nuggets": ListOf(Shape({"text": TEXT, "importance": TEXT, "assignment": _ASSIGNMENT}, frozenset(("text",)))),
    },
    frozenset(("qid", "nuggets")),
)
_USED: Final = ("qid", "query", "text", "answer_text", "run_id", "docid", "candidate_text")


def recognises(container: Container) -> bool:
    """Whether rows have a query and its nuggets."""
    first = container.first if container.kind == "rows" else {}
    return "qid" in first and isinstance(first.get("nuggets"), list)


def read(container: Container) -> Iterator[Record]:
    """One record for each answer or passage; without assignments there are no scores."""
    for record in container.records():
        rows.check(record.fields, _ROW, record.where, TITLE)
        yield record._replace(fields=_fields(record.fields))


def _fields(row: Mapping[str, Any]) -> Fields:
    document = row.get("docid")
    passage = {"id": str(document), "text": row.get("candidate_text")}
    fields = {
        rows.ID: str(row["qid"]) if document is None else f"{row['qid']}/{document}",
        rows.QUESTION: row.get("query") or row.get("text"),
        rows.PREDICTION: row.get("answer_text"),
        rows.CONTEXTS: [] if document is None else [rows.present(passage)],
        rows.SYSTEM: str(row.get("run_id") or ""),
        **_scores(row["nuggets"]),
        rows.EXTRA: {NAME: {name: value for name, value in row.items() if name not in _USED}},
    }
    return rows.present(fields)


def _scores(nuggets: Sequence[Mapping[str, Any]]) -> Fields:
    """Return the four scores; the strict ones give nothing for partial support."""
    if not any("assignment" in nugget for nugget in nuggets):
        return {}
    unknown = [nugget for nugget in nuggets if nugget.get("importance") == _FAILED]
    groups = {"vital": [nugget for nugget in nuggets if nugget.get("importance") == "vital"], "all": list(nuggets)}
    scores: dict[str, float | None] = {}
    reasons, errors = {}, {}
    for name, group in groups.items():
        failed = [each for each in group if str(each.get("assignment") or _FAILED).lower() == _FAILED]
        for metric, least in ((f"strict_{name}", 1.0), (name, 0.5)):
            scores[metric] = None
            if lost := failed or (unknown if name == "vital" else []):
                errors[metric] = f"{len(lost)} of {len(nuggets)} nuggets failed"
            elif not group:
                reasons[metric] = f"no {name} nugget" if name == "vital" else "no nugget"
            else:
                scores[metric] = _mean(group, least)
    return {rows.SCORES: scores, rows.UNSCORED: reasons, rows.ERRORS: errors}


def _mean(nuggets: Sequence[Mapping[str, Any]], least: float) -> float:
    """Return the mean credit, where credit below `least` is none."""
    credits = [_CREDIT[nugget["assignment"].lower()] for nugget in nuggets]
    return sum(credit for credit in credits if credit >= least) / len(credits)
