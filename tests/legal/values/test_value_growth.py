"""Texts built to hurt: values of law are read in time that grows with the length of a text and no faster."""

import pytest

from steelyard.legal.published.lawbench import entities_in
from steelyard.legal.values.statutes import articles, items
from steelyard.legal.values.terms import sentence_of, terms
from steelyard.signals import deadline

pytestmark = pytest.mark.slow

SECONDS = 30  # the time of a quadratic reader is minutes


@pytest.mark.parametrize(
    ("read", "unit"),
    [
        (articles, "§"),
        (lambda text: list(items(text)), "\n"),
        (terms, "死刑、"),
        (sentence_of, "判处死刑,"),
        (terms, "无期徒刑"),
        (lambda text: terms(f"有期徒刑{text}"), " "),
        (entities_in, " "),
        (lambda text: entities_in(f"受害人:({text}"), "a"),
    ],
)
def test_time_grows_with_the_length(read, unit):
    with deadline(SECONDS):
        read(unit * (200_000 // len(unit)))
