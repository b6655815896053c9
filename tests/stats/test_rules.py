"""Rules as they are written: each reads back to itself, and what is none is refused with a remedy."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steelyard.errors import ConfigError
from steelyard.stats.rules import NoRegression, NotWorse, Relative, Target, Threshold, parse_rule

MISTAKES = {
    "F1 = 0.5": "not a valid rule: 'F1 = 0.5'",
    "F1": "not a valid rule: 'F1'",
    "": "not a valid rule: ''",
    "F1 => 0.5": "not a valid rule: 'F1 => 0.5'",
    "F1 >= 95%": "'F1 >= 95%': '95%' is not a number",
    "F1 >= baseline * 2": "'F1 >= baseline * 2': 'baseline * 2' is not a number",
    "F1 >= 1e999": "'F1 >= 1e999': '1e999' is not a number",
    "F1 not-worse-by 0": "'F1 not-worse-by 0': the margin must be above 0, not 0",
    "F1 not-worse-by -1": "'F1 not-worse-by -1': the margin must be above 0, not -1",
    "F1[] >= 1": "'F1[] >= 1': '' is not of the form tag=value",
    "F1[type] >= 1": "'F1[type] >= 1': 'type' is not of the form tag=value",
    "F1[a=1,a=2] >= 1": "'F1[a=1,a=2] >= 1': the tag 'a' is given twice",
    r'F1[a="\x"] >= 1': r"""'F1[a="\\x"] >= 1': "\x" is not quoted text""",
    "no item of x may fall from 2": "not a valid rule: 'no item of x may fall from 2'",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_no_rule(text):
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)
    assert str(caught.value.message) == MISTAKES[text]
    assert str(caught.value.hint)


SPELLINGS = {
    "F1 ≥ 0.5": "F1 >= 0.5",
    "F1 ≤ 0.5": "F1 <= 0.5",
    "F1 = 0.5": "F1 == 0.5",
    "F1 => 0.5": "F1 >= 0.5",
    "F1[type=fact] = 1": "F1[type=fact] == 1",
    "F1 >= 95%": "F1 >= 0.95",
    "F1 not-worse-by 2 %": "F1 not-worse-by 0.02",
    "F1 >= baseline − 1%": "F1 >= baseline - 0.01",
    "“F1 >= 0.5”": "F1 >= 0.5",
    "legal[type=“a, b”] ≥ 99.9%": 'legal[type="a, b"] >= 0.999',
    "F1＞＝０.5": "F1 >= 0.5",
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_signs_of_print_are_refused_with_ours(text):
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)
    assert str(caught.value.hint) == f"did you mean {SPELLINGS[text]!r}?"


names = st.text(st.characters(codec="utf-8", exclude_characters='[]<>=()"'), min_size=1).map(
    lambda text: " ".join(text.split())
)
parameters = st.sampled_from(["", "(rel=2)@5", "@10", ".no_hallucination", "(beta=0.5)"])
tag_names = st.text(st.characters(codec="utf-8", exclude_characters='[]=,"'), min_size=1).map(str.strip).filter(bool)
values = st.text(st.characters(codec="utf-8"))
numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
targets = st.builds(
    Target,
    st.builds(lambda name, parameter: " ".join((name + parameter).split()), names.filter(bool), parameters),
    st.dictionaries(tag_names, values, max_size=3).map(lambda found: tuple(found.items())),
)
operators = st.sampled_from([">=", ">", "<=", "<", "=="])
rules = st.one_of(
    st.builds(Threshold, targets, operators, numbers),
    st.builds(Relative, targets, operators, numbers),
    st.builds(NotWorse, targets, numbers.filter(lambda number: number > 0)),
    st.builds(NoRegression, targets),
)


@given(rules)
def test_a_rule_reads_back_to_itself(rule):
    assume("may fall from" not in rule.target.name and "not-worse-by" not in rule.target.name)
    assert parse_rule(str(rule)) == rule


def test_blanks_of_a_name_are_kept_between_quotes_only():
    assert parse_rule("fact  exact >= 1").target.name == "fact exact"
    spaced = Threshold(Target("fact  exact"), ">=", 1.0)
    assert str(spaced) == '"fact  exact" >= 1'
    assert parse_rule(str(spaced)) == spaced
    assert (
        str(Threshold(Target("fact exact", (("a", "x"), ("b", "y, z"))), ">", 0.5)) == 'fact exact[a=x,b="y, z"] > 0.5'
    )
