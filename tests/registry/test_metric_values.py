"""What a metric gives is checked alike for rankings and for answers, in one process and in several."""

import numpy as np
import pytest
from platforms import forking

import steelyard
from steelyard.answers.rouge import Overlaps
from steelyard.errors import ConfigError
from steelyard.i18n import Message, as_message
from steelyard.registry.metrics import REGISTRY, metric

TWO = np.ones(2)
NO_NUMBER = "the metric Gives returned a value that is not a number"
NOT_FINITE = "the metric Gives returned a value that is not finite"
SHAPE = "the metric Gives returned values of shape "
TOO_LARGE = "a value of Gives is above the limit of 1e+100"

# what a metric makes of the number of items, and the error
WRONG = {
    "text": (lambda rows: ["high"] * rows, NO_NUMBER),
    "lists of different lengths": (lambda rows: [[1, 2], [3]], NO_NUMBER),
    "an integer too large for a float": (lambda rows: [10**400] * rows, NO_NUMBER),
    "NaN": (lambda rows: [0.0] * (rows - 1) + [np.nan], NOT_FINITE),
    "infinity": (lambda rows: [-np.inf] * rows, NOT_FINITE),
    "too many values": (
        lambda rows: [1.0] * (rows + 1),
        SHAPE + "({more},) for {rows} items",
    ),
    "a table": (lambda rows: np.ones((rows, 2)), SHAPE + "({rows}, 2) for {rows} items"),
    "one number": (lambda rows: 1.0, SHAPE + "() for {rows} items"),
    "nothing": (lambda rows: None, SHAPE + "() for {rows} items"),
    "above the bounds": (lambda rows: [1.5] * rows, "the metric Gives returned 1.5, which is not between 0 and 1"),
    "below the bounds": (lambda rows: [-0.5] * rows, "the metric Gives returned -0.5, which is not between 0 and 1"),
    "a large value": (lambda rows: [1e308] * rows, TOO_LARGE),
    "a large negative value": (lambda rows: [-1e308] * rows, TOO_LARGE),
}
WRONG_OVERLAPS = {
    "another length": (lambda rows: Overlaps(TWO[:1], TWO[:1], TWO[:1]), SHAPE + "(1,)"),
    "NaN in a part": (lambda rows: Overlaps(np.full(rows, np.nan), np.ones(rows), np.ones(rows)), NOT_FINITE),
    "infinity": (lambda rows: Overlaps(np.ones(rows), np.ones(rows), np.full(rows, np.inf)), NOT_FINITE),
}


@pytest.fixture
def register():
    """Register a metric `Gives` for the time of a test: what it gives is made from the number of items."""

    def register(make, kind, **keywords):
        if kind == "retrieval":
            metric("Gives", **keywords)(lambda rankings: make(rankings.queries))
        else:
            metric("Gives", kind="answers", **keywords)(lambda pairs, profile: make(len(pairs.answers)))

    yield register
    REGISTRY.pop("Gives", None)


def evaluate(kind, *metrics, rows=3, **keywords):
    names = [str(number) for number in range(rows)]
    if kind == "retrieval":
        return steelyard.evaluate_retrieval({n: {"d": 1} for n in names}, {n: {"d": 1.0} for n in names}, metrics)
    return steelyard.evaluate_answers(names, names, metrics, **keywords)


def error(*arguments, **keywords):
    with pytest.raises(ConfigError) as caught:
        evaluate(*arguments, **keywords)
    return str(caught.value.message)


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("kind", ["retrieval", "answers"])
def test_a_wrong_value_is_one_error_that_names_the_metric(register, kind, case):
    make, message = WRONG[case]
    register(make, kind)
    assert error(kind, "Gives").startswith(message.format(rows=3, more=4))


@pytest.mark.parametrize("case", WRONG_OVERLAPS)
def test_precision_and_recall_are_checked_too(register, case):
    make, message = WRONG_OVERLAPS[case]
    register(make, "answers")
    assert error("answers", "Gives").startswith(message)


@forking
@pytest.mark.parametrize("case", ["NaN", "too many values", "above the bounds"])
def test_the_error_is_the_same_from_another_process(register, case):
    make, message = WRONG[case]
    register(make, "answers")
    assert error("answers", "Gives", rows=5000, processes=2) == message.format(rows=2048, more=2049)


@pytest.mark.parametrize("kind", ["retrieval", "answers"])
def test_values_within_declared_bounds_are_saved_and_loaded(register, kind, tmp_path):
    register(lambda rows: np.linspace(-2, 100, rows), kind, bounds=(-2, 100))
    evaluate(kind, "Gives").save(tmp_path / "result.jsonl")
    assert steelyard.load(tmp_path / "result.jsonl").column("Gives").tolist() == [-2, 49, 100]


def test_an_answer_is_unscored_for_the_reason_of_its_own_metric(register, tmp_path):
    register(lambda rows: [1.0, np.nan, 0.0][:rows], "answers", unscored="it is too short")
    answers, references = ["A", "42", "B", "x"], [["A"], ["A"], ["A"], []]
    table = steelyard.evaluate_answers(answers, references, ["Choice(skip=1)", "Gives", "EM"])
    table.save(tmp_path / "result.jsonl")
    for each in (table, steelyard.load(tmp_path / "result.jsonl")):
        assert [each.why(name, 1) and each.why(name, 1).reason for name in each.metrics] == [
            Message("missing.no_option"),
            as_message("it is too short"),
            None,
        ]
        assert {each.why(name, 3).reason for name in each.metrics} == {Message("missing.no_reference")}
