"""Rows paired by id: what changed, sums of clusters, questions and settings of the two results."""

import numpy as np
import pytest
from tables import make_table

from steelyard.errors import ConfigError
from steelyard.stats.distributions import unit_scaled
from steelyard.stats.pairing import (
    OWN_SETTINGS,
    Change,
    PairedQuestions,
    changes,
    check_comparable,
    pair,
    paired_questions,
    settings_that_differ,
)
from steelyard.table import Missing, Signature

NAN = float("nan")


def table(name, scores, **fields):
    """A result of scores by id; NaN is an item without a score."""
    values = np.array(list(scores.values()), float)
    lost = {"status": {"F1": np.isnan(values).astype(np.int64)}, "reasons": (Missing("unscored", "?"),)}
    return make_table(name, values, ids=list(scores), **(lost if np.isnan(values).any() else {}), **fields)


def test_changes_are_in_order_of_their_size_and_then_of_their_ids():
    old = table("old", {"e": 0.5, "a": 0.2, "b": 0.5, "c": 0.75, "d": 1.0, "f": 0.3, "g": NAN, "h": 0.5, "i": 0.5})
    new = table(
        "new", {"a": 0.3, "b": 1.0, "c": 0.25, "d": 1.0, "e": 1.0, "f": 0.1 + 0.2, "g": 1.0, "h": NAN, "j": 0.0}
    )
    found = changes(new, old, "F1")
    assert (found.a, found.b, found.metric) == ("new", "old", "F1")
    assert [each.id for each in found.better] == ["b", "e", "a"]
    assert found.better[0] == Change("b", 0.5, 1.0, 0.5)
    assert found.worse == (Change("c", 0.75, 0.25, -0.5),)
    assert (found.only_a, found.only_b) == (("g", "j"), ("h", "i"))


def test_differences_are_summed_within_the_clusters_that_have_one():
    tags = {"document": ["x", "x", "y", "z", "z"]}
    new = table("new", dict(zip("abcde", (0.5, 0.75, NAN, 1.0, NAN), strict=True)), tags=tags)
    old = table("old", dict.fromkeys("abcde", 0.25), tags=tags)
    rows = pair(new, old, "documents")
    found = rows.by_cluster(rows.differences("F1", ties=True)[:, None])
    assert found.shape == (3, 1)
    assert found[:, 0].tolist() == pytest.approx([0.75, NAN, 0.75], nan_ok=True)


def asked(name, **questions):
    """A result of items with these questions, or without one."""
    outputs = tuple(None if each is None else {"question": each} for each in questions.values())
    return make_table(name, [1.0] * len(outputs), ids=list(questions), outputs=outputs)


def test_questions_are_compared_but_for_their_blanks():
    new = asked("new", a="Is  it?", b="Who?", c=None, d=" ", e="Where?", f="Why?")
    old = asked("old", a="Is it? ", b="When?", c="What?", d="How?", e="Where?", g="Why?")
    found = paired_questions(new, old)
    assert found == PairedQuestions(3, (("Who?", "When?"),))
    assert not found.all_differ
    check_comparable(new, old)
    assert paired_questions(new, make_table("plain", [1.0], ids=["a"])) == PairedQuestions(0, ())
    assert not PairedQuestions(0, ()).all_differ


def test_items_that_all_have_other_questions_are_not_compared():
    with pytest.raises(ConfigError) as refused:
        check_comparable(asked("new", a="x" * 200), asked("old", a="Who?"))
    message = str(refused.value)
    assert "Who?" in message
    assert 70 < message.count("x") < 90  # a long question is cut


def test_settings_of_the_system_itself_may_differ():
    def settings(number):
        own = {name: f"{name} {number}" for name in OWN_SETTINGS}
        return Signature.of({"kind": "answers", "profile": "squad" if number else "ultrarag", **own, "at": "x"})

    new, old = (make_table(str(number), [1.0], signature=settings(number)) for number in (1, 0))
    assert set(OWN_SETTINGS) == {"run", "predictions", "format", "system", "suite", "steelyard"}
    assert settings_that_differ(new, old) == ("profile",)
    with pytest.raises(ConfigError, match=r"profile \(squad ≠ ultrarag\)"):
        check_comparable(new, old)
    less = make_table("less", [1.0], signature=Signature.of({"kind": "answers", "profile": "squad"}))
    with pytest.raises(ConfigError, match=r"at \(x ≠ –\)"):
        check_comparable(new, less)


def test_sizes_are_those_of_the_largest_without_rounding():
    assert unit_scaled(np.array([2e-3, -4e-3, 1e-15])).tolist() == [0.5, -1.0, 0.0]
    assert unit_scaled(np.zeros(2)).tolist() == [0.0, 0.0]
