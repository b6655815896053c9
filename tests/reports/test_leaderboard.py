"""Three results or more: one table by the main metric, in every format and at every width."""

import re
import shutil
import subprocess
from dataclasses import replace
from functools import partial

import pytest
from rendering import as_json, render_console, render_latex, render_markdown
from rich.cells import cell_len
from tables import make_table

import steelyard
from steelyard.cli.console import has_colour
from steelyard.reports.blocks import Cell, Dot, Note, Notes, TableBlock
from steelyard.reports.content import Report, compare_results
from steelyard.reports.render import console
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.render.latex import render_latex as latex_of
from steelyard.reports.render.tables import divided
from steelyard.reports.sections.leaderboard import _round_ends, ranking
from steelyard.stats.compare import ComparisonSettings, compare_all

table = partial(make_table, kind="retrieval")
FAMILIES = [*(f"P@{cut}" for cut in (1, 5, 10, 20)), *(f"nDCG@{cut}" for cut in (1, 5, 10, 20))]


def system(name, level, metrics=("nDCG@10", "AP")):
    """Twenty-four items, better with the level; the metrics differ in their scores."""
    scores = {
        metric: [min(1.0, level / 10 + row % 3 / 20 + place / 50) for row in range(24)]
        for place, metric in enumerate(metrics)
    }
    return table(name, scores)


def compared(*systems):
    return compare_results(systems, ComparisonSettings())


def board(text):
    """The lines of the first table."""
    return text.partition("\n\n")[0].splitlines()


def test_the_best_is_first_and_the_baseline_is_named():
    text = render_console(compared(system("base", 3), system("worse", 1), system("best", 7)))
    title, heads, *rows = board(text)
    assert title == "nDCG@10 of 3 systems"
    assert re.split(r" {2,}", heads)[:3] == ["#", "system", "nDCG@10"]
    assert [row.split()[:2] for row in rows[:3]] == [["1", "best"], ["2", "base"], ["3", "worse"]]
    assert "+0.4000 ▲" in rows[0]
    assert "baseline" in rows[1]
    assert "-0.2000 ▼" in rows[2]
    assert rows[3] == "results that share a letter do not differ significantly"


def test_less_is_better_of_some_metrics():
    values = {"base": 0.4, "best": 0.1, "worst": 0.9}
    tables = [table(name, {"Unjudged": [value] * 24, "X": [value] * 24}) for name, value in values.items()]
    report = Report(tables, compare_all(tables[1:], tables[0]))
    assert [summary.name for _, summary in ranking(report, "Unjudged")] == ["best", "base", "worst"]
    assert [summary.name for _, summary in ranking(report, "X")] == ["worst", "base", "best"]
    rows = board(render_console(report))[2:]
    assert rows[0].startswith("1  best ")
    assert "-0.3000 ▲" in rows[0]


def test_equal_means_share_a_rank_and_a_result_without_the_metric_is_last():
    tables = [table("a", [0.5, 0.5]), table("b", {"AP": [1.0, 1.0]}), table("c", [0.5, 0.5]), table("d", [0.9, 0.9])]
    ranked = ranking(Report(tables), "F1")
    assert [(rank, summary.name) for rank, summary in ranked] == [(1, "d"), (2, "a"), (2, "c"), (4, "b")]
    assert re.search(r"\n4  b +– ", render_console(Report(tables)))


@pytest.mark.parametrize(
    ("width", "there", "gone"),
    [
        (200, ["interval of difference", "better / same / worse", "●", "95 % interval", "AP"], ["all metrics"]),
        (120, ["●", "95 % interval", "letters", "AP"], ["better / same / worse", "all metrics"]),
        (80, ["95 % interval", "letters"], ["better / same / worse", "interval of difference"]),
        (55, ["letters", "p adjusted"], ["●", "95 % interval"]),
    ],
)
def test_a_narrow_terminal_has_fewer_columns_of_one_table(width, there, gone):
    systems = [system(f"system-{number:02}", number / 2) for number in range(1, 13)]
    text = render_console(compared(*systems), width=width)
    lines = board(text)
    assert len(lines) == 2 + 12 + 1
    assert all(cell_len(line) <= width for line in lines)
    first = "\n".join(lines) if width < 120 else text
    assert all(word in first for word in there)
    assert not any(word in first for word in gone)
    # nothing is lost: metrics that are not on the board are in a table below it
    assert "AP" in text


def test_long_names_are_cut_in_the_middle_unless_they_would_be_alike():
    names = [f"experiment-of-the-night-with-settings-number-{number}" for number in range(3)]
    systems = [system(name, 2 + number) for number, name in enumerate(names)]
    text = render_console(compared(*systems), width=60)
    lines = board(text)
    assert all(cell_len(line) <= 60 for line in lines)
    assert "…" in lines[2]
    assert all(name in text for name in names)  # below the tables


