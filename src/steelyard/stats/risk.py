"""Risk: whether a system hurts items that a baseline, or the other systems, do well on; a fall weighs 1 + alpha gains.

URisk is the mean weighted difference from a baseline (Wang et al. 2012), TRisk this mean in standard errors (Dinçer et
al. 2014). GeoRisk (Dinçer et al. 2016) weighs the mean of a system with how its scores differ from what its own mean
and that of all systems on an item let expect.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from steelyard.registry.kinds import gain, is_lower_better
from steelyard.stats.distributions import deviation, normal_cumulative
from steelyard.stats.pairing import pair
from steelyard.table import FloatArray, Table


class Risk(NamedTuple):
    """The risk of one result; NaN where it is not defined, as URisk and TRisk of the baseline itself."""

    urisk: float
    trisk: float
    georisk: float


def risks(tables: Sequence[Table], metric: str, *, alpha: float) -> list[Risk]:
    """Return the risk of each result against the first, and among all of them on the items that all score."""
    old, *new = tables
    differences = [gain(metric, 1.0) * pair(table, old).differences(metric, ties=True) for table in new]
    against = [risk_of(each[~np.isnan(each)], alpha=alpha) for each in differences]
    among = [math.nan] * len(tables) if is_lower_better(metric) else geo_risk(_shared(tables, metric), alpha=alpha)
    return [Risk(*of, geo) for of, geo in zip([(math.nan, math.nan), *against], among, strict=True)]


def risk_of(differences: FloatArray, *, alpha: float) -> tuple[float, float]:
    """URisk and TRisk of differences from a baseline."""
    weighted = np.where(differences < 0, (1 + alpha) * differences, differences)
    mean = float(weighted.mean()) if len(weighted) else math.nan
    error = deviation(weighted) / math.sqrt(max(len(weighted), 1))
    return mean, mean / error if error > 0 else math.nan


def geo_risk(scores: FloatArray, *, alpha: float) -> list[float]:
    """GeoRisk of each system, from a row of scores for each; NaN without items, or if a score is below 0."""
    if not scores.size or (scores < 0).any():
        return [math.nan] * len(scores)
    expected = np.outer(scores.sum(axis=1), scores.sum(axis=0)) / max(scores.sum(), np.finfo(float).tiny)
    z = np.divide(scores - expected, np.sqrt(expected), out=np.zeros_like(scores), where=expected > 0)
    weighted = np.where(z < 0, (1 + alpha) * z, z).mean(axis=1)
    return [math.sqrt(mean * normal_cumulative(z)) for mean, z in zip(scores.mean(axis=1), weighted, strict=True)]


def _shared(tables: Sequence[Table], metric: str) -> FloatArray:
    """Return the scores of the items that all tables score, a row for each table."""
    by_id = [dict(zip(table.ids, table.column(metric).tolist(), strict=True)) for table in tables]
    found = np.array([[scores.get(item, math.nan) for item in tables[0].ids] for scores in by_id], np.float64)
    return found.compress(~np.isnan(found).any(axis=0), axis=1)
