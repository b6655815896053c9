"""The published significance values again, by the way that users go: tables and `steelyard.compare`."""

import csv
import json

import numpy as np
import pytest
from tables import table_of

import steelyard

WILCOXON = "wilcoxon_R_like_two (drop zeros, normal approx, continuity correction)"
CASES = [
    ("adhoc8_ap.csv", 125, 126, "adhoc8_ap 125 vs 126"),
    ("adhoc8_ap.csv", 10, 11, "adhoc8_ap 10 vs 11"),
    ("adhoc8_p10.csv", 10, 11, "adhoc8_p10 10 vs 11 (many zero differences)"),
]


def table(path, system):
    rows = list(csv.reader(path.read_text().splitlines()))[1:]
    values = np.array([float(row[system - 1]) for row in rows])
    return table_of(ids=[f"{n:03d}" for n in range(len(values))], columns={"AP": values}, name=str(system))


@pytest.mark.parametrize(("file", "old", "new", "key"), CASES)
def test_published_significance_through_compare(real, file, old, new, key):
    folder = real / "significance"
    expected = json.loads((folder / "expected.json").read_text())[key]
    pair = table(folder / file, new), table(folder / file, old)
    for test, name in (("t", "t_two"), ("wilcoxon", WILCOXON), ("sign", "sign_two(min_d=0.0)")):
        assert steelyard.compare(*reversed(pair), test=test)[0].p_value == pytest.approx(expected[name], abs=1e-9), test
    permutation = steelyard.compare(*reversed(pair))[0].p_value
    assert abs(permutation - expected["permutation_two_1e6"]) <= expected["permutation_two_3SE"]
