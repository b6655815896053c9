"""What the page of a report holds: all that the console says, every item, and nothing that could run."""

import base64
import gzip
import html
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from browser.hostile import BROKEN, CLOSING, hostile_table
from rendering import render_console
from tables import make_table, table_of

from steelyard import evaluate_answers
from steelyard.cli import main
from steelyard.documents.pages import Document, Page
from steelyard.errors import MissingExtra
from steelyard.i18n import Message, words_of
from steelyard.legal.evidence.quotes import locate
from steelyard.legal.report.items import LegalItems, Library, answer_marks, utf16
from steelyard.reports import files
from steelyard.reports.blocks import Notes
from steelyard.reports.content import Report, lowest_rows
from steelyard.reports.files import write_report
from steelyard.reports.kinds import KindPage
from steelyard.reports.plots import charts as plots
from steelyard.reports.render.html import figures as page_figures
from steelyard.reports.render.html.frame import sanitized
from steelyard.reports.render.html.report_html import SCRIPTS, render_html
from steelyard.reports.sections import report_blocks
from steelyard.stats.compare import compare_all
from steelyard.table import Missing, counts_with_texts

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def legal(tmp_path_factory):
    """A results file of the bundled benchmark."""
    path = tmp_path_factory.mktemp("bench") / "old.jsonl"
    assert main(["bench", "--system", "builtin:baseline", "-o", str(path), "--lang", "en"]) == 0
    return path


def answers():
    files = [ROOT / "data" / f"answers_{name}.jsonl" for name in "ab"]
    old, new = (evaluate_answers(path, keep=True) for path in files)
    return Report([old, new], compare_all([new], old))


def embedded(page):
    """The data of a page, unpacked as its script unpacks them."""
    kind, text = re.search(r'<script type="([^"]+)" id="data">(.*?)</script>', page, re.DOTALL).groups()
    return json.loads(text if kind == "application/json" else gzip.decompress(base64.b64decode(text)))


def text_of(page):
    """What stands in the page before its scripts, without markup."""
    return html.unescape(re.sub(r"<[^>]*>", "", page.partition("<body>")[2].partition('<script type="')[0]))


@pytest.mark.slow
def test_all_that_the_console_says_is_on_the_page(legal, tmp_path, capsys):
    written = tmp_path / "page.html"
    assert main(["report", str(legal), "-o", str(written), "--lang", "en"]) == 0
    assert main(["report", str(legal), "--lang", "en", "--by", "type"]) == 0
    said, shown = capsys.readouterr().out, text_of(written.read_text("utf-8"))
    words = set(re.findall(r"\[\d\.\d+, \d\.\d+\]|\d+\.\d{4}|\d+\.\d%|\b[a-z]+_[a-z_0-9]+\b", said))
    assert len(words) > 45
    assert {word for word in words if word not in shown.replace(" %", "%")} == set()


def test_comparisons_counts_and_signatures_are_on_the_page():
    report = answers()
    shown, said = text_of(render_html(report)), render_console(report)
    for found in report.comparisons:
        assert f"{found.difference:+.4f}" in shown
        assert f"{found.smallest_detectable:.4f}" in shown
    numbers = set(re.findall(r"-?\d\.\d{4}", said))
    assert numbers - set(re.findall(r"-?\d\.\d{4}", shown)) == set()
    notes = [block for block in report_blocks(report) if isinstance(block, Notes)]
    assert all(note.message in shown for block in notes for note in block.lines)
    for table in report.tables:
        assert all(value in shown for _, value in table.signature.settings)
        assert all(what in shown for what in counts_with_texts(table.counts))


def test_every_item_is_in_the_data_with_what_was_said():
    report = answers()
    data = embedded(render_html(report))
    assert data["ids"] == list(report.tables[0].ids)
    assert [result["name"] for result in data["results"]] == [table.name for table in report.tables]
    first = report.tables[0].outputs[0]
    assert data["questions"][0] == first["question"]
    assert data["results"][0]["said"][0]["answer"] == first["answer"]
    assert data["expected"][0]["references"] == first["references"]
    assert data["results"][1]["scores"]["F1"] == pytest.approx(report.tables[1].column("F1").tolist(), abs=1e-6)
    assert data["tags"]["language"]["values"] == ["zh", "en"]


def test_items_of_one_result_alone_are_kept():
    def table(name, ids):
        return table_of(ids=ids, columns={"AP": np.ones(len(ids))}, kind="retrieval", name=name)

    data = embedded(render_html(Report([table("a", ["q1", "q2"]), table("b", ["q2", "q3"])])))
    assert data["ids"] == ["q1", "q2", "q3"]
    assert data["results"][1]["scores"]["AP"] == [None, 1.0, 1.0]
    assert data["results"][0]["said"][2] is None


