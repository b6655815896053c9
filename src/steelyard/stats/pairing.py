"""Rows of two tables paired by item id: whether the two can be compared, their differences, and what changed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import ConfigError, InputError, cut
from steelyard.i18n import Message, Option
from steelyard.registry.kinds import gain
from steelyard.stats.scopes import Scope, clusters_of
from steelyard.table import REPEAT_TAG, FloatArray, IntArray, Table

# significant digits of a score that are kept in a difference
_DIGITS = 14
_QUOTED = 80  # characters of a question


@dataclass(frozen=True, slots=True)
class PairedRows:
    """The rows of both tables for each common item, in order of ids, and the clusters of items in a scope."""

    tables: tuple[Table, Table]
    new: IntArray
    old: IntArray
    clusters: IntArray | None
    scope: Scope = "items"

    def differences(self, metric: str, *, ties: bool) -> FloatArray:
        """Return new minus old without rounding errors; with `ties`, 0.3 - 0.2 and 0.1 become one difference too."""
        new, old = (table.column(metric)[rows] for table, rows in zip(self.tables, (self.new, self.old), strict=True))
        difference = new - old
        largest = float(np.nanmax(np.abs((new, old)), initial=0.0))
        if largest == 0:
            return difference
        rounded = np.round(difference, _DIGITS - math.ceil(math.log10(largest)))
        return rounded if ties else np.where(rounded == 0, 0.0, difference)

    def by_cluster(self, differences: FloatArray) -> FloatArray:
        """Return the differences summed within each cluster (document); unchanged if there are no clusters."""
        if self.clusters is None:
            return differences
        sums = np.zeros((int(self.clusters.max()) + 1, differences.shape[1]))
        scored = np.zeros_like(sums)
        np.add.at(sums, self.clusters, np.nan_to_num(differences))
        np.add.at(scored, self.clusters, ~np.isnan(differences))
        return np.where(scored > 0, sums, np.nan)


def pair(new: Table, old: Table, scope: Scope = "items") -> PairedRows:
    """Pair the rows of two tables by item id; without a common id an error is raised."""
    row_of = {item: row for row, item in enumerate(old.ids)}
    shared = sorted((row for row, item in enumerate(new.ids) if item in row_of), key=new.ids.__getitem__)
    if not shared:
        raise InputError(Message("stats.no_common_item", new=new.name, old=old.name), hint=_hint(new, old))
    rows, others = np.array(shared), np.array([row_of[new.ids[row]] for row in shared])
    clusters = clusters_of(new, scope)
    return PairedRows((new, old), rows, others, None if clusters is None else clusters[rows], scope)


@dataclass(frozen=True, slots=True)
class PairedQuestions:
    """The questions of the items that both tables have with their questions, new and old, and those that differ."""

    compared: int
    differing: tuple[tuple[str, str], ...]

    @property
    def all_differ(self) -> bool:
        """Whether there are such questions, and none is the same."""
        return bool(self.differing) and len(self.differing) == self.compared


def paired_questions(new: Table, old: Table) -> PairedQuestions:
    """Return the questions of the common items; blanks do not count."""
    if not (new.outputs and old.outputs):
        return PairedQuestions(0, ())
    asked = dict(zip(old.ids, old.outputs, strict=True))
    both = [(_question(output), _question(asked.get(item))) for item, output in zip(new.ids, new.outputs, strict=True)]
    known = [pair for pair in both if all(map(str.strip, pair))]
    differing = [tuple(" ".join(text.split()) for text in pair) for pair in known if pair[0] != pair[1]]
    return PairedQuestions(len(known), tuple((ours, theirs) for ours, theirs in differing if ours != theirs))


def quoted(new: str, old: str) -> dict[str, str]:
    """Return two questions as arguments of a message, cut if they are long."""
    return {"new_text": cut(new, _QUOTED), "old_text": cut(old, _QUOTED)}


def _question(output: Mapping[str, Any] | None) -> str:
    return str((output or {}).get("question") or "")


def _hint(new: Table, old: Table) -> Message:
    """Return why no two ids may be alike."""
    repeated = [table.name for table in (new, old) if REPEAT_TAG in table.tags]
    if len(repeated) == 1:
        return Message("stats.repeats_of_one_hint", name=repeated[0])
    return Message("stats.paired_by_id_hint")


@dataclass(frozen=True, slots=True)
class Change:
    """An item whose score changed."""

    id: str
    old: float
    new: float
    difference: float


@dataclass(frozen=True, slots=True)
class Changes:
    """The items on which `a` (the newer) and `b` differ in one metric, the largest changes first.

    `only_a` and `only_b` are the items that are scored only there.
    """

    a: str
    b: str
    metric: str
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def changes(new: Table, old: Table, metric: str) -> Changes:
    """Return the items that changed from the old table to the new; rounding errors do not count."""
    rows = pair(new, old)
    differences = rows.differences(metric, ties=True)
    before, after = old.column(metric)[rows.old].tolist(), new.column(metric)[rows.new].tolist()
    changed = [
        Change(new.ids[row], *values)
        for row, *values in zip(rows.new.tolist(), before, after, differences.tolist(), strict=True)
        if values[-1] and not math.isnan(values[-1])
    ]
    sign = gain(metric, 1.0)
    changed.sort(key=lambda change: (-abs(change.difference), change.id))
    ours, theirs = _scored(new, metric), _scored(old, metric)
    return Changes(
        a=new.name,
        b=old.name,
        metric=metric,
        better=tuple(change for change in changed if sign * change.difference > 0),
        worse=tuple(change for change in changed if sign * change.difference < 0),
        only_a=tuple(item for item in ours if item not in theirs),
        only_b=tuple(item for item in theirs if item not in ours),
    )


def _scored(table: Table, metric: str) -> dict[str, None]:
    """Return the ids of the scored rows, in order."""
    return dict.fromkeys(table.ids[row] for row in np.flatnonzero(~np.isnan(table.column(metric))).tolist())


IF_NEEDED = ("reference contexts",)
OWN_SETTINGS = ("run", "predictions", "format", "system", "suite", "steelyard")
"""Settings in which comparable tables may differ: they name the system itself."""

FORCE_HINT = Message("stats.same_settings_hint", option=Option("force"))


def check_comparable(new: Table, old: Table) -> None:
    """Raise an error if two tables have different settings; `compare` itself only lists them in `settings_differ`."""
    check_same_kind(new, old)
    check_questions(new, old)
    names = settings_that_differ(new, old)
    if names:
        unlike = ", ".join(f"{name} ({_setting(new, name)} ≠ {_setting(old, name)})" for name in names)
        message = Message("stats.settings_differ", new=new.name, old=old.name, settings=unlike)
        raise ConfigError(message, hint=FORCE_HINT)


def check_questions(new: Table, old: Table) -> None:
    """Raise an error if two tables have the same ids, but for other questions."""
    questions = paired_questions(new, old)
    if questions.all_differ:
        texts = quoted(*questions.differing[0])
        message = Message("stats.questions_differ", new=new.name, old=old.name, **texts)
        raise ConfigError(message, hint=Message("stats.questions_differ_hint", option=Option("force")))


def settings_that_differ(new: Table, old: Table) -> tuple[str, ...]:
    """Return the names of the settings, apart from the system itself, in which two results differ.

    Reference contexts are in the settings only of results whose metrics need them.
    """
    both = (new.signature, old.signature)
    lacking = [name for name in IF_NEEDED if any(signature.get(name) is None for signature in both)]
    return tuple(new.signature.differences(old.signature, apart_from=(*OWN_SETTINGS, *lacking)))


def check_same_kind(new: Table, old: Table) -> None:
    """Raise an error if two tables are of different kinds."""
    if new.kind != old.kind:
        raise ConfigError(
            Message("stats.kinds_differ", new=new.name, new_kind=new.kind, old=old.name, old_kind=old.kind),
            hint=Message("stats.imported_kind_hint") if "scores" in (new.kind, old.kind) else None,
        )


def _setting(table: Table, setting: str) -> str:
    return table.signature.get(setting) or "–"
