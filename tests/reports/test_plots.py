"""Plots hold the right marks at the right places, and nothing that a page could be hurt by."""

import re
import struct
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from tables import make_table

from steelyard import evaluate_retrieval
from steelyard.cli import options
from steelyard.errors import ConfigError, MissingExtra, UnknownName
from steelyard.i18n import Message
from steelyard.legal.report.losses import losses
from steelyard.legal.report.page import losses_chart
from steelyard.reports.content import Report
from steelyard.reports.plots import charts as plots
from steelyard.reports.plots import means as plot_means
from steelyard.reports.plots import style
from steelyard.reports.plots.style import (
    BAD,
    DASHES,
    FONT,
    GOOD,
    GRID,
    INK,
    MUTED,
    SERIES,
    TEXT,
    WIDTH,
    extent,
    in_turn,
    labels,
    lacks_font,
    short,
    width_beside,
)
from steelyard.reports.render.html.figures import Charts
from steelyard.stats.compare import compare_all

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert", reason="plots need vl-convert-python")

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = {INK, MUTED, GRID, GOOD, BAD, *SERIES}
HOSTILE = {
    "script": '<script>alert(1)</script>"onload="x',
    "end of the drawing": "</svg><img src=x onerror=alert(1)>",
    "control characters": "a\x00b\x1b[31m\u202egnp.exe\u2066\ud800",
    "entity": "javascript:alert('1')&amp;",
    "expression": "datum.x'] + 1 //",
    "a megabyte": "x" * 1_000_000,
    "nothing": "",
}


table = partial(make_table, kind="retrieval")


def ranked(name, level=0.0):
    source = np.random.default_rng(5)
    metrics = ("nDCG@1", "nDCG@10", "nDCG@100", "P@1", "P@10", "AP")
    return table(name, {metric: np.clip(source.random(30) * 0.5 + level, 0, 1) for metric in metrics})


def test_the_first_metrics_of_many_are_drawn_and_the_page_says_so(monkeypatch):
    """Each row costs time: a small file may have a thousand metrics."""
    from steelyard.reports.render.html import report_html as page

    metrics = [f"m{n:02}" for n in range(60)]
    tables = [table(name, {key: [0.2, 0.6, level] for key in metrics}) for name, level in (("a", 0.1), ("b", 0.7))]
    report = Report(tables, compare_all(tables[1:], tables[0]))
    for panels in (plot_means.forest_panels(report), [plot_means.difference_panel(report.comparisons)]):
        assert [metric for metric in metrics if f"'{metric}'" in str(panels)] == metrics[:40]
    free = [f"f{n:02}@{cut}" for n in range(60) for cut in (1, 5)]
    cut_offs = Report([table("a", {key: [0.2, 0.6] for key in free}, bounds={})])
    assert len(plot_means.forest_panels(cut_offs)) == len(plot_means.curve_panels(cut_offs)) == 40
    monkeypatch.setattr(page, "charts", lambda *_: Charts())
    assert "charts show the first 40 of 60 metrics" in page.render_html(report)
    assert "charts show the first 40" not in page.render_html(Report([ranked("a")]))


def test_results_differ_in_colour_and_line_style_up_to_seventy():
    names = [f"system {n:02}" for n in range(12)]
    curves = plot_means.precision_recall_panel({name: [1.0, 0.5] for name in names}, [0.0, 1.0])
    dashes = {value["result"]: tuple(value["dash"]) for value in curves["data"]["values"]}
    scale = in_turn(names, SERIES)["scale"]
    drawn = {(scale["range"][place], dashes[name]) for place, name in enumerate(scale["domain"])}
    assert len(drawn) == len(names)
    assert len(set(scale["range"][:10])) == 10
    assert len({(SERIES[n % len(SERIES)], tuple(DASHES[n % len(DASHES)])) for n in range(70)}) == 70
    css = (Path(style.__file__).parents[1] / "render/html/templates/style.css").read_text("utf-8")
    assert all(f'svg [{kind}="{colour}"]' in css for colour in SERIES for kind in ("fill", "stroke"))