def test_why_a_cell_has_no_number_is_said_in_every_language():
    table = table_of(
        ids=["a", "b"],
        columns={"F1": np.array([np.nan, np.nan])},
        reasons=(Missing("error", "the judge failed"), Missing("unscored", Message("missing.no_reference"))),
        status={"F1": np.array([1, 2])},
    )
    assert [said["gaps"] for said in embedded(render_html(Report([table])))["results"][0]["said"]] == [
        {"F1": ["error", ["the judge failed", "the judge failed"]]},
        {"F1": ["unscored", ["there is no reference", "没有参考答案"]]},
    ]


def test_legal_items_bring_their_passages_and_reasons_in_two_languages(legal, tmp_path):
    page = tmp_path / "page.html"
    assert main(["report", str(legal), "-o", str(page)]) == 0
    data = embedded(page.read_text("utf-8"))
    item = data["ids"].index("contract_gap_002")
    passage = data["expected"][item]["evidence"][0]
    [(number, start, end)] = passage["places"]
    assert data["documents"]["contract.md"][str(number)][start:end] == passage["text"] == "乙方提供冷藏车5台"
    said = data["results"][0]["said"][item]
    assert said["reasons"][0] == [
        "correct_abstention",
        "nothing in the answer states that the item is absent or unknown",
        "回答没有表明所问事项未载明或不知道",
    ]
    [(start, end, kind)] = said["marks"]
    assert (said["answer"][start:end], kind) == ("乙方提供冷藏车5台", "quote")


def test_only_pages_that_are_named_are_embedded():
    pages = tuple(Page(number, f"第{number}段。甲方付款{number}00元。", ()) for number in range(1, 9))
    library = Library({"d": Document("d", pages, "")})
    [right, wrong, absent] = library.located(
        [
            {"page": 2, "text": "付款200元"},
            {"page": 3, "text": "付款500元"},
            {"page": "第4页", "text": "付款999元"},
        ],
        "d",
    )
    assert right["places"] == [(2, 6, 12)]
    assert wrong["places"][0][0] == 5
    assert absent["places"] == []
    assert list(library.as_json()["d"]) == ["2", "3", "4", "5"]
    assert "places" not in library.located([{"page": 1, "text": "x"}], "elsewhere")[0]


def test_a_passage_may_run_over_a_page_and_have_gaps():
    pages = (Page(1, "甲方应当在", ()), Page(2, "七日内付款。", ()))
    library = Library({"d": Document("d", pages, "")})
    [found] = library.located([{"page": "1-2", "text": "应当在七日内"}], "d")
    assert found["places"] == [(1, 2, 5), (2, 0, 3)]
    assert locate("Pay……tomorrow", "He will PAY, they say, Tomorrow.") == [(8, 11), (23, 31)]
    assert locate("", "text") == []


def test_places_are_counted_as_javascript_counts():
    assert utf16("a𠀀b", 2) == 3
    assert answer_marks("𠀀付88元", [{"text": "88元", "start": 2, "end": 5}], []) == [(3, 6, "invented")]
    assert answer_marks("付88元", [{"text": "88元", "start": 7, "end": 99}], []) == [(1, 4, "invented")]


def test_an_invented_value_is_listed_once_with_its_kind_in_every_language():
    found = [{"text": "13800001234", "kind": kind} for kind in ("phone", "forbidden phone")]
    details = LegalItems({}).answer("电话是13800001234。", {"verdict": {"invented": found}}, "")
    assert details.invented == [["13800001234", "forbidden phone", "不应出现的电话"]]


def test_a_comparison_names_the_score_of_a_benchmark_as_elsewhere():
    old, new = (make_table(name, {"legal": [low, 1.0]}) for name, low in (("old", 0.0), ("new", 1.0)))
    page = render_html(Report([old, new], compare_all([new], old)), language="zh")
    titles = re.findall(r"<summary>(.*?)</summary>", page)
    assert [re.sub("<[^>]*>", "", title) for title in titles if "得分分布" in title] == ["得分分布：得分"]


