"""Reviews in the viewer: the file beside a result that keeps them, what a page shows of them, and a new judgement.

`run.jsonl` has the review file `run.review.jsonl`, its second result `run.2.review.jsonl`. A file of `steelyard sample`
with that name is continued: its verdicts stay those of the sample.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from steelyard import limits
from steelyard.errors import ConfigError, InputError, SteelyardError
from steelyard.i18n import Message
from steelyard.io.results import utc_now
from steelyard.io.reviews import CHOSEN, SUFFIX, Judgement, Sampling, append_judgement, digest_of, read_review
from steelyard.io.shapes import FLAG, NUMBER, TEXT, Fields, MapOf, check_shape
from steelyard.reports.agreement import check_result
from steelyard.reports.content import main_of
from steelyard.stats.review import reviewable, verdict_metric, with_reviews
from steelyard.table import Table

LONGEST: Final = 5_000
"""The most characters of a comment, and of a reviewer's name."""
_SHOWN: Final = ("agree", "unsure", "remark", "reviewer", "score", "parts", "time")
_GIVEN: Final = Fields(
    {
        "id": TEXT,
        "agree": FLAG,
        "unsure": FLAG,
        "remark": TEXT,
        "reviewer": TEXT,
        "score": NUMBER,
        "parts": MapOf(NUMBER),
        "result": TEXT,
    },
    frozenset(("id", "result")),
)

Json = dict[str, Any]


def review_path(results: Path, place: int) -> Path:
    """Return the review file of the result at a place in a results file."""
    number = f".{place + 1}" if place else ""
    return results.with_name(results.name.removesuffix(".jsonl") + number + SUFFIX)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A result with its reviews; `problem` says why it cannot be reviewed, or what is wrong with its review file."""

    id: str
    table: Table
    path: Path
    metric: str = ""
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    problem: Message | SteelyardError | None = None

    @classmethod
    def read(cls, identifier: str, table: Table, path: Path) -> Self:
        """Return the result with what its review file has."""
        found = cls(identifier, table, path)
        if not table.complete:
            return replace(found, problem=Message("web.review_unfinished"))
        try:
            judgements = _judgements(table, path)
            metric = judgements[0].metric if judgements else main_of(table.kind, table.metrics, table.main)
            metric = verdict_metric(table, metric)
        except SteelyardError as error:
            return replace(found, problem=error)
        return replace(found, metric=metric, judgements={each.id: each for each in judgements})

    @property
    def shown(self) -> Table:
        """The table with parts that say what reviewers think."""
        return with_reviews(self.table, list(self.judgements.values())) if self.judgements else self.table

    def data(self) -> Json:
        """Return what a page needs to show and save reviews."""
        return {
            "address": f"/review/{self.id}",
            "metric": self.metric,
            "file": self.path.name,
            "digest": digest_of(self.table),
            "judgements": {name: shown_judgement(each) for name, each in self.judgements.items()},
        }

    def save(self, given: Json) -> Judgement:
        """Add a judgement about one of the items to the review file."""
        if self.problem is not None:
            raise self.problem if isinstance(self.problem, SteelyardError) else ConfigError(self.problem)
        if given["result"] != digest_of(self.table):
            raise InputError(Message("web.review_of_another"), where=self.path.name)
        judgement = self._judgement(given, list(self.table.ids).index(given["id"]))
        append_judgement(self.path, judgement)
        return judgement

    def _judgement(self, given: Json, row: int) -> Judgement:
        table, rows = self.table, reviewable(self.table, self.metric)
        if row not in rows:
            raise InputError(Message("web.review_without_verdict"), where=table.ids[row])
        self._check(given)
        before = self.judgements.get(table.ids[row])
        agree = given.get("agree")
        return Judgement(
            id=table.ids[row],
            verdict=float(table.column(self.metric)[row]),
            agree=agree,
            unsure=bool(given.get("unsure")) and agree is None,
            remark=given.get("remark") or "",
            reviewer=given.get("reviewer") or "",
            metric=self.metric,
            result=given["result"],
            sampling=before.sampling if before else Sampling(0, CHOSEN, 1, len(rows), CHOSEN, 1, len(rows)),
            score=given.get("score"),
            parts={part: float(value) for part, value in (given.get("parts") or {}).items()},
            time=utc_now(),
        )

    def _check(self, given: Json) -> None:
        """Refuse texts that are too long, scores that no verdict has, unknown parts, and corrections by agreement."""
        score, parts = given.get("score"), given.get("parts") or {}
        if any(len(given.get(key) or "") > LONGEST for key in ("remark", "reviewer")):
            raise InputError(Message("web.review_too_long", longest=LONGEST))
        if score is not None and not 0 <= score <= 1:
            raise InputError(Message("web.review_score", score=score))
        known = self.table.parts.get(self.metric, {})
        for part, value in parts.items():
            if part not in known or abs(value) > limits.SCORE.value:
                raise InputError(Message("web.review_part", part=part, value=value))
        if (score is not None or parts) and given.get("agree") is not False:
            raise InputError(Message("web.review_contradicts"))


def _judgements(table: Table, path: Path) -> list[Judgement]:
    """Return the judgements of a result; none without a file. A link is not followed: it may lead out of the folder."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(Message("web.review_not_a_file"), where=path.name)
    if not path.exists():
        return []
    if judgements := read_review(path, unfinished=True):
        check_result(table, judgements)
    return judgements


def check_given(given: Any) -> Json:
    """Refuse a request that is no judgement."""
    check_shape(given, _GIVEN, "", "")
    checked: Json = given
    return checked


def shown_judgement(judgement: Judgement) -> Json:
    """Return what a page shows of a judgement."""
    line = judgement.line()
    return {key: line[key] for key in _SHOWN if key in line}