def test_metrics_that_do_not_fit_are_divided_by_family():
    systems = [system(name, level, FAMILIES) for name, level in (("a", 1), ("b", 2), ("c", 3))]
    text = render_console(compared(*systems), width=60)
    heads = [line.split() for line in text.splitlines() if line.startswith("system ") and "@" in line]
    assert heads == [["system", *FAMILIES[:4]], ["system", *FAMILIES[4:]]]
    wide = render_console(compared(*systems), width=200)
    assert any(line.split() == ["system", *FAMILIES] for line in wide.splitlines())
    assert "p adjusted  detectable" not in wide  # no table of 8 rows for each system
    assert "p adjusted  detectable" in render_console(compare_results(systems, ComparisonSettings(), per_item=True))


def test_a_family_that_does_not_fit_is_divided_too():
    block = TableBlock(["x", "a", "b", "c"], [["r", "1", "2", "3"]], "title", notes=["note"], families=[[1, 2], [3]])
    parts = divided(block, lambda part: len(part.headings) <= 2)
    assert [part.headings for part in parts] == [["x", "a"], ["x", "b"], ["x", "c"]]
    assert [part.title for part in parts] == ["title", "", ""]
    assert [list(part.notes) for part in parts] == [[], [], ["note"]]


def test_the_same_board_in_markdown_latex_and_html():
    systems = [system("base_1", 3), system("worse", 1), system("best", 7)]
    markdown, latex = render_markdown(compared(*systems)), render_latex(compared(*systems))
    assert "| 1 | best | **0.7500** | " in markdown
    assert " | +0.4000 ▲ | " in markdown
    assert r"1 & best & \textbf{0.7500} & " in latex
    assert r" & $-$0.2000$^{-}$ & " in latex
    assert "●" not in markdown + latex
    shown = steelyard.compare(*systems)
    assert "<strong>0.7500</strong>" in shown.to_html()
    assert shown.to_markdown() == markdown


def test_the_table_for_a_paper_has_every_metric_with_its_own_letters():
    systems = [system("base_1", 3, FAMILIES), system("worse", 1, FAMILIES), system("best", 7, FAMILIES)]
    alike = [replace(each, columns={**each.columns, "P@20": systems[0]["P@20"]}) for each in systems]
    latex, markdown = render_latex(compared(*alike)), render_markdown(compared(*alike))
    float_, _, _ = latex.partition(r"\begin{table}[t]")[2].partition(r"\end{table}")
    assert r"\caption{Means, the best of each metric in bold. Superscripts denote significant differences: " in float_
    assert r"(permutation test, correction for 24 tests: holm, level 0.05).}" in float_
    assert r"\label{tab:results}" in float_
    heads, best, *_ = (line.removesuffix(r" \\").split(" & ") for line in float_.splitlines() if " & " in line)
    cells = dict(zip(heads, best, strict=True))
    assert cells["P@1"] == r"\textbf{0.7500}$^{\mathrm{a}}$"
    assert cells["P@20"] == r"0.4100$^{\mathrm{a}}$"  # all three are equal in it
    for line in latex.splitlines():  # the letters of the main metric are in no table with other metrics
        assert not ("letters" in line and "P@" in line)
    assert "| best | **0.7500** a | " in markdown


def test_two_results_and_one_metric_have_a_caption_too():
    pair = render_latex(compared(system("base_1", 3), system("worse", 1)))
    assert r"Superscripts denote significant differences from base\_1, + better and $-$ worse (perm" in pair
    assert "correction for 2 tests: holm" in pair
    assert re.findall(r"textbf\{(.*?)\}", pair) == ["0.3500", "0.3700"]  # of nDCG@10 and AP
    less = render_latex(compared(system("base", 3, ["Ungrounded"]), system("new", 1, ["Ungrounded"])))
    assert r"Ungrounded & 0.3500 & \textbf{0.1500}$^{+}$" in less
    assert " + better and $-$ worse (permutation test, level 0.05)." in less
    one = render_latex(compared(*(system(f"s{n}", n, ["AP"]) for n in (1, 2, 3))))
    assert one.count(r"\label{tab:results") == one.count(r"\caption{Means, the best of each metric in bold. Sup") == 1
    assert "differ significantly in a metric if they share no letter (permutation test, correction for 3 tests" in one
    assert r"s3 & \textbf{0.3500}$^{\mathrm{a}}$ \\" in one
    long = render_latex(compared(*(system(f"{'long-name-' * 9}{n}", n, ["AP"]) for n in (1, 2, 3))))
    assert long.count(r"\caption{") == long.count(r"\label{") == 1


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((0.306, 0.713), (0.3, 0.75)), ((0.207, 0.706), (0.2, 0.75)), ((0.0, 1.0), (0.0, 1.0)), ((-0.3, 0.9), (-0.4, 1.0)),
     ((0.42, 0.5801), (0.42, 0.6)), ((12.0, 1890.0), (0.0, 2000.0)), ((0.99912, 0.99987), (0.9991, 0.9999))],
)  # fmt: skip
def test_axes_have_round_ends(ends, expected):
    assert _round_ends(*ends) == expected