def test_the_change_of_each_item_is_a_figure_of_its_own():
    shown = plots.report_figure(compared(), shown="items")
    for name in ("new", "other"):
        assert f">{name}</text>" in shown
    assert shown.count(">Change of nDCG@10</text>") == 2
    legal = [make_table(name, {"legal": [low, 1.0]}) for name, low in (("old", 0.0), ("new", 1.0))]
    report = Report(legal, compare_all(legal[1:], legal[0]))
    assert ">变化（得分）</text>" in plots.report_figure(report, shown="items", language="zh")
    with pytest.raises(ConfigError, match="nothing to draw for --plot items\nhint: differences need two results"):
        plots.report_figure(Report([ranked("alone")]), shown="items")


def legal():
    """Ten points, of which 1.2 are lost: a value is wrong, and something is invented."""
    scores = [1.0] * 8 + [0.3, 0.5]
    nan = float("nan")
    parts = {
        "exact_match": [1.0] * 8 + [0.0, nan],
        "citation_correctness": [1.0] * 9 + [nan],
        "correct_abstention": [nan] * 9 + [1.0],
        "no_hallucination": [nan] * 9 + [0.0],
    }
    wrong = {"answer": "五万元", "question": "多少钱？", "verdict": {"expected": {"evidence": []}}}
    invented = {"answer": "未载明，王五。", "verdict": {"invented": [{"text": "王五"}], "should_abstain": True}}
    columns = {part: np.array(values) for part, values in parts.items()}
    outputs = [*[None] * 8, wrong, invented]
    return table("legal", {"legal": scores}, kind="legal", parts={"legal": columns}, outputs=outputs)


def compared():
    old, new, other = ranked("old"), ranked("new", 0.2), ranked("other", 0.001)
    return Report([old, new, other], compare_all([new, other], old))


def chart_of_losses(table, language="en"):
    return losses_chart(table, losses(table), language)


def trend_points():
    runs = [("monday", 0.5), ("tuesday", 0.6), ("friday", 0.55)]
    return [
        {"run": run, "metric": metric, "mean": mean, "low": mean - 0.1, "high": mean + 0.1}
        for metric in ("F1", "EM")
        for run, mean in runs
    ]


FIGURES = {
    "forest": lambda: plots.forest(compared()),
    "forest of one": lambda: plots.forest(Report([ranked("one")])),
    "difference_forest": lambda: plots.difference_forest(compared().comparisons),
    "difference_forest of one": lambda: plots.difference_forest(compared().comparisons[:6]),
    "distribution": lambda: plots.distribution([ranked("old"), ranked("new", 0.2)], "AP"),
    "distribution of 0 and 1": lambda: plots.distribution([table("a", {"EM": [0, 1, 1]})], "EM"),
    "curves": lambda: plots.curves(compared())["nDCG"],
    "losses": lambda: chart_of_losses(legal()),
    "losses in Chinese": lambda: chart_of_losses(legal(), "zh"),
    "differences": lambda: plots.differences(ranked("new", 0.2), ranked("old"), "AP"),
    "dumbbell": lambda: plots.dumbbell(ranked("new", 0.2), ranked("old"), "AP"),
    "trend": lambda: plots.trend(trend_points()),
}


@pytest.fixture(params=FIGURES)
def figure(request):
    return FIGURES[request.param]()


def elements(svg, kind, tag):
    """The elements of marks of a kind, not those of axes and legends."""
    return [
        element
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if re.fullmatch(rf"mark-{kind} role-mark.*", group.get("class", ""))
        for element in group.iter(f"{SVG}{tag}")
    ]


