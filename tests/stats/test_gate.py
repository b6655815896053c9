"""Rules and the verdict each must get."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import make_table as table
from tables import table_of

import steelyard
from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.i18n import Message
from steelyard.stats.gate import GateSettings, Regression, decide
from steelyard.stats.power import DecisionSample
from steelyard.stats.rules import parse_rule
from steelyard.stats.selection import UnknownValue
from steelyard.table import Missing, Signature


def find(rule, new, old=None, **settings):
    (found,) = decide([parse_rule(rule)], new, old, GateSettings(**settings)).findings
    return found


def flat(value, n=40):
    """Values around a mean, none of them alike."""
    return value + np.linspace(-0.05, 0.05, n)


WIDE = [0.0, 0.9] * 20  # a mean of 0.45 and much spread
# rule, values now, values before, verdict, whether the sample settles it
VERDICTS = [
    # thresholds: the mean as measured
    ("F1 >= 0.5", flat(0.6), None, "met", True),
    ("F1 >= 0.44", WIDE, None, "met", False),
    ("F1 >= 0.46", WIDE, None, "not met", False),
    ("F1 >= 0.8", flat(0.6), None, "not met", True),
    ("F1 >= 0.45", WIDE, None, "met", False),  # on the line
    ("F1 > 0.45", WIDE, None, "not met", False),
    ("F1 <= 0.7", flat(0.6), None, "met", True),
    ("F1 < 0.45", WIDE, None, "not met", False),
    ("F1 < 0.9", flat(0.6), None, "met", True),
    ("F1 == 1", [1.0] * 30, None, "met", False),  # of these items; no sample proves it of others
    ("F1 == 1", [1.0] * 29 + [0.9], None, "not met", True),  # one item settles it
    ("F1 >= 1", [1.0] * 29 + [0.9], None, "not met", True),
    ("F1 >= 1", [1.0] * 30, None, "met", False),
    ("F1 < 1", [1.0] * 30, None, "not met", False),  # the next item may be less
    ("F1 >= 0.95", [1.0] * 30, None, "met", False),  # Wilson's interval of 30 of 30 goes down to 0.89
    ("F1 >= 0.95", [1.0] * 90, None, "met", True),
    ("F1 >= 0.3", [1.0, 0.0] * 3, None, "met", False),
    ("F1 >= 0", flat(0.6), None, "met", True),
    # guards against a baseline: measured, or proven to be worse
    ("F1 >= baseline", flat(0.6), flat(0.6), "met", False),  # all tie, which is no proof
    ("F1 >= baseline", flat(0.8), flat(0.6), "met", True),
    ("F1 >= baseline", flat(0.5), flat(0.6), "not met", True),
    ("F1 >= baseline", WIDE, [0.5, 0.45] * 20, "cannot tell", False),
    ("F1 >= baseline - 0.1", WIDE, [0.5, 0.45] * 20, "met", False),
    ("F1 >= baseline + 0.1", WIDE, [0.5, 0.45] * 20, "cannot tell", False),
    ("F1 <= baseline", flat(0.5), flat(0.6), "met", True),
    ("F1 <= baseline", flat(0.7), flat(0.6), "not met", True),
    # claims must be proven
    ("F1 > baseline", flat(0.8), flat(0.6), "met", True),
    ("F1 > baseline", [0.0, 0.95] * 20, [0.5, 0.4] * 20, "cannot tell", False),
    ("F1 > baseline", flat(0.6), flat(0.6), "not met", False),
    ("F1 > baseline", flat(0.5), flat(0.6), "not met", True),
    ("F1 < baseline", flat(0.5), flat(0.6), "met", True),
    ("F1 == baseline", flat(0.6), flat(0.6), "met", False),
    ("F1 == baseline", flat(0.5), flat(0.6), "not met", True),
    # non-inferiority: the interval of the difference decides, not the point
    ("F1 not-worse-by 0.01", flat(0.6), flat(0.6)[::-1], "cannot tell", False),
    ("F1 not-worse-by 0.02", flat(0.6), flat(0.6)[::-1], "met", True),
    ("F1 not-worse-by 0.02", flat(0.6) + 0.1, flat(0.6)[::-1], "met", True),
    ("F1 not-worse-by 0.02", flat(0.5), flat(0.6), "not met", True),
    ("F1 not-worse-by 0.02", [1.0] * 30, [1.0] * 30, "cannot tell", False),  # thirty ties do not prove it
    ("F1 not-worse-by 0.02", [1.0] * 140, [1.0] * 140, "met", True),  # z²/(n + z²) < 0.02 from n = 133 on
    ("F1 not-worse-by 0.5", [1.0] * 29 + [0.0], [1.0] * 30, "met", True),
    ("F1 not-worse-by 0.1", [0.0] * 30, [1.0] * 30, "not met", True),
    # items
    ("no item of F1 may fall from 1", [1.0, 1.0, 0.5], [1.0, 1.0, 0.9], "met", True),
    ("no item of F1 may fall from 1", [1.0, 0.99, 1.0], [1.0, 1.0, 0.0], "not met", True),
    ("no item of F1 may fall from 1", [1.0, 1.0], [0.9, 0.9], "not met", True),  # nothing is guarded
]


@pytest.mark.parametrize(("rule", "new", "old", "verdict", "sure"), VERDICTS)
def test_verdicts(rule, new, old, verdict, sure):
    found = find(rule, table("new", new), None if old is None else table("old", old))
    assert (found.outcome, found.sure) == (verdict, sure)


def test_only_what_is_met_passes_unless_the_undecided_may():
    new, old = table("new", WIDE), table("old", [0.5, 0.45] * 20)
    rules = [parse_rule("F1 >= baseline"), parse_rule("F1 >= 0.4")]
    assert not decide(rules, new, old).passed
    assert decide(rules, new, old, GateSettings(allow_inconclusive=True)).passed
    assert not decide([parse_rule("F1 >= 0.5")], new, settings=GateSettings(allow_inconclusive=True)).passed


def test_the_interval_is_one_sided_for_non_inferiority():
    new, old = table("new", flat(0.6)), table("old", flat(0.6)[::-1])
    assert find("F1 not-worse-by 0.02", new, old).level == pytest.approx(0.9)
    assert find("F1 >= baseline", new, old).level == pytest.approx(0.95)
    assert find("F1 >= 0.5", new, alpha=0.01).level == pytest.approx(0.99)


def test_alpha_decides_what_is_proof():
    source = np.random.default_rng(4)
    old = table("old", flat(0.5))
    new = table("new", flat(0.5) + source.normal(-0.02, 0.05, 40))
    assert find("F1 >= baseline", new, old).outcome == "not met"
    assert find("F1 >= baseline", new, old, alpha=0.0001).outcome == "cannot tell"


def test_tags_parts_and_unscored_items():
    new = table_of(
        ids=list("abcd"),
        columns={"legal": np.array([1.0, 0.5, np.nan, 0.0])},
        status={"legal": np.array([0, 0, 1, 0])},
        reasons=(Missing("unscored", "no key"),),
        tags={"type": ["fact", "fact", "fact", "gap"], "level": ["easy", "hard", "hard", "hard"]},
        parts={"legal": {"honest": np.array([np.nan, np.nan, np.nan, 1.0]), "exact": np.array([1, 0, 0, np.nan])}},
        name="new",
    )
    assert find("legal[type=fact] >= 0.7", new).value == 0.75
    assert find("legal[type=fact,level=hard] == 0.5", new).n == 1
    assert (find("legal.honest == 1", new).n, find("legal.honest == 1", new).outcome) == (1, "met")
    assert find("legal.exact[level=hard] <= 0", new).outcome == "met"
    nothing = find("legal[type=nothing] >= 0", new)
    assert (nothing.outcome, nothing.n, math.isnan(nothing.value)) == ("not met", 0, True)


def test_a_rule_over_no_rows_is_not_met():
    empty = table("new", [])
    assert find("F1 >= 0", empty).outcome == "not met"
    new, old = table("new", [1.0], ids=["a"]), table("old", [1.0], ids=["b"])
    for rule in ("F1 >= baseline", "F1 not-worse-by 0.5"):
        assert (find(rule, new, old).outcome, find(rule, new, old).n) == ("not met", 0)


def test_items_that_are_gone_or_unscored_have_fallen():
    gap = {"reasons": (Missing("error", "judge failed"),), "status": {"F1": np.array([0, 1, 0])}}
    new = table("new", [0.4, np.nan, 1.0], ids=["a", "b", "c"], **gap)
    old = table("old", [1.0, 1.0, 1.0, 1.0, 0.2], ids=["a", "b", "c", "d", "e"])
    found = find("no item of F1 may fall from 1", new, old)
    assert (found.n, found.regressions) == (4, (Regression("a", 0.4), Regression("b", None), Regression("d", None)))


def test_a_type_of_question_may_not_fall():
    tags = {"type": ["fact_exact", "fact_exact", "conflict_gap"]}
    old = table("old", [1.0, 1.0, 1.0], metric="legal", tags=tags)
    new = table("new", [1.0, 1.0, 0.0], metric="legal", tags=tags)
    assert find("no item of fact_exact may fall from 1", new, old).outcome == "met"
    assert find("no item of conflict_gap may fall from 1", new, old).regressions == (Regression("q2", 0.0),)
    assert find("no item of legal[type=conflict_gap] may fall from 1", new, old).outcome == "not met"


def test_items_only_one_side_has_are_counted():
    found = find("F1 >= baseline", table("new", flat(0.6, 10)), table("old", flat(0.6, 13)))
    assert (found.n, found.unpaired) == (10, 3)


def test_items_of_one_document_count_as_documents():
    tags = {"document": [str(n // 10) for n in range(40)]}
    values = np.repeat([0.9, 0.9, 0.9, 0.2], 10) + np.tile(np.linspace(-0.02, 0.02, 10), 4)
    assert find("F1 >= 0.5", table("new", values)).sure
    found = find("F1 >= 0.5", table("new", values, tags=tags))
    assert (found.sure, found.scope, found.units) == (True, "items", 40)  # four documents: about these
    (other,) = found.others
    assert (other.sure, other.scope, other.units, other.outcome) == (False, "documents", 4, "cannot tell")
    by_document = find("F1 >= 0.5", table("new", values, tags=tags), units="documents")
    assert (by_document.sure, by_document.scope, by_document.others[0].sure) == (False, "documents", True)


@pytest.mark.parametrize("side", ["new", "old"])
def test_a_run_that_was_cut_off_meets_nothing_unless_told(side):
    rules = [parse_rule("F1 >= 0.5"), parse_rule("F1 >= baseline"), parse_rule("no item of F1 may fall from 1")]
    new, old = (table(name, [1.0] * 40, complete=name != side) for name in ("new", "old"))
    found = decide(rules, new, old, GateSettings(allow_inconclusive=True))
    assert (found.passed, [each.outcome for each in found.findings]) == (False, ["not met"] * 3)
    assert [each.name for each in found.cut_off] == [side]
    assert all(finding.cut_off for finding in found.findings)
    assert decide(rules, new, old, GateSettings(force=True)).passed


DOCUMENTS = {"document": [str(n // 10) for n in range(40)]}


@pytest.mark.parametrize(
    ("rule", "new", "old"),
    [
        ("F1 >= 0.5", np.repeat([0.9, 0.9, 0.7, 0.2], 10) + np.tile(np.linspace(-0.02, 0.02, 10), 4), None),
        ("F1 >= baseline", np.repeat([0.6, 0.5, 0.6, 0.2], 10), [0.5] * 40),
        ("F1 not-worse-by 0.1", np.repeat([0.5, 0.6, 0.5, 0.3], 10), [0.5] * 40),
    ],
)
def test_where_items_share_documents_it_is_documents_that_are_missing(rule, new, old):
    def find_in(times, *, same_documents):
        """As many times the items, from the same documents or from others like them."""
        tags = {"document": [d if same_documents else f"{d} {n}" for n in range(times) for d in DOCUMENTS["document"]]}
        before = None if old is None else table("old", np.tile(old, times), tags=tags)
        return find(rule, table("new", np.tile(new, times), tags=tags), before, units="documents")

    found = find_in(1, same_documents=False)
    assert (found.sure, found.more_items) == (False, None)
    enough = math.ceil((4 + found.more_documents) / 4)
    assert find_in(enough, same_documents=False).sure
    assert not find_in(max(enough, 30), same_documents=True).sure


def test_a_value_that_no_item_has_offers_the_nearest():
    new = table("new", [1.0, 0.5], tags={"type": ["fact_exact", "gap"], "level": ["easy", "hard"]})
    slip = UnknownValue("type", "fact_exat", Message("core.nearest_name", name="fact_exact"))
    for rule in (
        "F1[type=fact_exat] >= 0",
        "F1[type=fact_exat] >= baseline",
        "no item of F1[type=fact_exat] may fall from 1",
    ):
        found = find(rule, new, new)
        assert (found.outcome, found.unknown) == ("not met", slip), rule
        assert (found.n, found.items, found.failed, found.errors) == (0, 0, 0, 0)
    known = Message("core.known", names="fact_exact, gap")
    assert find("F1[type=事实型] >= 0", new).unknown == UnknownValue("type", "事实型", known)
    assert find("F1[type=gap,level=easy] >= 0", new).unknown is None  # each is there, though never together


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("F1 >= 0.46", WIDE),
        ("F1 >= 0.44", WIDE),
        ("F1 >= 0.95", [1.0] * 30),
        ("F1 >= 0.5", [1.0, 0.0, 1.0] * 5),
        ("F1 <= 0.6", [0.2, 0.8, 0.9, 0.1]),
    ],
)
def test_as_many_items_as_are_said_settle_it(rule, values):
    found = find(rule, table("new", values))
    assert not found.sure
    more = int(np.ceil((len(values) + found.more_items) / len(values)))
    assert find(rule, table("new", list(values) * more)).sure


@pytest.mark.parametrize("new", [[1.0] * 30, [1.0] * 28 + [0.0, 0.9]])
def test_as_many_items_as_are_said_settle_non_inferiority(new):
    old = [1.0] * 29 + [0.9]
    found = find("F1 not-worse-by 0.1", table("new", new), table("old", old))
    more = int(np.ceil((len(new) + (found.more_items or 0)) / len(new)))
    again = find("F1 not-worse-by 0.1", table("new", new * more), table("old", old * more))
    assert again.sure


def test_no_number_of_items_settles_what_lies_on_the_line():
    assert find("F1 >= 0.45", table("new", WIDE)).more_items is None
    assert find("F1 == 1", table("new", [1.0] * 9)).more_items is None


def test_without_bounds_ties_say_nothing():
    found = find("F1 not-worse-by 0.02", table("new", [5.0] * 9, bounds={}), table("old", [5.0] * 9, bounds={}))
    assert (found.outcome, found.more_items, math.isnan(found.interval.low)) == ("cannot tell", None, True)


def test_ties_have_the_interval_of_agresti_and_coull():
    low = DecisionSample(np.zeros(30), (-1.0, 1.0), paired=True).interval(0.9).low
    square = 1.6448536269514722**2
    assert low == pytest.approx(-square / (30 + square))


@pytest.mark.slow
@pytest.mark.parametrize("losses", [0.02, 0.1])
def test_non_inferiority_errs_in_at_most_one_of_twenty(losses):
    """Worse by just the margin: no more than 5 % may be called not worse, with 3 standard errors of 1,000 drawings."""
    source = np.random.default_rng(8)
    gains, wrong = losses - 0.02, 0
    for _ in range(1000):
        drawn = source.random(150)
        new = np.where(drawn < losses, 0.0, np.where(drawn < losses + gains, 1.0, 0.5))
        wrong += find("F1 not-worse-by 0.01", table("new", new), table("old", [0.5] * 150)).outcome == "met"
    assert wrong <= 50 + 3 * np.sqrt(1000 * 0.05 * 0.95)


def test_unknown_names_offer_the_nearest():
    parts = {"legal": {"no_hallucination": np.array([1.0, np.nan])}}
    new = table("new", [1.0, 0.5], metric="legal", tags={"type": ["fact_exact", "gap"]}, parts=parts)
    with pytest.raises(UnknownName, match=r"^new: no metric is called 'leagl'\nhint: did you mean 'legal'\?$"):
        find("leagl >= 1", new)
    with pytest.raises(UnknownName, match=r"did you mean 'score'\?$"):
        find("scor >= 1", new)
    with pytest.raises(UnknownName, match=r"known: score, legal, legal.no_hallucination$"):
        find("得分 >= 1", new)
    with pytest.raises(UnknownName, match=r"did you mean 'legal.no_hallucination'\?$"):
        find("legal.no_halucination >= 1", new)
    with pytest.raises(UnknownName, match=r"^new: no tag is called 'typ'\nhint: did you mean 'type'\?$"):
        find("legal[typ=x] >= 1", new)
    with pytest.raises(
        UnknownName, match=r"^no metric or question type is called 'fact_exat'\nhint: did you mean 'fact_exact'\?$"
    ):
        find("no item of fact_exat may fall from 1", new, new)


def test_a_type_needs_a_metric_where_there_are_several():
    new = table_of(ids=["a"], columns={"F1": np.ones(1), "EM": np.ones(1)}, tags={"type": ["fact"]}, name="new")
    message = r"^'fact' is a question type, and there are several metrics: F1, EM\nhint: write no item of METRIC\["
    with pytest.raises(ConfigError, match=message):
        find("no item of fact may fall from 1", new, new)


def test_what_cannot_be_decided_is_refused():
    new = table("new", [1.0], signature=Signature.of({"missing": "zero", "run": "a"}))
    old = table("old", [1.0], signature=Signature.of({"missing": "skip", "run": "b"}))
    with pytest.raises(
        ConfigError, match=r"^this rule needs a baseline: F1 >= baseline\nhint: specify an earlier result"
    ):
        find("F1 >= baseline", new)
    with pytest.raises(ConfigError, match=r"^no rule is given\n"):
        decide([], new)
    with pytest.raises(
        ConfigError, match=r"^new and old are not comparable, their settings differ: missing \(zero ≠ skip\)\nhint: "
    ):
        find("F1 >= baseline", new, old)
    assert decide([parse_rule("F1 >= baseline")], new, old, GateSettings(force=True)).settings_differ == ("missing",)
    with pytest.raises(ConfigError, match=r"^alpha must be between 0 and 0\.5, not 0\.5$"):
        GateSettings(alpha=0.5)


pieces = st.lists(
    st.one_of(
        st.sampled_from(
            ["F1", "[", "]", "type=", '"', "\\", ">=", "==", "<", "baseline", "-", "+", "0.1", ",", "not-worse-by"]
        ),
        st.sampled_from(["no item of", "may fall from 1", "legal.x", "(", ")", " ", "\n", "1e", "nan", "inf"]),
        st.text(max_size=3),
    )
)


@given(st.one_of(st.text(), pieces.map("".join), pieces.map(" ".join)))
def test_garbage_is_refused_with_a_message(text):
    new = table("new", [0.5, 1.0])
    try:
        rule = parse_rule(text)
        decide([rule], new, new)
    except (ConfigError, InputError, UnknownName):
        return
    assert parse_rule(str(rule)) == rule


def test_the_scored_items_of_a_rule_are_counted():
    nothing, reasons = float("nan"), (Missing("unscored", "not measured"),)
    status = {"x": np.array([0, *[1] * 9]), "y": np.ones(10, int)}
    columns = {"x": np.array([1.0, *[nothing] * 9]), "y": np.full(10, nothing), "z": np.ones(10)}
    result = table_of([str(row) for row in range(10)], columns, status=status, reasons=reasons, name="r")
    some, none = find("x >= 0.5", result), find("y >= 0", result)
    assert (some.outcome, some.n, some.items) == ("met", 1, 10)
    assert (none.outcome, none.n, none.items) == ("not met", 0, 10)
    gate = steelyard.gate(result, ["x >= 0.5", "y >= 0"])
    assert "1 of 10 items has a score" in str(gate)
    assert "0 of 10 items have a score" in str(gate)
    assert "without a score" not in str(steelyard.gate(result, "z >= 0.5"))


def test_a_rule_about_a_count_says_that_it_is_about_the_mean():
    counted = table("r", {"NumRet": [3.0, 5.0]}, bounds=None, sums=("NumRet",))
    assert "NumRet: rules are about the mean per item" in str(steelyard.gate(counted, "NumRet >= 4"))


@pytest.mark.parametrize("part", ["agreed_judge", "agreed_person", "corrected", "corrected_quoted"])
def test_what_a_review_records_is_no_score(part):
    reviewed = table("r", [1.0] * 40, metric="legal", parts={"legal": {part: np.ones(40), "passed": np.ones(40)}})
    found = find(f"legal.{part} >= 0.5", reviewed)
    assert (found.outcome, found.advisory.code, found.sure) == ("advisory", "calibration.review_part", True)
    assert find("legal.passed >= 0.5", reviewed).outcome == "met"


def outcomes(name, undecided):
    """Forty answers: so many that rules cannot decide, then one wrong answer, the others accurate."""
    wrong = np.arange(40) == undecided
    parts = {part: np.zeros(40) for part in ("incomplete", "hallucinated")}
    parts |= {"wrong": wrong.astype(float), "uncertain": (np.arange(40) < undecided).astype(float)}
    return table(name, (np.arange(40) > undecided).astype(float), metric="Accurate", parts={"Accurate": parts})


@pytest.mark.parametrize(
    "rule",
    [
        "Accurate >= 0.1",
        "Accurate.hallucinated <= 0.05",
        "Accurate.wrong <= baseline",
        "no item of Accurate may fall from 1",
    ],
)
def test_a_share_of_which_more_than_a_fifth_is_undecided_decides_nothing(rule):
    old = outcomes("old", 0)
    found = find(rule, outcomes("new", 20), old)
    assert (found.outcome, found.sure, found.advisory.code) == ("cannot tell", False, "stats.mostly_undecided")
    assert np.isnan(found.value)
    assert find(rule, outcomes("new", 8), old).advisory is None
    if "baseline" in rule:
        assert find(rule, old, outcomes("new", 20)).outcome == "cannot tell"


def test_such_a_rule_says_why_and_what_is_undecided_can_be_a_rule():
    gate = steelyard.gate(outcomes("new", 20), ["Accurate.hallucinated <= 0.05"])
    assert not gate.passed
    assert "more than a fifth of the answers is undecided" in str(gate)
    assert "the judge says" not in str(gate)
    assert find("Accurate.uncertain <= 0.1", outcomes("new", 20)).outcome == "not met"


def test_a_part_beyond_the_bounds_of_its_metric_has_none():
    parts = {"words": np.arange(40.0), "precision": np.tile([0.9, 1.0], 20)}
    result = table("r", [0.5, 1.0] * 20, metric="F1", parts={"F1": parts})
    words, precision = find("F1.words >= 15", result), find("F1.precision >= 0.5", result)
    assert (words.outcome, words.value) == ("met", 19.5)
    assert words.interval.low < 19.5 < words.interval.high
    assert precision.interval.high <= 1