class Attributes(HTMLParser):
    """The names of all attributes of a page."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def handle_starttag(self, tag, attrs):
        self.names |= {name for name, _ in attrs}


def test_nothing_hostile_leaves_its_place():
    page = render_html(Report([hostile_table(f"x{CLOSING}{BROKEN}")]))
    body = page.partition("<body>")[2]
    assert body.count("<script") == body.count("</script>") == 1 + len(("frame.js", *SCRIPTS, "report.js"))
    assert "<img" not in body
    attributes = Attributes()
    attributes.feed(body)
    assert {name for name in attributes.names if name.startswith("on") or name == "style"} == set()
    assert "\x00" not in page
    page.encode("utf-8")


def test_half_characters_are_mended_one_for_one():
    assert sanitized({"a\ud800": ["\x00b", 7, ("\u2028",)]}) == {"a\ufffd": ["\ufffdb", 7, ["\n"]]}


@pytest.mark.slow
def test_the_policy_allows_what_is_there_and_nothing_else():
    page = render_html(answers())
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy.startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)


@pytest.mark.slow
def test_ten_thousand_items_stay_small():
    source = np.random.default_rng(1)
    said = ["".join(map(chr, codes)) for codes in source.integers(0x4E00, 0x4E00 + 3000, (10_000, 150)).tolist()]
    outputs = [{"question": text[:30], "answer": text, "references": [[text[30:60]]]} for text in said]
    columns = {f"m{n}": source.random(10_000) for n in range(8)}
    table = table_of(ids=[f"item-{n}" for n in range(10_000)], columns=columns, name="large", outputs=outputs)
    page = render_html(Report([table, replace(table, name="again")]))
    assert len(page.encode("utf-8")) < 15_000_000
    assert len(embedded(page)["ids"]) == 10_000


@pytest.mark.slow
def test_a_comparison_is_drawn_as_a_whole_and_item_by_item():
    report = answers()
    old, new = (table.name for table in report.tables)
    found = {(each.name, each.of): each for each in page_figures.charts(report, "F1", "en", KindPage()).figures}
    assert list(found) == [
        ("distribution", ""),
        ("difference-forest", ""),
        ("differences", new),
        ("dumbbell", new),
    ]
    assert old in found["dumbbell", new].drawing
    order = [("differences", new), ("distribution", ""), ("dumbbell", new), ("difference-forest", "")]
    captions = re.findall(r'<figcaption[^>]*><span data-en="([^"]+)"', render_html(report))
    assert captions == [words_of("en")(found[key].caption) for key in order]


def test_results_that_are_alike_have_no_items_that_changed():
    old = answers().tables[0]
    report = Report([old, replace(old, name="again")])
    names = [each.name for each in page_figures.charts(report, "F1", "en", KindPage()).figures]
    assert names == ["forest", "distribution", "distribution", "differences"]


def test_without_the_plots_extra_the_page_has_tables(monkeypatch):
    def absent(*_):
        raise MissingExtra.of("vl-convert-python", "plots", purpose="drawing")

    monkeypatch.setattr(plots, "distribution", absent)
    page = render_html(answers())
    assert "pip install" not in page
    assert "<figure" not in page
    assert '<details open><summary><span data-en="distribution of scores"' in page


def test_without_the_plots_extra_lost_points_keep_their_title(legal, tmp_path, monkeypatch):
    title = '<details open><summary><span data-en="where points were lost"'
    for name, shown in (("drawn.html", False), ("tables.html", True)):
        assert main(["report", str(legal), "-o", str(tmp_path / name)]) == 0
        assert (title in (tmp_path / name).read_text("utf-8")) is shown
        monkeypatch.setitem(sys.modules, "vl_convert", None)


NOTHING = Missing("unscored", Message("missing.no_reference"))


@pytest.mark.parametrize(
    "fields",
    [
        {"ids": [], "columns": {"F1": np.empty(0)}},
        {"ids": [], "columns": {"legal": np.empty(0)}, "kind": "legal"},
        {"ids": ["a"], "columns": {"F1": np.array([0.5])}},
        {"ids": ["a"], "columns": {"F1": np.array([np.nan])}, "reasons": (NOTHING,), "status": {"F1": np.array([1])}},
        {"ids": ["a", "b"], "columns": {"NumRet": np.array([3.0, 5.0])}, "sums": ("NumRet",), "kind": "retrieval"},
    ],
)
def test_a_page_is_made_of_little(fields):
    page = render_html(Report([table_of(name="little", **fields)]))
    assert embedded(page)["ids"] == fields["ids"]
    assert "nan" not in text_of(page).lower()


def test_a_drawing_keeps_only_shapes():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script><defs><clipPath id="c"/></defs>'
        '<g style="fill:red" clip-path="url(#c)"><a href="javascript:x()"><text>in a link</text></a>'
        "<text>kept</text></g></svg>"
    )
    drawn = page_figures._embedded(svg)
    assert drawn == (
        '<svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true" focusable="false"><g><text>kept</text></g></svg>'
    )


def test_the_headline_takes_the_metric_that_people_quote():
    def report(*metrics, **fields):
        return Report([table_of(ids=["a"], columns={metric: np.ones(1) for metric in metrics}, **fields)])

    assert report("RR", "AP", "nDCG@10").main == "nDCG@10"
    assert report("Acc", "F1").main == "F1"
    assert report("NumRet", "mine", sums=("NumRet",)).main == "mine"


def test_items_with_equal_scores_are_in_the_order_of_their_ids():
    ids = ["q10", "q2", "a", "q1", "q02", "best", "none"]
    scores = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 1.0, np.nan])
    reasons = {"reasons": (NOTHING,), "status": {"F1": np.array([0, 0, 0, 0, 0, 0, 1])}}
    table = table_of(ids=ids, columns={"F1": scores}, **reasons)
    assert [ids[row] for row in lowest_rows(table, "F1", 9)] == ["q1", "q02", "q2", "q10", "a"]
    assert [ids[row] for row in lowest_rows(table, "F1", 2)] == ["q1", "q02"]
    assert [ids[row] for row in lowest_rows(table, "F1", 9, best=0.5)] == ["q1", "q02", "q2", "q10"]
    listed = re.findall(r'<a href="#item/([^"]+)"', render_html(Report([table])))
    assert listed == ["q1", "q02", "q2", "q10", "a"]


@pytest.mark.slow
def test_the_command_compares_with_the_first_and_writes_every_format(legal, tmp_path):
    names = [tmp_path / f"r{suffix}" for suffix in (".html", ".md", ".json", ".csv", ".tex", ".svg")]
    outputs = [word for name in names for word in ("-o", str(name))]
    assert main(["report", str(legal), str(legal), *outputs, "--lang", "zh"]) == 0
    assert all(name.stat().st_size > 100 for name in names)
    assert [each["name"] for each in json.loads(names[2].read_text("utf-8"))["results"]] == ["old", "old-2"]
    assert '<html lang="zh-CN">' in names[0].read_text("utf-8")


def test_the_command_takes_only_the_metrics_that_are_named(tmp_path, capsys):
    source = tmp_path / "a.jsonl"
    answers().tables[0].save(source)
    assert main(["report", str(source), "-m", "f1,exact_match", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["results"][0]["metrics"]) == ["F1", "EM"]
    assert main(["report", str(source), "-m", "ROUGE-3", "--lang", "en"]) == 2
    assert capsys.readouterr().err == "answers_a: no metric is called 'ROUGE-3'\nhint: did you mean 'ROUGE-L'?\n"


@pytest.mark.slow
def test_documents_are_found_where_they_are_or_where_the_user_says(legal, tmp_path, capsys):
    moved = tmp_path / "moved.jsonl"
    moved.write_text(legal.read_text("utf-8").replace('"benchmark": "bundled"', '"benchmark": "/gone"'), "utf-8")
    page = tmp_path / "page.html"
    assert main(["report", str(moved), "-o", str(page)]) == 0
    assert embedded(page.read_text("utf-8"))["documents"] == {}
    assert main(["report", str(moved), "-o", str(page), "--benchmark", str(ROOT / "benchmark")]) == 0
    assert "contract.md" in embedded(page.read_text("utf-8"))["documents"]
    assert main(["report", str(moved), "-o", str(page), "--benchmark", "/gone", "--lang", "en"]) == 2
    hint = "hint: --benchmark must be the folder of the questions"
    assert capsys.readouterr().err.endswith(f"there is no folder '/gone'\n{hint}\n")


@pytest.mark.slow
def test_masked_pages_hold_no_private_number(legal, tmp_path):
    open_page, masked = tmp_path / "open.html", tmp_path / "masked.html"
    assert main(["report", str(legal), "-o", str(open_page)]) == 0
    assert main(["report", str(legal), "-o", str(masked), "--mask"]) == 0
    assert "13000000064" in open_page.read_text("utf-8")
    assert "13000000064" not in masked.read_text("utf-8")


def test_the_extension_is_the_format(tmp_path):
    path = tmp_path / "x.html"
    write_report(answers(), path, language="zh")
    assert "得分分布" in path.read_text("utf-8")
    assert set(files.PLOTS) == {".svg", *plots._CONVERTERS}


@pytest.mark.slow
def test_commands_that_make_no_page_do_not_load_one():
    code = "import steelyard.reports.files, sys; print([name for name in sys.modules if 'page' in name])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