def place(element):
    return tuple(map(float, re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", element.get("transform")).groups()))


def line(element):
    """The ends of a rule."""
    x, y = place(element)
    return (x, y), (x + float(element.get("x2")), y + float(element.get("y2")))


def box(element):
    """Left, top, width and height of a bar."""
    x, y, width, height = map(
        float, re.match(r"M([-\d.e]+),([-\d.e]+)h([-\d.e]+)v([-\d.e]+)h", element.get("d")).groups()
    )
    return min(x, x + width), min(y, y + height), abs(width), abs(height)


def bars(svg, kind="rect"):
    return [box(path) for path in elements(svg, kind, "path")]


def texts(svg, role):
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return [text.text for group in groups if role in group.get("class", "") for text in group.iter(f"{SVG}text")]


def test_a_plot_is_drawn_in_the_colours_of_the_theme_and_has_nothing_but_shapes(figure):
    for element in ElementTree.fromstring(figure).iter():
        assert element.tag.removeprefix(SVG) in {"svg", "g", "path", "line", "rect", "text"}
        assert not set(element.keys()) & {"style", "href", "onload", "id", "clip-path", "filter"}
        assert {element.get("fill"), element.get("stroke")} <= COLOURS | {None, "none", "transparent"}
        assert element.get("fill") != GRID  # the style maps it as a stroke only
        assert element.get("font-family") in (None, FONT)
        assert element.get("font-size") in (None, f"{TEXT}px")


def test_a_plot_scales_and_says_what_it_is(figure):
    root = ElementTree.fromstring(figure)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert root.get("role") == "img"
    assert re.fullmatch(r"[\w %-]+(: |：).+", root.get("aria-label"))


@pytest.mark.parametrize("name", FIGURES)
def test_a_plot_is_the_same_every_time(name):
    assert FIGURES[name]() == FIGURES[name]()


def test_no_text_of_a_plot_lies_outside_it(figure):
    """By the width that texts have in a wide font: Chinese characters as wide as they are high, others 0.62 of it."""
    root = ElementTree.fromstring(figure)
    width = float(root.get("width"))
    for left, right in text_extents(root, 0.0):
        assert left >= -1
        assert right <= width + 1


def text_extents(element, x):
    moved = element.get("transform", "")
    x += float(re.match(r"translate\(([-\d.e]+)", moved)[1]) if moved else 0.0
    if element.tag == f"{SVG}text" and element.text and "rotate" not in moved:
        wide = extent([element.text]) - 8
        left = x - {"end": wide, "middle": wide / 2}.get(element.get("text-anchor"), 0.0)
        yield left, left + wide
    for child in element:
        yield from text_extents(child, x)


def test_a_forest_has_a_row_for_each_metric_with_its_mean_within_its_interval():
    report = Report([table("a", {"F1": [0.2, 0.4, 0.6], "EM": [0, 1, 1]})])
    svg = plots.forest(report)
    assert texts(svg, "role-axis-label")[-2:] == ["F1", "EM"]
    points, rules = elements(svg, "symbol", "path"), elements(svg, "rule", "line")
    found = report.summaries[0].metrics.values()
    width = width_beside(["F1", "EM"])
    assert len(points) == len(rules) == 2
    for point, rule, metric in zip(points, rules, found, strict=True):
        (low, row), (high, _) = line(rule)
        assert place(point) == pytest.approx((width * metric.mean, row))
        assert (low, high) == pytest.approx((width * metric.interval.low, width * metric.interval.high))
        assert low < place(point)[0] < high


def test_results_of_a_forest_differ_in_colour_and_in_shape():
    svg = plots.forest(Report([ranked(f"run {n}") for n in range(7)]))
    assert texts(svg, "role-legend-label") == [f"run {n}" for n in range(7)]
    looks = {(point.get("fill"), point.get("d")) for point in elements(svg, "symbol", "path")}
    assert len(looks) == 7
    assert len({shape for _, shape in looks}) == 6


def test_a_metric_of_another_range_has_its_own_axis_and_totals_are_left_out():
    bounds = {"F1": (0.0, 1.0), "judge": (1.0, 5.0), "NumRet": (0.0, np.inf)}
    columns = {"F1": [0.5, 0.7], "judge": [2, 5], "NumRet": [1000, 900]}
    svg = plots.forest(Report([table("a", columns, bounds=bounds, sums=("NumRet",))]))
    rows = [text for text in texts(svg, "role-axis-label") if text.isalpha() or text == "F1"]
    assert rows == ["F1", "judge"]
    assert len([group for group in ElementTree.fromstring(svg).iter() if "_group" in group.get("class", "")]) == 2


def test_totals_are_drawn_where_there_is_nothing_else():
    tables = [table(name, {"NumRet": [10, 30]}, bounds={}, sums=("NumRet",)) for name in "ab"]
    svg = plots.forest(Report(tables))
    assert "NumRet" in texts(svg, "role-axis-label")


def test_a_mean_without_an_interval_is_a_point_and_an_unknown_mean_nothing():
    assert len(elements(plots.forest(Report([table("a", {"F1": [0.5], "AP": [0.4]})])), "rule", "line")) == 0
    one = table("a", {"F1": [0.5, 0.5], "EM": [0, 1]})
    other = table("b", {"F1": [0.5, 0.5]})
    assert len(elements(plots.forest(Report([one, other])), "symbol", "path")) == 3


def test_differences_lie_around_zero_and_what_is_significant_is_filled():
    report = compared()
    svg = plots.difference_forest(report.comparisons[:6])
    assert all(comparison.significant for comparison in report.comparisons[:6])
    zero = [grid for grid in ElementTree.fromstring(svg).iter(f"{SVG}line") if grid.get("stroke") == MUTED]
    assert len(zero) == 1
    for point in elements(svg, "symbol", "path"):
        assert point.get("fill") == GOOD
        assert point.get("fill-opacity") == "1"
        assert place(point)[0] > place(zero[0])[0]
    worse = plots.difference_forest(compare_all([ranked("old")], ranked("new", 0.2)))
    assert {point.get("fill") for point in elements(worse, "symbol", "path")} == {BAD}
    same = plots.difference_forest(compare_all([ranked("same")], ranked("old")))
    assert {point.get("fill-opacity") for point in elements(same, "symbol", "path")} == {"0"}


def test_a_result_looks_the_same_among_means_and_among_differences():
    report = compared()

    def look(svg):
        marks = elements(svg, "symbol", "path")
        return {(mark.get("stroke"), mark.get("d")) for mark in marks}

    assert look(plots.difference_forest(report.comparisons)) < look(plots.forest(report))
    assert texts(plots.difference_forest(report.comparisons), "role-legend-label") == ["new", "other"]


def test_bars_are_as_high_as_their_counts():
    svg = plots.distribution([table("a", {"F1": [0.01] * 2 + [0.51] * 4 + [0.52] * 2 + [1.0]})], "F1")
    found = bars(svg)
    left = [x for x, *_ in found]
    heights = np.array([height for *_, height in found])
    gap = 0.002 * WIDTH
    assert left == pytest.approx([gap, 0.5 * WIDTH + gap, 0.95 * WIDTH + gap])
    assert heights / heights[0] == pytest.approx([1, 3, 0.5])
    assert texts(svg, "role-axis-title") == ["F1", "Number of items"]


def test_scores_of_0_and_1_are_two_bars():
    found = bars(plots.distribution([table("a", {"EM": [0, 1, 1, 1]})], "EM"))
    assert len(found) == 2
    assert found[1][3] == pytest.approx(3 * found[0][3])


def test_every_score_is_in_a_bar_whatever_the_bounds_say():
    scores = [-1.0, 0.5, 7.0]
    assert len(bars(plots.distribution([table("a", {"x": scores})], "x"))) == 3
    assert len(bars(plots.distribution([table("a", {"x": scores}, bounds={})], "x"))) == 3
    assert len(bars(plots.distribution([table("a", {"x": [3.0, 3.0]}, bounds={})], "x"))) == 1


def test_results_have_a_distribution_each_on_the_same_axis():
    svg = plots.distribution([table("old", {"F1": [0.1] * 4}), table("new", {"F1": [0.1, 0.3]})], "F1")
    assert texts(svg, "role-title-text") == ["old", "new"]
    heights = [height for *_, height in bars(svg)]
    assert np.array(heights) / heights[0] == pytest.approx([1, 0.25, 0.25])


def test_a_metric_that_no_result_has_is_an_error():
    with pytest.raises(UnknownName, match="no metric is called 'f-1'") as error:
        plots.distribution([table("a", {"F1": [0.5]})], "f-1")
    assert str(error.value.hint) == "did you mean 'F1'?"


def test_curves_have_a_panel_for_each_family_over_the_logarithm_of_its_cut_offs():
    report = Report([ranked("a")])
    drawn = plots.curves(report)
    assert list(drawn) == ["nDCG", "P"]
    svg = drawn["nDCG"]
    assert texts(svg, "role-axis-title") == ["Cut-off k (logarithmic)", "nDCG@k"]
    ndcg = [place(point)[0] for point in elements(svg, "symbol", "path")[:3]]
    assert ndcg[1] - ndcg[0] == pytest.approx(ndcg[2] - ndcg[1])
    heights = [place(point)[1] for point in elements(svg, "symbol", "path")[:3]]
    means = [report.tables[0].mean(metric) for metric in ("nDCG@1", "nDCG@10", "nDCG@100")]
    assert np.argsort(heights).tolist() == np.argsort(means)[::-1].tolist()


def test_there_are_no_curves_without_several_cut_offs():
    assert plots.curves(Report([table("a", {"nDCG@10": [0.5, 0.6], "AP": [0.1, 0.2], "P@5": [0.1, 0.2]})])) == {}


def test_a_waterfall_goes_from_all_points_down_to_those_earned():
    svg = chart_of_losses(legal())
    assert texts(svg, "role-axis-label")[-4:] == ["all points", "wrong value", "not in the document", "earned"]
    assert texts(svg, "mark-text role-mark") == ["10", "−0.7", "−0.5", "8.8"]
    every, value, invented, earned = bars(svg)
    assert every[:1] == earned[:1] == (0.0,)
    assert value[0] + value[2] == pytest.approx(every[2])
    assert invented[0] + invented[2] == pytest.approx(value[0])
    assert earned[2] == pytest.approx(invented[0])
    assert earned[2] / every[2] == pytest.approx(0.88)
    assert [bar[1] for bar in (every, value, invented, earned)] == sorted(bar[1] for bar in bars(svg))


def test_a_waterfall_can_change_its_language_in_the_page():
    for language, shown in (("en", "wrong value"), ("zh", "答案错误")):
        marked = [
            each for each in ElementTree.fromstring(chart_of_losses(legal(), language)).iter() if each.get("data-en")
        ][1:5]
        assert [each.get("data-en") for each in marked] == [
            "all points",
            "wrong value",
            "not in the document",
            "earned",
        ]
        assert (marked[1].text, marked[1].get("data-zh")) == (shown, "答案错误")


def test_there_is_no_waterfall_where_no_point_was_lost():
    assert chart_of_losses(table("a", {"legal": [1.0, 1.0]}, kind="legal")) is None
    assert chart_of_losses(ranked("a")) is None


def test_bars_of_items_are_sorted_and_as_high_as_their_difference():
    new = table("new", {"F1": [0.5, 0.1, 0.4, 0.9]}, ids=["a", "b", "c", "x"])
    old = table("old", {"F1": [0.1, 0.2, 0.4, 0.2]}, ids=["a", "b", "c", "y"])
    found = elements(plots.differences(new, old, "F1"), "rect", "path")
    assert [path.get("fill") for path in found] == [BAD, GOOD]
    (worse, better) = map(box, found)
    assert better[3] == pytest.approx(4 * worse[3])
    assert better[1] + better[3] == pytest.approx(worse[1])
    assert (worse[0], better[0]) == pytest.approx((0, 2 * WIDTH / 3))


def test_rounding_is_no_difference():
    assert bars(plots.differences(table("a", {"x": [0.1 + 0.2]}), table("b", {"x": [0.3]}), "x")) == []


def test_many_items_are_drawn_in_300_shares_of_the_same_total():
    source = np.random.default_rng(2)
    new, old = (table(name, {"x": source.random(1000)}) for name in ("new", "old"))
    found = bars(plots.differences(new, old, "x"))
    assert len(found) == 300
    assert sum(width for _, _, width, _ in found) == pytest.approx(WIDTH)


def test_tables_without_an_item_in_common_have_an_empty_plot():
    new, old = table("new", {"x": [1.0]}, ids=["a"]), table("old", {"x": [1.0]}, ids=["b"])
    assert bars(plots.differences(new, old, "x")) == []
    assert plots.dumbbell(new, old, "x") is None


def test_dumbbells_show_the_items_that_changed_most_the_greatest_gain_first():
    change = np.zeros(100)
    change[[3, 50, 99]] = 0.4, -0.2, 0.1
    old = table("old", {"F1": np.full(100, 0.5)})
    svg = plots.dumbbell(table("new", {"F1": 0.5 + change}), old, "F1")
    rows = [text for text in texts(svg, "role-axis-label") if text.startswith("q")]
    assert rows == ["q3", "q99", "q50"]
    assert texts(svg, "role-legend-label") == ["old", "new"]
    first, last = elements(svg, "rule", "line")[0], elements(svg, "rule", "line")[-1]
    assert (first.get("stroke"), last.get("stroke")) == (GOOD, BAD)
    before, after = elements(svg, "symbol", "path")[:2]
    assert place(before)[0] < place(after)[0]
    assert before.get("d") != after.get("d")


def test_of_many_items_that_changed_20_have_a_dumbbell():
    old = table("old", {"F1": np.full(100, 0.5)})
    svg = plots.dumbbell(table("new", {"F1": 0.5 + np.arange(-50, 50) / 100}), old, "F1")
    rows = [text for text in texts(svg, "role-axis-label") if text.startswith("q")]
    assert rows == [*(f"q{n}" for n in range(99, 90, -1)), *(f"q{n}" for n in range(10, -1, -1))]
    assert plots.dumbbell(old, old, "F1") is None


def test_a_trend_has_a_panel_for_each_metric_in_the_order_of_the_runs():
    svg = plots.trend(trend_points())
    assert texts(svg, "role-title-text") == ["F1", "EM"]
    assert [text for text in texts(svg, "role-axis-label") if text.endswith("day")] == ["monday", "tuesday", "friday"]
    points = [place(point) for point in elements(svg, "symbol", "path")[:3]]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert points[1][1] < points[2][1] < points[0][1]  # the highest mean is the uppermost


def test_of_many_runs_the_last_hundred_are_drawn():
    svg = plots.trend([{"run": f"run {n}", "metric": "F1", "mean": n / 1000} for n in range(1000)])
    assert len(elements(svg, "symbol", "path")) == 100
    assert {"run 900", "run 0"} & set(texts(svg, "role-axis-label")) == {"run 900"}


def test_a_run_without_an_interval_or_a_mean_leaves_a_hole():
    points = [{"run": "a", "metric": "F1", "mean": 0.5}, {"run": "b", "metric": "F1", "mean": float("nan")}]
    svg = plots.trend([*points, {"run": "c", "metric": "F1", "mean": 0.6, "low": 0.5, "high": 0.7}])
    assert len(elements(svg, "symbol", "path")) == 2
    assert len(elements(svg, "rule", "line")) == 1


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_short_text_and_nothing_else(name):
    ids = [name, name + "2", "3"]
    scores = {"": [0.1, 0.5, 0.7], "!": [0.2, 0.5, 0.7]}
    old, new = (table(name + end, dict.fromkeys((name, f"{name}m"), each), ids=ids) for end, each in scores.items())
    points = [{"run": name, "metric": name, "mean": 0.5}]
    drawn = [
        plots.forest(Report([old, new])),
        plots.difference_forest(compare_all([new], old)),
        plots.distribution([old, new], name),
        plots.differences(new, old, name),
        plots.dumbbell(new, old, name),
        plots.trend(points),
    ]
    for svg in drawn:
        assert len(svg) < 30_000
        assert not re.search(r"<(?!/?(?:svg|g|path|line|rect|text)\b)", svg)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", svg)
        shown = {element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")}
        assert any(short(name) in text for text in shown)


def test_names_that_are_alike_when_cut_stay_apart():
    assert labels(["x" * 50 + "a", "x" * 50 + "b", "\x00"]) == ["x" * 39 + "…", "x" * 39 + "…-2", "–"]
    svg = plots.forest(Report([table("a", {"x" * 50 + "a": [0.1, 0.2], "x" * 50 + "b": [0.8, 0.9]})]))
    assert len({place(point) for point in elements(svg, "symbol", "path")}) == 2


def test_a_plot_is_saved_on_white_with_the_differences_below_the_means(tmp_path):
    plots.save_plot(compared(), tmp_path / "plot.svg")
    svg = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert '<rect width="' in svg
    assert 'fill="white"' in svg
    titles = texts(svg, "role-axis-title")
    assert titles[:4] == ["Mean with 95 % interval", "Metric", "Difference with 95 % interval", "Metric"]
    assert titles[4:] == ["Cut-off k (logarithmic)", "nDCG@k", "Cut-off k (logarithmic)", "P@k"]
    one = Report([table("one", {"F1": [0.1, 0.4]})])
    plots.save_plot(one, tmp_path / "one.svg", language="zh")
    assert texts((tmp_path / "one.svg").read_text(encoding="utf-8"), "role-axis-title") == ["均值与 95% 区间", "指标"]


def test_a_pdf_has_its_text_with_the_fonts_in_it(tmp_path):
    pypdf = pytest.importorskip("pypdf", reason="reading PDF needs pypdf")
    note = plots.save_plot(Report([ranked("系统甲"), ranked("b")]), tmp_path / "plot.pdf")
    (page,) = pypdf.PdfReader(tmp_path / "plot.pdf").pages
    assert "nDCG@10" in page.extract_text()
    assert note is not None or "系统甲" in page.extract_text()
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    embedded = [each["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object() for each in fonts]
    assert embedded
    assert all({"/FontFile2", "/FontFile3"} & set(each) for each in embedded)


def test_text_without_a_font_is_a_note():
    assert not lacks_font("<svg><text>nDCG</text></svg>")
    assert lacks_font("<svg><text>\U0003fffd</text></svg>")  # wide, and no character


def test_both_axes_have_titles_in_the_language_and_change_with_that_of_the_page():
    drawings = {
        "en": [plots.forest(compared()), plots.curves(compared())["P"], chart_of_losses(legal())],
        "zh": [plots.forest(compared(), "zh"), plots.curves(compared(), "zh")["P"], chart_of_losses(legal(), "zh")],
    }
    for english, chinese in zip(*drawings.values(), strict=True):
        assert len(texts(english, "role-axis-title")) == 2
        for language, svg in (("en", english), ("zh", chinese)):
            marked = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}text") if each.get("data-en")]
            assert {each.get(f"data-{language}") for each in marked} >= {each.text for each in marked}
        assert set(texts(english, "role-axis-title")) - {"P@k"} != set(texts(chinese, "role-axis-title")) - {"P@k"}


def test_a_single_mean_or_difference_is_no_chart():
    one, other = (table(name, {"F1": scores}) for name, scores in (("a", [0.1, 0.4, 0.9]), ("b", [0.2, 0.5, 0.7])))
    assert plots.forest(Report([one])) is None
    assert plots.difference_forest(compare_all([other], one)) is None
    assert plots.forest(Report([one, other])) is not None


def test_results_are_never_drawn_in_red_or_green():
    many = Report([ranked(f"run {n}") for n in range(12)])
    drawn = {GOOD, BAD} & {
        each.get(key)
        for svg in (plots.forest(many), *plots.curves(many).values())
        for each in ElementTree.fromstring(svg).iter()
        for key in ("fill", "stroke")
    }
    assert not drawn


def test_a_png_has_double_the_size_of_the_drawing(tmp_path):
    plots.save_plot(compared(), tmp_path / "plot.svg")
    plots.save_plot(compared(), tmp_path / "plot.PNG")
    root = ElementTree.fromstring((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    png = (tmp_path / "plot.PNG").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (2 * float(root.get("width")), 2 * float(root.get("height")))


def test_without_its_package_a_plot_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra) as error:
        plots.forest(Report([ranked("a")]))
    assert str(error.value) == (
        "drawing plots needs the package vl-convert-python\n"
        'hint: pip install "vl-convert-python>=1.7" (the extra steelyard[plots])'
    )


def test_a_figure_may_show_one_thing_alone(tmp_path):
    assert options.PLOTTED == plots.SHOWN
    drawn = {name: plots.report_figure(compared(), shown=name) for name in ("means", "differences", "cutoffs")}
    titles = {name: set(texts(svg, "role-axis-title")) for name, svg in drawn.items()}
    assert titles["means"] == {"Mean with 95 % interval", "Metric"}
    assert titles["differences"] == {"Difference with 95 % interval", "Metric"}
    assert titles["cutoffs"] == {"Cut-off k (logarithmic)", "nDCG@k", "P@k"}
    for name, report in (("differences", Report([ranked("a")])), ("precision-recall", compared())):
        with pytest.raises(ConfigError, match=f"nothing to draw for --plot {name}") as error:
            plots.report_figure(report, shown=name)
        assert error.value.hint


def test_kept_rankings_have_a_precision_recall_curve():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    tables = [evaluate_retrieval({"q": {"a": 1, "c": 1}}, run, ["AP", "P@1"], keep=True, name=name) for name in "ab"]
    svg = plots.report_figure(Report(tables), shown="precision-recall")
    assert texts(svg, "role-axis-title") == ["Recall", "Interpolated precision"]
    heights = [place(point)[1] for point in elements(svg, "symbol", "path")][:11]
    assert heights[:6] == [0.0] * 6  # one of two relevant documents is first: precision 1 up to recall 0.5
    assert len(set(heights[6:])) == 1
    assert heights[6] == pytest.approx(260 / 3, abs=0.001)
    assert list(plots.kind_charts(Report(tables))) == ["report.precision_recall"]


def test_the_score_of_a_benchmark_is_named_in_the_language_of_the_chart():
    svg = plots.distribution([table("a", {"legal": [0.2, 0.4, 1.0]})], "legal", "zh")
    assert Message("metric_names.legal").text("zh") in svg
    assert ">legal<" not in svg
