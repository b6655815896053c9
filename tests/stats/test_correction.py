"""Corrections of a family of p-values."""

import math

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from steelyard.stats.correction import adjust

quick = examples(100, database=None)
families = st.lists(st.floats(0, 1), max_size=20)


def test_known_example():
    """R 4: p.adjust(c(0.01, 0.04, 0.03, 0.005), method)."""
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert adjust(p_values, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust(p_values, "bh") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjust(p_values, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert adjust(p_values, "none") == p_values


def test_benjamini_hochberg_1995():
    """Their table of 15 p-values: four are below a false discovery rate of 0.05, three by Bonferroni."""
    published = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
                 0.6528, 0.7590, 1.0]  # fmt: skip
    assert sum(p <= 0.05 for p in adjust(published, "bh")) == 4
    assert sum(p <= 0.05 for p in adjust(published, "bonferroni")) == 3


@quick
@given(families.filter(bool))
def test_bh_equals_scipy(p_values):
    assert adjust(p_values, "bh") == pytest.approx(scipy.stats.false_discovery_control(p_values).tolist(), rel=1e-12)


@quick
@given(families)
def test_laws_of_every_correction(p_values):
    for method in ("holm", "bh", "bonferroni", "none"):
        adjusted = adjust(p_values, method)
        assert all(raw <= after <= 1 for raw, after in zip(p_values, adjusted, strict=True))
        order = sorted(range(len(p_values)), key=p_values.__getitem__)
        assert [adjusted[i] for i in order] == sorted(adjusted)


@quick
@given(families)
def test_holm_lies_between_bh_and_bonferroni(p_values):
    families = zip(*(adjust(p_values, method) for method in ("bh", "holm", "bonferroni")), strict=True)
    assert all(bh <= holm * (1 + 1e-12) and holm <= bonferroni * (1 + 1e-12) for bh, holm, bonferroni in families)


def test_an_untested_metric_is_no_member_of_the_family():
    adjusted = adjust([0.01, math.nan, 0.04], "holm")
    assert math.isnan(adjusted[1])
    assert [adjusted[0], adjusted[2]] == [0.02, 0.04]


def test_an_unknown_correction_is_refused():
    with pytest.raises(ValueError, match=r"^no correction 'sidak'; there are: holm, bh, bonferroni, none$"):
        adjust([0.1], "sidak")
