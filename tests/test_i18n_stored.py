"""Messages as JSON values: what is stored comes back as it was, and what is no message is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import ConfigError, Problem
from steelyard.i18n import LANGUAGES, Joined, Message, from_json, texts, to_json

PLACE = Message("legal.at_passage", page=3, words="it's", reason=Message("legal.nothing_cited"))
MESSAGES = {
    "plain": Message("legal.nothing_said"),
    "arguments": Message("legal.is_not", text="{0} 24000元", expected="42000"),
    "nested": Message("core.labelled", label=Message("parts.recall"), message=PLACE),
    "joined": Joined("core.clauses", [PLACE, "foreign", PLACE]),
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_a_message_comes_back(message):
    assert from_json(json.loads(json.dumps(to_json(message)))) == message


def test_how_a_message_is_stored():
    assert to_json(MESSAGES["plain"]) == ["legal.nothing_said"]
    assert to_json(PLACE) == ["legal.at_passage", {"page": 3, "words": "it's", "reason": ["legal.nothing_cited"]}]
    assert to_json(Joined("core.or", ["a", PLACE])) == ["core.or", ["a", to_json(PLACE)]]


def test_errors_are_stored_as_their_lines():
    error = ConfigError(Message("legal.nothing_said"), where="a.yaml:3", hint=Message("legal.depends"))
    for value in (error, Problem("b.md", Message("legal.nothing_said")), Problem("", Message("legal.nothing_said"))):
        assert str(from_json(to_json(value))) == str(value)
    assert from_json(to_json(error)).text("zh") == "a.yaml:3：回答为空\n提示：回答称视情况而定"


def test_what_is_not_plain_is_stored_as_text():
    stored = to_json(Message("core.foreign", text=ValueError("no")))
    assert stored == ["core.foreign", {"text": "no"}]
    assert to_json(Message("core.foreign", text=float("nan"))) == ["core.foreign", {"text": "nan"}]


def nested(depth):
    return ["core.foreign", {"text": nested(depth - 1)}] if depth else ["legal.depends"]


@pytest.mark.parametrize(
    "value",
    [
        *(None, 1, "legal.depends", [], {}, [1], ["legal"], ["no.such_code"], ["legal.depends", {}, 1]),
        *(["legal.depends", {"more": 1}], ["legal.is_not", {"text": "a"}], ["legal.depends", {"text": []}]),
        *(["core.no_answer_within", {"timeout": "x"}], ["core.no_answer_within", {"timeout": 10**400}]),
        *(["legal.is_not", ["a", "b"]], ["core.clauses", [1]], ["core.foreign", {"text": {"a": 1}}]),
        *(nested(8), nested(500), ["core.foreign", {"text": 10**5000}]),
    ],
)
def test_what_is_no_message_is_none(value):
    assert from_json(value) is None


def test_messages_inside_messages():
    assert from_json(nested(7)).text("zh") == "回答称视情况而定"


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
codes = st.sampled_from(sorted(texts("en"))) | st.text(max_size=8)
values = st.recursive(
    scalars | codes,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(codes, st.dictionaries(st.sampled_from(["text", "page", "words", "reason"]), inner)).map(list)
    ),
    max_leaves=12,
)


@given(values)
def test_any_value_is_a_message_with_texts_or_none(value):
    found = from_json(value)
    assert found is None or all(isinstance(found.text(language), str) for language in LANGUAGES)
