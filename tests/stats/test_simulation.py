"""What docs/statistics.md says of the statistics, with fewer simulations than `python -m bench.statistics`."""

from pathlib import Path
from typing import Any

import pytest
import scipy.stats

from bench.populations import BINARY, CONTINUOUS, PAIRS, SKEWED, real_columns
from bench.simulation import (
    cluster_misses,
    difference_misses,
    family_errors,
    gate_errors,
    null_p_values,
    rejections,
    scope_misses,
    shares_at_random,
    summary_misses,
)
from bench.statistics import BEGIN, DISCRETE, END, TESTS, TITLES, chapters_of, main, replaced

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "en" / "explanation" / "statistics.md"
SAMPLES = 1000  # of which a share of 95 % is known to 0.7 %
MODERATE = [population for population in SKEWED if "lognormal" not in population.name]
by_name = {"ids": lambda case: case.name}


@pytest.mark.parametrize(("name", "test", "items"), TESTS)
def test_p_is_uniform_where_nothing_differs(name, test, items):
    p_values = null_p_values(test, items, simulations=500, seed=11)
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.001


@pytest.mark.parametrize(("name", "test", "items", "binary"), DISCRETE)
def test_p_with_few_values_is_not_small_too_often(name, test, items, binary):
    found = rejections(null_p_values(test, items, simulations=1000, seed=12, binary=binary))
    assert all(share <= allowed for share, allowed in zip(found, (0.02, 0.07, 0.13), strict=True))


def test_holm_keeps_the_family_at_its_level():
    with_holm, without = family_errors(5, simulations=150, seed=13)
    assert with_holm < 0.1 < without + 0.03


@pytest.mark.parametrize("population", CONTINUOUS, **by_name)
def test_intervals_hold_the_mean_of_thirty_scores(population):
    ours, _ = summary_misses(population, 30, simulations=SAMPLES, seed=14)
    assert 0.93 < ours.coverage < 0.98


@pytest.mark.parametrize("population", SKEWED, **by_name)
def test_t_alone_is_mended_where_scores_are_skewed(population):
    ours, plain = summary_misses(population, 30, simulations=SAMPLES, seed=15)
    assert ours.coverage > plain.coverage
    assert (0.93 if population in MODERATE else 0.89) < ours.coverage < 0.98


def test_t_alone_misses_the_mean_of_a_long_tail_on_one_side():
    _, plain = summary_misses(SKEWED[0], 30, simulations=SAMPLES, seed=16)
    assert plain.below > 2 * plain.above
    assert plain.coverage < 0.95


def test_wilson_keeps_to_its_level_on_the_whole():
    assert 0.935 < shares_at_random(30, simulations=3000, seed=17).coverage < 0.97
    assert summary_misses(BINARY[2], 30, simulations=SAMPLES, seed=17)[0].coverage > 0.92


@pytest.mark.parametrize("kind", ["continuous", "skewed", "0/1"])
def test_intervals_over_documents_hold_the_mean(kind):
    assert 0.925 < cluster_misses(kind, [5] * 30, simulations=1000, seed=18).coverage < 0.98


def test_each_scope_holds_its_own_mean():
    found = scope_misses("continuous", 10, 15, simulations=1000, seed=21)
    assert found.items_of_these.coverage > 0.94
    assert 0.925 < found.documents_of_all.coverage < 0.98
    assert found.items_of_all.coverage < 0.85


def test_intervals_of_a_difference_hold_it():
    for pair in (PAIRS[0], PAIRS[1], PAIRS[3]):
        assert 0.925 < difference_misses(pair, 100, simulations=1000, seed=19).coverage < 0.985


@pytest.mark.parametrize("pair", PAIRS, **by_name)
def test_a_gate_seldom_passes_what_is_worse_by_the_margin(pair):
    assert gate_errors(pair, 100, simulations=1000, seed=20) < 0.08


def test_the_tables_are_in_the_page():
    page = PAGE.read_text("utf-8")
    tables = page.partition(BEGIN)[2].partition(END)[0]
    populations: list[Any] = [*BINARY, *CONTINUOUS, *SKEWED, *PAIRS]
    assert all(case.name in tables for case in populations), "run `python -m bench.statistics`"
    assert all(column.name in tables for column in real_columns())
    assert replaced(page, tables.strip()) == page
    assert tuple(chapters_of(page)) == TITLES


def test_one_chapter_is_simulated_alone(capsys):
    before = PAGE.read_text("utf-8")
    main(["--quick", "--only", "Documents and items"])
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("### ")] == [
        "### Documents and items"
    ]
    assert PAGE.read_text("utf-8") == before


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match=r"statistics\.md lacks <!-- simulated:begin --> or <!-- simulated:end -->$"):
        replaced("# Statistics\n", "")
