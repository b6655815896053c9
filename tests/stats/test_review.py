"""Sizes of samples of verdicts, and who decided each verdict."""

import numpy as np
import pytest
from tables import make_table

from steelyard.stats.review import SampleSize, decided_by

NAN = float("nan")


@pytest.mark.parametrize(
    ("size", "population", "count"),
    [
        (SampleSize(20, percent=True), 10, 2),
        (SampleSize(20, percent=True), 11, 3),  # 2.2
        (SampleSize(1.1, percent=True), 1000, 11),  # 11.000000000000002 in floats
        (SampleSize(0.1, percent=True), 10, 1),
        (SampleSize(100, percent=True), 7, 7),
        (SampleSize(5), 10, 5),
        (SampleSize(50), 10, 10),
    ],
)
def test_a_share_of_verdicts_is_rounded_up(size, population, count):
    assert size.of(population) == count


def test_each_verdict_is_decided_by_one():
    parts = {
        "uncertain": np.array([0.0, 0, 1, 1, 1, 1]),
        "agreed_judge": np.array([NAN, 1, 1, 0, NAN, NAN]),
        "agreed_person": np.array([NAN, NAN, NAN, 1, 0, NAN]),
    }
    table = make_table("r", [1.0, 0, 1, 0, 1, 0], metric="legal", parts={"legal": parts})
    # a person has the last word
    assert decided_by(table, "legal") == {"rules": 1, "judge": 2, "person": 2, "uncertain": 1}
