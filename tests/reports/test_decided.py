"""Who decided the verdicts of a result, and errors by coverage where it has reviews."""

import json
import math

import numpy as np
import pytest
from commands import run
from rendering import as_json, render_console, render_markdown
from tables import table_of

from steelyard.io.reviews import Judgement, Sampling, digest_of, render_review_lines
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.stats.review import SampleSettings, SampleSize, decided_by, risk_coverage, take_sample, with_reviews

UNCERTAIN = [1.0] * 4 + [0.0] * 16
SCORES = [0.0, 1.0] * 6 + [0.5] * 4 + [1.0] * 4


@pytest.fixture
def table():
    """Twenty verdicts: four uncertain, and four with partial credit."""
    return table_of(
        ids=[f"q{row}" for row in range(20)],
        columns={"legal": np.array(SCORES)},
        kind="legal",
        parts={"legal": {"uncertain": np.array(UNCERTAIN)}},
    )


def judgements(table, wrong, reviewer="A", rows=range(20)):
    sampling = Sampling(1, None, 20, 20, "", 20, 20)
    return [
        Judgement(f"q{row}", SCORES[row], row not in wrong, False, "", reviewer, "legal", digest_of(table), sampling)
        for row in rows
    ]


def test_without_reviews_rules_decide_all_but_the_uncertain(table):
    assert decided_by(table, "legal") == {"rules": 16, "judge": 0, "person": 0, "uncertain": 4}
    assert risk_coverage(table, "legal") == []
    assert "rules" in render_console(Report([table]))


def test_a_result_that_does_not_record_doubt_says_nothing(table):
    plain = table_of(ids=table.ids, columns={"legal": np.array(SCORES)}, kind="legal")
    assert (decided_by(plain, "legal"), risk_coverage(plain, "legal")) == ({}, [])
    assert "decided" not in render_console(Report([plain]))


def test_a_review_decides_by_a_person_or_by_a_judge(table):
    found = with_reviews(table, judgements(table, (), rows=(0, 1, 10)))
    found = with_reviews(found, judgements(table, (), "judge:model-1", rows=(1, 2)))
    assert decided_by(found, "legal") == {"rules": 15, "judge": 1, "person": 3, "uncertain": 1}


def test_errors_fall_as_doubtful_verdicts_are_left_out(table):
    found = with_reviews(table, judgements(table, (0, 1, 12)))
    assert [tuple(point) for point in risk_coverage(found, "legal")] == [
        ("", 1.0, 20, pytest.approx(0.15)),
        ("uncertain", 0.8, 16, pytest.approx(1 / 16)),
        ("partial", 0.6, 12, 0.0),
    ]


def test_a_sample_counts_by_the_number_of_verdicts_of_its_kind(table):
    """All uncertain verdicts and a quarter of the others were read: the error rate of all is not that of the sample."""
    found = with_reviews(table, judgements(table, (0, 1), rows=(0, 1, 2, 3, 4, 12, 19)))
    whole, certain, *_ = risk_coverage(found, "legal")
    assert (whole.error, certain.error) == (pytest.approx(0.1), 0.0)
    unread = with_reviews(table, judgements(table, (0,), rows=(0, 1)))
    assert all(math.isnan(point.error) for point in risk_coverage(unread, "legal"))


def test_every_format_shows_it(table):
    report = Report([with_reviews(table, judgements(table, (0, 1, 12)))])
    for text in (render_console(report), render_markdown(report), render_html(report)):
        assert "errors by coverage" in text
        assert "15.0 %" in text
    (result,) = as_json(report)["results"]
    assert result["decided_by"] == {"rules": 0, "judge": 0, "person": 20, "uncertain": 0}
    assert [point["without"] for point in result["risk_coverage"]] == ["", "uncertain", "partial"]


def test_uncertain_verdicts_are_sampled_first(table):
    drawn = take_sample(table, SampleSettings(SampleSize(6), by="uncertain"))
    assert {each.id for each in drawn[:4]} == {"q0", "q1", "q2", "q3"}


def test_the_command_reads_reviews(tmp_path, table):
    from steelyard.io.results import save

    save(table, tmp_path / "r.jsonl")
    (tmp_path / "a.jsonl").write_text(render_review_lines(judgements(table, (0,))), encoding="utf-8")
    code, out, _ = run("report", tmp_path / "r.jsonl", "--reviews", tmp_path / "a.jsonl", "--lang", "zh")
    assert (code, "按覆盖率的错误率" in out) == (0, True)
    other = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    lines = "".join(json.dumps({**each, "result": "0" * 16}) + "\n" for each in other)
    (tmp_path / "b.jsonl").write_text(lines, encoding="utf-8")
    code, _, err = run("report", tmp_path / "r.jsonl", "--reviews", tmp_path / "b.jsonl", "--lang", "en")
    assert (code, "b.jsonl" in err) == (2, True)
