"""The compact letter display, against every set of systems that do not differ."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.correction import letters

NAMES = ["s1", "s2", "s3", "s4", "s5", "s6"]
PAIRS = list(combinations(NAMES, 2))


def alike_groups(names, differing):
    """Every largest set of names of which no two differ, by trying all sets."""
    differing = {frozenset(pair) for pair in differing}
    alike = [
        set(group)
        for size in range(1, len(names) + 1)
        for group in combinations(names, size)
        if not any(frozenset(pair) in differing for pair in combinations(group, 2))
    ]
    return [group for group in alike if not any(group < other for other in alike)]


@given(st.sets(st.sampled_from(PAIRS)))
def test_sharing_a_letter_is_not_differing(differing):
    found = letters(NAMES, differing)
    for one, other in PAIRS:
        assert bool(set(found[one]) & set(found[other])) == ((one, other) not in differing)


@given(st.sets(st.sampled_from(PAIRS)))
def test_each_letter_is_a_largest_group_and_none_is_idle(differing):
    found = letters(NAMES, differing)
    used = sorted(set("".join(found.values())))
    groups = [{name for name in NAMES if letter in found[name]} for letter in used]
    expected = alike_groups(NAMES, differing)
    assert all(group in expected for group in groups)
    for group in groups:
        others = [other for other in groups if other is not group]
        bonds = [set(pair) for pair in combinations(group, 2)] + [{name} for name in group]
        assert not all(any(bond <= other for other in others) for bond in bonds)
    assert used == list("abcdefghijklmnopqrstuvwxyz"[: len(used)])


@given(st.sets(st.sampled_from(PAIRS)), st.randoms())
def test_the_order_of_the_pairs_does_not_matter(differing, source):
    turned = [pair if source.random() < 0.5 else pair[::-1] for pair in differing]
    source.shuffle(turned)
    assert letters(NAMES, turned) == letters(NAMES, sorted(differing))


@pytest.mark.parametrize(
    ("differing", "expected"),
    [
        ([], {"x": "a", "y": "a", "z": "a"}),
        ([("x", "z")], {"x": "a", "y": "ab", "z": "b"}),
        ([("x", "y"), ("x", "z")], {"x": "a", "y": "b", "z": "b"}),
        ([("x", "y"), ("x", "z"), ("y", "z")], {"x": "a", "y": "b", "z": "c"}),
    ],
)
def test_the_best_has_the_first_letter(differing, expected):
    assert letters(["x", "y", "z"], differing) == expected


def test_more_systems_than_letters():
    names = [f"s{n}" for n in range(54)]
    found = letters(names, combinations(names, 2))
    assert (found["s0"], found["s25"], found["s26"], found["s52"]) == ("a", "z", "A", "(53)")
