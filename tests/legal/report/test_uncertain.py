"""Uncertain verdicts of a real results file: in every format, with the range of the mean, and nothing where the part
is absent."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from rendering import as_json, render_console, render_latex, render_markdown
from reports.marked import REASON, mark_uncertain, unmark

from steelyard.cli import main
from steelyard.io.results import load
from steelyard.legal.report.results import uncertain, uncertain_by_type
from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html

SYSTEM = """def query(question):
    return "材料未载明。" if len(question) % 3 == 0 else "是，一共42000元。"
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What `bench` writes of a small Python system, without the part."""
    folder = tmp_path_factory.mktemp("uncertain")
    (folder / "answering.py").write_text(SYSTEM, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        result = folder / "judged.jsonl"
        assert main(["bench", "--system", "python:answering:query", "-o", str(result), "--lang", "en"]) == 0
    return unmark(result, folder / "plain.jsonl")


@pytest.fixture(scope="module")
def marked(plain):
    """Every third fact and gap is uncertain; answers come in any order, so the id decides."""
    third = lambda item, kind: kind != "evidence_set" and int(item[-3:]) % 3 == 0  # noqa: E731
    return mark_uncertain(plain, plain.with_name("marked.jsonl"), third)


@pytest.fixture(scope="module")
def certain(plain):
    """No verdict is uncertain."""
    return mark_uncertain(plain, plain.with_name("certain.jsonl"), lambda *_: False)


def expected_range(path, kinds):
    """The mean of the scores with the open part at 0 and at 1, by the formulas of explanation/verdicts.md."""
    low, high = [], []
    for line in map(json.loads, path.read_text("utf-8").splitlines()):
        if "scores" in line and line["tags"]["type"] in kinds:
            parts, score = line["parts"]["legal"], line["scores"]["legal"]
            low.append(rescored(parts, 0.0) if parts["uncertain"] else score)
            high.append(rescored(parts, 1.0) if parts["uncertain"] else score)
    return [np.mean(low), np.mean(high)]


def rescored(parts, term):
    if "exact_match" in parts:
        return 0.7 * term + 0.3 * parts["citation_correctness"] if "citation_correctness" in parts else term
    if "points_reached" in parts:  # the factors stay as they are
        factors = parts.get("conclusion_right", 1) * parts.get("length_factor", 1)
        return min(1.0, max(0.0, parts["points_reached"] * factors + term - parts["points_reached"]))
    last = [parts[name] for name in ("quote_included", "conflict_surfaced") if name in parts][:1]
    first = 0.4 * term + 0.4 * parts["no_hallucination"]
    return first + 0.2 * last[0] if last else first / 0.8


ALL = ("fact_exact", "evidence_set", "conflict_gap", "key_points")


def test_the_range_of_the_mean(marked):
    table = load(marked)
    found = uncertain(table)
    assert found.count == int(table.parts["legal"]["uncertain"].sum()) > 20
    assert (found.share.items, found.mean) == (165, table.mean("legal"))
    assert [found.low, found.high] == pytest.approx(expected_range(marked, ALL))
    assert found.low < found.mean < found.high
    by_type = {each.share.type: each for each in uncertain_by_type(table)}
    assert set(by_type) == set(ALL)
    for kind, each in by_type.items():
        assert [each.low, each.high] == pytest.approx(expected_range(marked, (kind,)))
    assert by_type["evidence_set"].low == by_type["evidence_set"].high == by_type["evidence_set"].mean


def test_the_json_has_the_part_and_the_range(marked):
    table = load(marked)
    (result,) = as_json(Report([table], per_item=True))["results"]
    found, said = uncertain(table), result["legal"]["uncertain"]
    assert said["mean_range"] == [found.low, found.high]
    assert (said["count"], said["items"], said["share"]) == (found.count, 165, found.count / 165)
    assert said["ci95"][0] < said["share"] < said["ci95"][1]
    assert sum(each["count"] for each in said["by_type"].values()) == found.count
    rows = {each["type"]: each for each in result["legal"]["by_type"] if each["part"] == "uncertain"}
    assert {kind: row["mean"] for kind, row in rows.items()} == {
        kind: each["share"] for kind, each in said["by_type"].items()
    }
    assert sum(item["parts"]["legal"]["uncertain"] for item in result["per_item"]) == found.count
    json.dumps(result, allow_nan=False)


def test_one_line_in_every_text(marked):
    table = load(marked)
    found = uncertain(table)
    low, high, share = f"{found.low:.4f}", f"{found.high:.4f}", f"{100 * found.count / 165:.1f} %"
    english = f"{table.name}: uncertain {found.count} of 165 ({share}), the mean would be between {low} and {high}\n"
    close = share.replace(" ", "")
    chinese = (
        f"{table.name}：存疑 {found.count}/165 条（{close}），存疑条目全部判错或全部判对时，均值为 {low} 至 {high}\n"
    )
    for render in (render_console, render_markdown, render_latex):
        assert english in render(Report([table]), language="en")
        assert chinese in render(Report([table]), language="zh")
    row = rf"all & {found.count} / 165 ({share[:-1]}\%) & {found.mean:.4f} & {low} & {high} \\"
    assert row in render_latex(Report([table]))


def test_a_result_without_the_part_is_read_and_shows_nothing(plain):
    table = load(plain)
    assert uncertain(table) is None
    assert uncertain_by_type(table) == []
    report = Report([table])
    assert "uncertain" not in as_json(report)["results"][0]["legal"]
    for text in (render_console(report), render_markdown(report), render_latex(report)):
        assert "uncertain" not in text
    assert 'class="card tile"' not in render_html(report)


def test_nothing_uncertain_has_no_range(certain):
    table = load(certain)
    text = render_console(Report([table]))
    assert f"{table.name}: uncertain 0 of 165 (0.0 %)\n" in text
    assert "would be" not in text
    assert uncertain(table).low == uncertain(table).high == table.mean("legal")


def test_items_without_the_part_are_not_counted(marked):
    """A run that an earlier version began and this one resumed."""
    table = load(marked)
    column = table.parts["legal"]["uncertain"]
    parts = {**table.parts.get("legal", {}), "uncertain": np.where(np.arange(165) < 50, np.nan, column)}
    found = uncertain(replace(table, columns={"legal": replace(table["legal"], parts=parts)}))
    assert (found.share.items, found.count, found.mean) == (115, column[50:].sum(), table.mean("legal"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tile(marked, language):
    table = load(marked)
    found = uncertain(table)
    page = render_html(Report([table]), language)
    (tile,) = re.findall(r'<div class="uncertain">.*?</div>', page, re.DOTALL)
    words = {"en": "uncertain items</span>", "zh": "存疑条目</span>"}[language]
    ends = f"{found.low:.4f}", f"{found.high:.4f}"
    ranges = {"en": "the mean would be between {} and {}</span>", "zh": "均值为 {} 至 {}</span>"}[language]
    low = f"{100 * found.share.interval.low:.1f} – "
    for said in (words, f"{100 * found.share.mean:.1f} %", f"{found.count} / 165", low, ranges.format(*ends)):
        assert said in tile


def test_the_reason_is_on_the_page_with_its_name(marked):
    table = load(marked)
    page = render_html(Report([table]))
    # some answers are uncertain by themselves
    assert page.count(f'["uncertain","{REASON}"') >= uncertain(table).count - 4
    assert page.count('["uncertain","') == uncertain(table).count
    assert '"part_names.uncertain":"存疑"' in page
    assert '"part_names.amount_total":"金额"' in page, "names of fields"


@pytest.mark.slow
def test_results_with_the_part_have_a_tile_each(plain, marked, certain):
    page = render_html(Report([load(path) for path in (plain, marked, certain)]))
    assert page.count('<div class="uncertain">') == 2