def test_the_board_in_json():
    found = as_json(compared(system("base", 3), system("worse", 1), system("best", 7)))["leaderboard"]
    assert [(each["rank"], each["name"], each["letters"]) for each in found] == [
        (1, "best", "a"),
        (2, "base", "b"),
        (3, "worse", "c"),
    ]
    assert found[0]["diff"] == pytest.approx(0.4)
    assert found[1]["diff"] is None
    assert "leaderboard" not in as_json(compared(system("base", 3), system("worse", 1)))


def test_what_systems_share_is_said_once():
    tables = [system(name, level) for name, level in (("a", 1), ("b", 2), ("c", 3))]
    text = render_console(Report(tables, compare_all(tables[1:], tables[0])))
    assert text.count("24 items, 24 scored") == 1
    assert "every system: 24 items, 24 scored" in text


def test_the_page_is_called_what_was_compared_and_has_a_dot_for_each_system():
    report = compared(*(system(name, level) for name, level in (("a", 1), ("b", 5), ("c", 3))))
    page = render_html(report)
    assert "<title>nDCG@10 of 3 systems" in page
    body = page[page.index("<main") :]
    assert body.count('<circle class="dot-mean"') == 3
    assert re.search(r'<h1 id="head-board"><span data-en="nDCG@10 of 3 systems"', body)
    assert (
        body.index('<table class="numbers board">') < body.index('id="head-metrics"') < body.index('id="head-detail"')
    )
    # each system has its charts in a grid, the rest is folded
    grid = body[body.index('<div class="systems">') : body.index('id="section-items"')]
    assert re.findall(r'<h4 class="name"><span class="said">([abc])</span>', grid) == ["b", "c", "a"]
    assert grid.count("<details><summary>") == 3
    assert len(re.findall(r'<figcaption[^>]*><span data-en="(distribution of scores|change of each item)"', grid)) == 5
    assert "heat-6" in body


def test_a_gauge_has_one_axis():
    assert console.gauge(Dot(0.0, 0.0, 1.0), None, 11) == "●──────────"
    assert console.gauge(Dot(1.0, 0.5, 1.0), 0.2, 11) == "··┊··─────●"
    assert console.gauge(None, 0.0, 5) == "┊····"


def test_notes_hang_and_a_pipe_keeps_its_lines():
    note = Notes([Note("one two three four five", "warning"), Note("quiet", "signature"), "  一二三四五六七八九十"])
    narrow = ["⚠ one two", "  three four", "  five", "quiet", "  一二三四五", "    六七八九十"]
    assert console.render_console([note], width=14).splitlines() == narrow
    assert console.render_console([note]) == "⚠ one two three four five\nquiet\n  一二三四五六七八九十\n"


def test_colours_of_a_terminal():
    rows = [[Cell("0.5", "▲", strong=True)], [Cell("0.4", "▼")]]
    blocks = [TableBlock(["x"], rows, labels=0), Notes([Note("w", "warning"), Note("s", "signature")])]
    text = console.render_console(blocks, colour=True)
    for styled in ("\x1b[32m▲", "\x1b[31m▼", "\x1b[1m0.5", "\x1b[33m⚠ w\x1b[0m", "\x1b[2ms\x1b[0m"):
        assert styled in text
    assert "\x1b" not in console.render_console(blocks)


class Terminal:
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def test_no_color_is_respected(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert has_colour(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not has_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colour(Terminal())


@pytest.mark.slow
def test_pdflatex_compiles_every_table(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    special = r"a_b%c&d#e$f~g^h\i{j}k<l>m|n – … − ≥ → Σ"
    systems = [system(name, level, FAMILIES) for name, level in ((special, 1), ("[b]", 2), ("*c", 5))]
    pair = compare_results(systems[:2], ComparisonSettings(), per_item=True)
    text = render_latex(compare_results(systems, ComparisonSettings(), per_item=True)) + render_latex(pair)
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "doc.tex").write_text(f"{head}{text}\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "doc.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "doc.pdf").stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5, 12])
def test_tables_of_latex_are_within_the_width_of_the_text(tmp_path, count):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    names = [f"bm25_rm3-monoT5.large-msmarco_{place:02}_reranked-top1000" for place in range(count)]
    systems = [system(name, 1 + place, FAMILIES) for place, name in enumerate(names)]
    text = render_latex(compare_results(systems, ComparisonSettings(resamples=50), per_item=True))
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "doc.tex").write_text(f"{head}{text}\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "doc.tex"]
    subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
    log = (tmp_path / "doc.log").read_text(encoding="utf-8", errors="replace")
    assert [width for width in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(width) > 5] == []


def test_latex_says_what_chinese_needs():
    assert "CJKutf8" in latex_of([TableBlock(["名称"], [["系统"]])])
    assert "CJKutf8" not in latex_of([TableBlock(["name"], [["system"]], notes=["说明"])])


def test_numbers_of_latex_have_minus_signs_and_powers():
    rows = [["run-1", "-0.5", "[-0.1, 0.2]", "9.1e-06", "1.0e+20"]]
    latex = latex_of([TableBlock(["name", "a", "b", "c", "d"], rows)])
    assert r"run-1 & $-$0.5 & [$-$0.1, 0.2] & $9.1\times10^{-6}$ & $1.0\times10^{20}$ \\" in latex
