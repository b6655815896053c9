"""Scopes of inference: about other questions on these documents (items are the units), or about other documents.

Questions about one document succeed and fail together. An interval or a test over items says what other questions about
the same documents would give; one over documents says what other documents of the kind would give, and needs several.
"""

from collections.abc import Mapping
from typing import Final, Literal, get_args

import numpy as np

from steelyard.errors import ConfigError, UnknownName
from steelyard.i18n import Message, Option
from steelyard.table import REPEAT_TAG, IntArray, Table

Scope = Literal["items", "documents"]
"""What vary: the items of these documents, or the documents."""
Units = Literal["auto", "items", "documents"]
"""Which scope decides; "auto" is documents if there are enough of them."""
Clusters = Mapping[Scope, IntArray | None]
"""The units of the rows of a table in each scope that numbers are given for (`clusters_of`)."""
CLUSTER_TAG: Final = "document"
"""Items with the same value of this tag are not independent of each other as far as other documents are concerned."""
FEWEST_DOCUMENTS: Final = 6
"""With fewer documents no permutation test is significant at 0.05: the smallest p of five is 0.0625."""


def scope_of(units: Units, *tables: Table) -> Scope:
    """Return the scope that decides, from whole tables; selections and groups of them have the same scope.

    "auto" is documents if every table names them, its items share them, and there are at least six.
    """
    if units not in get_args(Units):
        raise UnknownName.of(Message("words.units"), units, get_args(Units))
    if units == "documents":
        for table in tables:
            if CLUSTER_TAG not in table.tags:
                hint = Message("stats.no_documents_hint", option=Option("units", units="items"))
                raise ConfigError(Message("stats.no_documents", name=table.name), hint=hint)
    if units != "auto":
        return units
    enough = all(
        shares_documents(table)
        and len({value or row for row, value in enumerate(table.tags[CLUSTER_TAG])}) >= FEWEST_DOCUMENTS
        for table in tables
    )
    return "documents" if tables and enough else "items"


def scopes_of(scope: Scope, *tables: Table) -> tuple[Scope, ...]:
    """Return the scopes that have numbers: items, and documents where they decide or the items of all share them."""
    both = scope == "documents" or (bool(tables) and all(map(shares_documents, tables)))
    return ("items", "documents") if both else ("items",)


def shares_documents(table: Table) -> bool:
    """Return whether the table names the documents of its items, and some items share one."""
    return CLUSTER_TAG in table.tags and _labels(table, CLUSTER_TAG) is not None


def clusters_of(table: Table, scope: Scope) -> IntArray | None:
    """Return the number of the unit of each row; None if every row is a unit of its own.

    The units are documents, or items, of which each may have been run several times.
    """
    tag = CLUSTER_TAG if scope == "documents" else REPEAT_TAG
    return _labels(table, tag) if tag in table.tags else None


def clusters_in(scope: Scope, table: Table) -> Clusters:
    """Return the units of the rows in every scope that numbers are given for; found once for all columns."""
    return {each: clusters_of(table, each) for each in scopes_of(scope, table)}


def units_in(clusters: IntArray | None, rows: int) -> int:
    """Return the number of units that rows belong to."""
    return rows if clusters is None else len(np.unique(clusters))


def cannot_tell(scope: Scope, units: int) -> Message:
    """Say that so few units cannot show a difference."""
    if units == 1:
        return Message("scope.cannot_tell_one_document" if scope == "documents" else "scope.cannot_tell_one_item")
    code = "scope.cannot_tell_documents" if scope == "documents" else "scope.cannot_tell_items"
    return Message(code, n=f"{units:,}")


def _labels(table: Table, tag: str) -> IntArray | None:
    """Return the rows numbered by their value of a tag (untagged ones on their own); None if no two rows share one."""
    labels = [f"={value}" if value else str(row) for row, value in enumerate(table.tags[tag])]
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    return None if len(numbers) == len(labels) else np.array([numbers[label] for label in labels])
