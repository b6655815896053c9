"""The columns of JuDGE as its script prints them: known answers, and the example of JuDGE where it is at hand."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from foreign_files import DATA

import steelyard
from steelyard.cli import main
from steelyard.contexts.judge import NO_PENALTY
from steelyard.table import Missing, Table

PUBLISHED = [
    *("PublishedTerm", "PublishedFine", "PublishedChargeP", "PublishedChargeR"),
    *("PublishedStatuteP", "PublishedStatuteR"),
]
COPY = os.environ.get("STEELYARD_JUDGE", "")
with_copy = pytest.mark.skipif(not COPY, reason="STEELYARD_JUDGE does not name a copy of JuDGE's repository")


def ruled(ruling: str, cited: str = "《刑法》第二百六十四条") -> str:
    return f"现已审理终结。本院认为，依照{cited}之规定，判决如下：{ruling}。如不服本判决，可以上诉。"


def scores(answer: str, reference: str) -> dict[str, float]:
    table = steelyard.evaluate_answers([answer], [reference], PUBLISHED)
    return {name: table.column(name)[0] for name in PUBLISHED}


def test_known_answers():
    one = ruled("甲犯盗窃罪，判处有期徒刑一年，并处罚金三千元", "《刑法》第二百六十四条、第六十七条")
    other = ruled("甲犯盗窃罪、犯诈骗罪，判处有期徒刑九个月，并处罚金五千元")
    assert list(scores(one, other).values()) == pytest.approx([0.75, 0.6, 1.0, 0.5, 0.5, 1.0])


@pytest.mark.parametrize(
    ("answer", "reference", "term", "fine"),
    [
        ("判处无期徒刑", "判处死刑", 0.0, np.nan),
        ("无罪", "免予刑事处罚", 1.0, np.nan),
        ("无罪", "判处有期徒刑一年", 0.0, np.nan),
        ("罚金一万一千元", "罚金九千元", np.nan, 0.0),  # the fault: as if between a term and death
        ("罚金一万一千元", "罚金二万二千元", np.nan, 0.5),
        ("甲有罪", "罚金二万元", np.nan, 0.0),
    ],
)
def test_ratios(answer, reference, term, fine):
    found = scores(ruled(answer), ruled(reference))
    assert [found["PublishedTerm"], found["PublishedFine"]] == pytest.approx([term, fine], nan_ok=True)


def test_a_judgment_without_penalties_says_so():
    table = steelyard.evaluate_answers([ruled("无")], [ruled("无")], PUBLISHED)
    assert table.why("PublishedTerm", 0) == Missing("unscored", NO_PENALTY)
    # the fault: without articles a judgment does not even agree with itself
    table = steelyard.evaluate_answers([ruled("无", "法律")], [ruled("无", "法律")], PUBLISHED)
    assert table.column("PublishedStatuteP").tolist() == [0.0]


EARLIER = "被告人甲曾因犯盗窃罪被判处拘役二个月，并处罚金五千元。"


@pytest.mark.parametrize(
    ("answer", "reference", "metrics", "expected"),
    [
        (
            "犯盗窃罪，判处有期徒刑一年；犯诈骗罪，判处六个月；决定执行有期徒刑一年三个月",
            "判处有期徒刑一年三个月",
            0,
            (15 / 27, 1),
        ),
        ("甲判处有期徒刑一年；乙判处有期徒刑一年", "判处有期徒刑二年", 0, (0.5, 1)),
        ("判处拘役二个月", "判处拘役二个月十五日", 0, (1, 0.8)),
        ("判处有期徒刑二年零十一个月", "判处有期徒刑三十五个月", 0, (25 / 35, 1)),
        ("一、撤销原判，即判处有期徒刑一年。二、判处有期徒刑六个月", "判处有期徒刑六个月", 0, (6 / 18, 1)),
        ("判处有期徒刑一年", "罚金五千元", 1, (1, 0)),
        ("罚金一万一千元", "罚金九千元", 1, (0, 9 / 11)),
        ("罚金30，000元", "罚金三万元", 1, (0, 1)),
        ("犯职务侵占罪，与前罪诈骗罪的刑罚并罚", "犯职务侵占罪", 2, (1, 1)),
    ],
)
def test_what_the_script_misreads_in_a_ruling_is_read(answer, reference, metrics, expected):
    pairs = [("PublishedTerm", "TermRatio"), ("PublishedFine", "FineRatio"), ("PublishedChargeP", "ChargeP")]
    table = steelyard.evaluate_answers([EARLIER + ruled(answer)], [ruled(reference)], profile="judge")
    assert tuple(table.column(name)[0] for name in pairs[metrics]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("《刑法》第一百三十三条", "《刑法》第一百三十三条之一", (1, 0)),
        ("《刑法》第264条", "《刑法》第二百六十四条", (0, 1)),
        ("《刑法》第六十七条第一款", "《刑法》第六十七条第三款", (1, 1)),
        ("《刑事诉讼法》第二百零一条、《刑法》第十条", "《刑法》第十条", (1, 1)),
        ("《刑法》第十条", "法律", (0, np.nan)),
    ],
)
def test_what_the_script_misreads_in_the_reasoning_is_read(answer, reference, expected):
    table = steelyard.evaluate_answers([ruled("无", answer)], [ruled("无", reference)], profile="judge")
    found = tuple(table.column(name)[0] for name in ("PublishedStatuteP", "StatuteP(depth=0)"))
    assert found == pytest.approx(expected, nan_ok=True)


def test_samples_agree_with_themselves():
    table = steelyard.evaluate_answers(DATA / "judge.jsonl", DATA / "judge.jsonl", PUBLISHED)
    assert [table.mean(name) for name in PUBLISHED] == [1.0] * 6
    read = steelyard.evaluate_answers(DATA / "judge.jsonl", DATA / "judge.jsonl", profile="judge")
    assert {read.mean(name) for name in read.metrics} == {1.0}
    assert len(read.metrics) == 12


def means(answers: str) -> list[str]:
    table = evaluated(answers, PUBLISHED)
    return [f"{table.mean(name):.4f} of {np.isfinite(table.column(name)).sum()}" for name in PUBLISHED]


def test_the_report_lists_the_rows_in_which_both_readings_differ(write, capsys):
    rulings = {"answers": ["罚金一万一千元", "罚金三千元"], "references": ["罚金九千元", "罚金三千元"]}
    files = []
    for name, texts in rulings.items():
        rows = [{"id": number, "document": ruled(text)} for number, text in enumerate(texts)]
        files.append(str(write(f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))))
    assert main(["answers", files[0], "--references", files[1], "--profile", "judge"]) == 0
    text = capsys.readouterr().out
    assert "as read by FineRatio, 1 of 2 items differ from the published score\n" in text
    assert "as read by ChargeP, 0 of 2" in text


def evaluated(answers: str, metrics: list[str] | None = None) -> Table:
    return steelyard.evaluate_answers(Path(COPY) / answers, Path(COPY) / "expected.jsonl", metrics, profile="judge")


@with_copy
def test_the_example_of_judge_has_the_figures_of_its_script():
    """Printed by evaluation/calc.py of JuDGE at 2457c65, chinese2digits 6.0.2, Levenshtein 0.27.5."""
    shown = ["0.6812 of 501", "0.5328 of 373", "0.9275 of 501", "0.9291 of 501", "0.7777 of 501", "0.6542 of 501"]
    assert means("Example_Output.jsonl") == shown


@with_copy
def test_the_references_against_themselves_have_the_figures_of_its_script():
    shown = ["1.0000 of 501", "1.0000 of 355", "1.0000 of 501", "1.0000 of 501", "0.9980 of 501", "0.9980 of 501"]
    assert means("expected.jsonl") == shown


@pytest.mark.slow
@with_copy
def test_the_references_agree_with_themselves_as_read():
    table = evaluated("expected.jsonl")
    assert {table.mean(name) for name in table.metrics if name not in PUBLISHED} == {1.0}
