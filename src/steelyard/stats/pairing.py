"""Rows of two tables that belong to one item."""

import math
from dataclasses import dataclass

import numpy as np

from steelyard.errors import InputError
from steelyard.i18n import Message
from steelyard.stats.summary import clusters_of
from steelyard.table import FloatArray, IntArray, Table

# of a score's sixteen digits so many are trusted in a difference
_DIGITS = 14


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows of the two tables that belong to one item, in the order of ids, and the clusters that items share."""

    tables: tuple[Table, Table]
    new: IntArray
    old: IntArray
    clusters: IntArray | None

    def differences(self, metric: str, *, ties: bool) -> FloatArray:
        """New minus old; what is only rounding is 0, and with `ties` 0.3 - 0.2 and 0.1 are one difference too."""
        new, old = (table.column(metric)[rows] for table, rows in zip(self.tables, (self.new, self.old), strict=True))
        found = new - old
        largest = float(np.nanmax(np.abs((new, old)), initial=0.0))
        if largest == 0:
            return found
        rounded = np.round(found, _DIGITS - math.ceil(math.log10(largest)))
        return rounded if ties else np.where(rounded == 0, 0.0, found)

    def by_cluster(self, differences: FloatArray) -> FloatArray:
        """Differences of items that share a document, summed up: what varies is then the document."""
        if self.clusters is None:
            return differences
        sums = np.zeros((int(self.clusters.max()) + 1, differences.shape[1]))
        there = np.zeros_like(sums)
        np.add.at(sums, self.clusters, np.nan_to_num(differences))
        np.add.at(there, self.clusters, ~np.isnan(differences))
        return np.where(there > 0, sums, np.nan)


def pair(new: Table, old: Table) -> Pairs:
    """The rows of both that belong together, by id; no such row is an error."""
    place = {item: row for row, item in enumerate(old.ids)}
    pairs = [(row, place[item]) for row, item in enumerate(new.ids) if item in place]
    if not pairs:
        raise InputError(
            Message("stats.no_item_both", name=new.name, name_2=old.name), hint=Message("stats.items_paired_their_id")
        )
    pairs.sort(key=lambda rows: new.ids[rows[0]])
    rows = np.array(pairs)
    clusters = clusters_of(new)
    return Pairs((new, old), rows[:, 0], rows[:, 1], None if clusters is None else clusters[rows[:, 0]])
