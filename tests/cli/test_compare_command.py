"""`steelyard compare` used rightly and wrongly."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tables import table_of

import steelyard
from steelyard.cli import main
from steelyard.stats.compare import ComparisonSettings, compare_by, compare_pairs
from steelyard.table import Missing, Signature

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The sample runs as results files."""
    folder = tmp_path_factory.mktemp("results")
    for name in ("run_a", "run_b", "run_c"):
        found = steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / f"{name}.txt", ["nDCG@10", "AP", "RR"])
        found.save(folder / f"{name}.jsonl")
    return folder


def saved(folder, name, values, ids=None, signature=None, **fields):
    ids = ids or [f"q{n}" for n in range(len(values))]
    path = folder / f"{name}.jsonl"
    made = Signature.of({"missing": "zero", "run": name, **(signature or {})})
    table_of(ids=ids, columns={"F1": np.array(values, float)}, name=name, signature=made, **fields).save(path)
    return path


def test_the_numbers_are_those_of_the_library(results, run):
    code, out, err = run("compare", results / "run_a.jsonl", results / "run_b.jsonl", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    head = ["steelyard", "kind", "signature", "units", "scope"]
    assert list(found) == [*head, "results", "comparisons", "risk", "changes"]
    old, new = (steelyard.load(results / f"{name}.jsonl") for name in ("run_a", "run_b"))
    expected = list(steelyard.compare(old, new))
    assert found["comparisons"] == [comparison.as_dict() for comparison in expected]
    assert {
        "a",
        "b",
        "metric",
        "n",
        "a_mean",
        "b_mean",
        "diff",
        "ci95",
        "test",
        "exact",
        "resamples",
        "p_value",
    } <= set(found["comparisons"][0])
    assert [each["name"] for each in found["results"]] == ["run_a", "run_b"]


def test_changes_are_the_wins_and_losses(results, run):
    _, out, _ = run("compare", results / "run_a.jsonl", results / "run_b.jsonl", "--json")
    found = json.loads(out)
    for compared, changes in zip(found["comparisons"], found["changes"], strict=True):
        assert (changes["a"], changes["b"], changes["metric"]) == ("run_b", "run_a", compared["metric"])
        assert (len(changes["better"]), len(changes["worse"])) == (compared["wins"], compared["losses"])
        sizes = [abs(change["diff"]) for change in changes["worse"]]
        assert sizes == sorted(sizes, reverse=True)
        total = sum(change["diff"] for change in changes["better"] + changes["worse"])
        assert total / compared["n"] == pytest.approx(compared["diff"])


def test_five_changes_each_way_or_all(tmp_path, run):
    old = saved(tmp_path, "old", [0.5] * 40)
    new = saved(tmp_path, "new", [0.5 + n / 100 for n in range(1, 16)] + [0.5 - n / 100 for n in range(1, 26)])
    _, out, _ = run("compare", old, new)
    assert "15 better · 25 worse · 0 same (F1)" in out
    assert ("q14 " in out, "q4 " in out, "q39 " in out, "q20 " in out) == (True, False, True, False)
    assert out.index("most regressed items: F1") < out.index("q39 ") < out.index("and 20 more")
    assert out.index("and 20 more") < out.index("most improved items: F1") < out.index("q14 ")
    _, out, _ = run("compare", old, new, "-q")
    assert ("q4 " in out, "q20 " in out, "more" in out) == (True, True, False)
    assert "effect size" in out


def test_items_that_one_side_lacks_are_said(tmp_path, run):
    old, new = saved(tmp_path, "old", [1, 0, 1, 1]), saved(tmp_path, "new", [1, 0, 1], ids=["q0", "q1", "x"])
    code, out, _ = run("compare", old, new)
    assert code == 0
    assert "items scored in only one of the two, excluded from the comparison: 3" in out
    assert "scored only in new: 1 (x)\nscored only in old: 2 (q2, q3)\n" in out
    found = json.loads(run("compare", old, new, "--json")[1])
    assert (found["changes"][0]["only_in_a"], found["changes"][0]["only_in_b"]) == (["x"], ["q2", "q3"])
    assert found["comparisons"][0]["unpaired"] == 3


def test_items_that_one_side_lacks_are_counted_over_all_metrics(tmp_path, run):
    scores, paths, reason = [0.0, 1, 0, 1, 1, 0], [], Missing("unscored", "no reference")
    for name, metric, gaps in (("old", "F1", slice(0, 2)), ("new", "EM", slice(3, 6))):
        columns = {each: np.array(scores) for each in ("F1", "EM")}
        columns[metric][gaps] = np.nan
        status = {each: np.isnan(values).astype(int) for each, values in columns.items()}
        paths.append(tmp_path / f"{name}.jsonl")
        table_of([f"q{n}" for n in range(6)], columns, status=status, reasons=[reason], name=name).save(paths[-1])
    out = run("compare", *paths)[1]
    assert "items scored in only one of the two, excluded from the comparison: 5" in out  # 2 in F1, 3 others in EM
    assert "means and differences over the 3–4 items that both have" in out


def test_means_of_all_items_above_differences_of_some_are_said(tmp_path, run):
    old, new = saved(tmp_path, "old", [1, 0, 1, 1]), saved(tmp_path, "new", [1, 0, 1], ids=["q0", "q1", "x"])
    said = "means and differences over the 2 items that both have"
    files = [tmp_path / f"out.{suffix}" for suffix in ("md", "tex", "html")]
    assert f"{said}\n" in run("compare", old, new, *(word for path in files for word in ("-o", path)))[1]
    assert all(said in path.read_text("utf-8") for path in files)
    third = "means over all items of each result (old 4 · new 3 · same 4); differences over the 2–4 that both have"
    same = saved(tmp_path, "same", [0, 0, 1, 1])
    assert f"{third}\n" in run("compare", old, new, same)[1]
    assert "that both have" not in run("compare", old, same)[1]


def test_latex_of_several_runs_has_letters_without_per_item(tmp_path, run):
    runs = [DATA / f"run_{letter}.txt" for letter in "abc"]
    assert run("retrieval", DATA / "qrels.txt", *runs, "-m", "nDCG@10,AP,P@5", "-o", tmp_path / "x.tex")[0] == 0
    text = (tmp_path / "x.tex").read_text("utf-8")
    assert r"run\_a & \textbf{0.6527}$^{\mathrm{a}}$ & \textbf{0.5635}$^{\mathrm{a}}$ & " in text
    assert r"run\_c & 0.3977$^{\mathrm{b}}$ & 0.3328$^{\mathrm{b}}$ & " in text


def test_systems_and_the_baseline_are_chosen_by_name(results, tmp_path, run):
    files = [results / f"run_{letter}.jsonl" for letter in "abc"]

    def pairs(*words):
        found = json.loads(run("compare", *files, "-m", "AP", "--json", *words)[1])
        return [(each["a"], each["b"]) for each in found["comparisons"]]

    assert pairs("--baseline", "run_b") == [("run_a", "run_b"), ("run_c", "run_b")]
    assert pairs("--systems", "run_c,run_a") == [("run_a", "run_c")]
    assert pairs("--systems", "run_c", "--systems", "run_a", "--baseline", "run_a") == [("run_c", "run_a")]
    code, _, err = run("compare", *files, "--baseline", "run_d")
    assert code == 2
    assert "no result is called 'run_d'\nhint: did you mean 'run_" in err
    text = run("report", *files, "--systems", "run_b", "--baseline", "run_c")[1]
    assert text.startswith("run_c → run_b: nDCG@10 ")
    assert run("compare", *files, "--systems", "run_a")[0] == 2


def legal_results(folder, count=2):
    """Results over four documents, each a bit better than the one before, with a part on every other item."""
    tags = {"type": ["fact_exact"] * 40, "document": [str(n // 10) for n in range(40)]}
    for number in range(count):
        score = np.linspace(0.1, 0.5, 40) + 0.1 * number
        parts = {"legal": {"honest": np.where(np.arange(40) % 2, score > 0.3, np.nan)}}
        made = {"columns": {"legal": score}, "bounds": {"legal": (0.0, 1.0)}, "parts": parts, "tags": tags}
        table = table_of(ids=[f"q{n}" for n in range(40)], kind="legal", name=f"s{number}", **made)
        table.save(folder / f"s{number}.jsonl")
        yield folder / f"s{number}.jsonl"


def test_too_few_documents_are_said_in_every_format(tmp_path, run):
    these = "score: On these 4 documents: +0.1000 [0.1000, 0.1000], p 1.8e-12: better"  # 2 / 2^40
    others = "score: For other documents of this kind: cannot tell with 4 documents; at least 6 would be needed"
    files = [tmp_path / f"out.{suffix}" for suffix in ("md", "tex", "html", "json")]
    old, new = legal_results(tmp_path)
    _, out, _ = run("compare", old, new, *(word for path in files for word in ("-o", path)))
    assert f"{these}\n{others}\n" in out
    texts = [path.read_text("utf-8").replace("\\", "") for path in files[:3]]
    assert all(these in text and others in text for text in texts[:2])
    assert all(line.partition(": ")[2] in texts[2] for line in (these, others))  # a page has the metric beside them
    output = json.loads(files[3].read_text("utf-8"))
    assert (output["units"], output["scope"]) == ("auto", "items")
    (found,) = output["comparisons"]
    assert (found["scope"], found["units"], found["significant"]) == ("items", 40, True)
    items, documents = found["scopes"]
    assert [items[key] for key in ("scope", "units", "p_value", "reason")] == ["items", 40, found["p_value"], None]
    kept = {key: documents[key] for key in ("scope", "units", "p_value", "significant", "smallest_p", "needed")}
    assert kept == {
        "scope": "documents",
        "units": 4,
        "p_value": 0.125,
        "significant": False,
        "smallest_p": 0.125,
        "needed": 6,
    }
    assert documents["reason"] == "cannot tell with 4 documents"
    assert "cannot tell" not in run("compare", old, new, "--test", "t")[1]
    zh = run("compare", old, new, "--lang", "zh")[1]
    assert "得分：仅就这 4 份文档：+0.1000 [0.1000, 0.1000]，p 1.8e-12：更好\n" in zh
    assert "得分：推广到同类文档：只有 4 份文档，无法判断；至少需要 6 份\n" in zh


def test_a_leaderboard_says_what_other_documents_would_need_once(tmp_path, run):
    _, out, _ = run("compare", *legal_results(tmp_path, 3), "-o", tmp_path / "out.html", "-o", tmp_path / "out.md")
    assert out.startswith("Score of 3 systems\n")
    (line,) = [line for line in out.splitlines() if "documents of this kind" in line]
    assert re.match("For other documents of this kind: [^:,]+, [^:,]+: cannot tell with 4 documents; at least ", line)
    for text in (out, *((tmp_path / f"out.{suffix}").read_text("utf-8") for suffix in ("html", "md"))):
        assert "On these 4 documents" not in text


def test_units_choose_what_decides(tmp_path, run):
    old, new = legal_results(tmp_path)
    _, out, _ = run("compare", old, new, "--units", "documents")
    first = "score: For other documents of this kind: cannot tell with 4 documents; at least 6 would be needed"
    assert f"{first}\nscore: On these 4 documents: +0.1000 [0.1000, 0.1000], p 1.8e-12: better\n" in out
    assert "units: documents (--units documents)" in out
    assert re.search(r"\nscore +0\.3000 +0\.4000 +\+0\.1000 .* 0\.1250 ", out)
    found = json.loads(run("compare", old, new, "--units", "documents", "--json")[1])
    assert [pair["scope"] for pair in found["comparisons"]] == ["documents"]
    assert {mean["scope"] for result in found["results"] for mean in result["metrics"].values()} == {"documents"}


def test_documents_that_are_not_named_cannot_be_units(results, run):
    code, out, err = run("compare", results / "run_a.jsonl", results / "run_b.jsonl", "--units", "documents")
    assert (code, out) == (2, "")
    assert err == (
        "run_a does not name the documents of its items (the tag document), so documents cannot be the units\n"
        "hint: give each item a tag document, or use --units items\n"
    )


def test_too_few_documents_earn_no_letters(tmp_path, run):
    files = [word for suffix in ("json", "tex") for word in ("-o", tmp_path / f"out.{suffix}")]
    _, out, _ = run("compare", *legal_results(tmp_path, 3), "--units", "documents", *files)
    board = out.partition("\n\n")[0]
    assert "  letters" not in board
    assert "No letters for score: cannot tell with 4 documents." in board
    assert "share a letter" not in out
    assert "cannot tell with 4 documents; at least 7 would be needed\n" in out  # 3 * 2 / 2^7 = 0.047
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["letters"] == {"legal": None}
    assert "s1      0.4000 –\n" in run("compare", *legal_results(tmp_path, 3), "--units", "documents", "-q")[1]
    assert r"& s1 & 0.4000 &" in (tmp_path / "out.tex").read_text("utf-8")


def test_parts_of_a_metric_compare_as_the_gate_takes_them(tmp_path, run):
    files = list(legal_results(tmp_path))
    written = [tmp_path / f"out.{suffix}" for suffix in ("json", "md", "tex", "html", "jsonl")]
    code, _, err = run("compare", *files, "-m", "legal.honest", *(w for path in written for w in ("-o", path)))
    assert (code, err) == (0, "")
    found = json.loads(written[0].read_text("utf-8"))
    (compared,) = found["comparisons"]
    expected = [np.nanmean(steelyard.load(path).parts["legal"]["honest"]) for path in files]
    assert (compared["metric"], compared["n"]) == ("legal.honest", 20)
    assert [compared["b_mean"], compared["a_mean"]] == pytest.approx(expected)
    assert len(found["changes"][0]["better"]) == compared["wins"] > 0
    assert list(found["results"][0]["metrics"]) == ["legal.honest", "legal"]  # the whole beside its part
    assert "cannot tell with 4 documents" in written[3].read_text("utf-8")
    message = "no common metric is called 'legal.honst'\nhint: did you mean 'legal.honest'?\n"
    assert run("compare", *files, "-m", "legal.honst") == (2, "", message)


def test_metrics_in_anybodys_spelling(results, run):
    files = results / "run_a.jsonl", results / "run_b.jsonl"
    found = json.loads(run("compare", *files, "-m", "ndcg_cut_10,map", "--json")[1])
    assert [each["metric"] for each in found["comparisons"]] == ["nDCG@10", "AP"]
    assert list(found["results"][0]["metrics"]) == ["nDCG@10", "AP"]
    code, _, err = run("compare", *files, "-m", "nDGC@10")
    assert (code, err) == (2, "no common metric is called 'nDGC@10'\nhint: did you mean 'nDCG@10'?\n")


def test_several_systems_get_letters(results, tmp_path, run):
    files = [results / f"{name}.jsonl" for name in ("run_a", "run_b", "run_c")]
    out = tmp_path / "out.tex"
    _, text, _ = run("compare", *files, "-m", "AP", "-o", out, "-o", tmp_path / "out.md", "-o", tmp_path / "out.json")
    assert re.search(r"\n1  run_a   0\.5635 .* baseline .* a +–\n", text)
    assert re.search(r"\n3  run_b   0\.3245 .*▼ .* b +\d+ / \d+ / \d+\n", text)
    assert "\nresults that share a letter do not differ significantly\n" in text
    assert "\nall pairs: holm (3), at 0.05\n" in text
    assert r"1 & run\_a & \textbf{0.5635} & " in out.read_text("utf-8")
    assert re.search(r"\| 2 \| run_c \| 0\.3328 \| .* \| b \|", (tmp_path / "out.md").read_text("utf-8"))
    assert "run_a   0.5635 a" in run("compare", *files, "-m", "AP", "-q")[1]
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert found["letters"] == {"AP": {"run_a": "a", "run_c": "b", "run_b": "b"}}
    tables = [steelyard.load(path) for path in files]
    assert found["pairs"] == [c.as_dict() for c in compare_pairs(tables, ComparisonSettings(), metrics=["AP"])]
    assert [(each["a"], each["b"]) for each in found["pairs"]] == [
        ("run_b", "run_a"),
        ("run_c", "run_a"),
        ("run_c", "run_b"),
    ]


@pytest.mark.slow
def test_a_result_that_lacks_a_metric_has_a_dash_among_the_letters(results, tmp_path, run):
    steelyard.load(results / "run_b.jsonl").only(["nDCG@10", "RR"]).save(tmp_path / "run_b.jsonl")
    files = [results / "run_a.jsonl", tmp_path / "run_b.jsonl", results / "run_c.jsonl"]
    written = [tmp_path / f"out.{suffix}" for suffix in ("json", "md", "tex", "html")]
    code, text, err = run("compare", *files, "-q", *(word for path in written for word in ("-o", path)))
    assert (code, err) == (0, "")
    assert re.search(r"\nall pairs\nsystem +nDCG@10 +AP +RR\n", text)
    assert re.search(r"\nrun_b +0\.\d{4} b +– +0\.\d{4} b\n", text)
    letters = json.loads(written[0].read_text("utf-8"))["letters"]
    assert letters["AP"] == {"run_a": "a", "run_c": "b"}
    assert list(letters["RR"]) == ["run_a", "run_c", "run_b"]
    assert re.search(r"\| run_b \| .* b \| – \|", written[1].read_text("utf-8"))
    assert re.search(r"run\\_b & .* & -- & ", written[2].read_text("utf-8"))


def test_within_each_value_of_a_tag_as_one_family(tmp_path, run):
    source = np.random.default_rng(7)
    tags = {"type": ["fact"] * 30 + ["gap"] * 30}
    before = source.random(60)
    old = saved(tmp_path, "old", before, tags=tags)
    new = saved(
        tmp_path, "new", before + np.where(np.arange(60) < 30, 0.1, 0.0) + source.normal(0, 0.05, 60), tags=tags
    )
    found = json.loads(run("compare", old, new, "--by", "type", "--json")[1])
    groups = found["by"]["type"]
    assert {value: [c["n"] for c in each] for value, each in groups.items()} == {"fact": [30], "gap": [30]}
    raw = sorted(each[0]["p_value"] for each in groups.values())
    adjusted = sorted(each[0]["p_adjusted"] for each in groups.values())
    assert adjusted == pytest.approx([raw[0] * 2, max(raw[0] * 2, raw[1])])
    assert (groups["fact"][0]["significant"], groups["gap"][0]["significant"]) == (True, False)
    assert "differences within each type" in run("compare", old, new, "--by", "type")[1]
    code, _, err = run("compare", old, new, "--by", "typ")
    assert (code, err) == (2, "old: no tag is called 'typ'\nhint: did you mean 'type'?\n")


def test_a_group_that_only_one_side_has_is_left_out():
    old = table_of(ids=["a", "b"], columns={"F1": np.ones(2)}, tags={"type": ["x", "y"]}, name="old")
    new = table_of(ids=["a"], columns={"F1": np.ones(1)}, tags={"type": [""]}, name="new")
    assert list(compare_by([new], old, "type", ComparisonSettings())) == ["x"]


def test_settings_that_differ_are_refused_unless_told(tmp_path, run):
    old = saved(tmp_path, "old", [1, 0, 1], signature={"missing": "skip", "qrels": "sha256 1"})
    new = saved(tmp_path, "new", [1, 1, 1], signature={"qrels": "sha256 2", "depth": "10"})
    code, out, err = run("compare", old, new)
    assert (code, out) == (2, "")
    assert err == (
        "new and old are not comparable, their settings differ: missing (zero ≠ skip), "
        "qrels (sha256 2 ≠ sha256 1), depth (10 ≠ –)\n"
        "hint: evaluate both with the same settings, or compare them with --force\n"
    )
    code, out, err = run("compare", old, new, "--force")
    assert (code, err) == (0, "")
    assert "settings differ: missing, qrels, depth\n" in out
    found = json.loads(run("compare", old, new, "--force", "--json")[1])
    assert found["comparisons"][0]["settings_differ"] == ["missing", "qrels", "depth"]


def test_the_system_and_the_version_may_differ(tmp_path, run):
    old = saved(tmp_path, "old", [1, 0], signature={"system": "a", "predictions": "1", "steelyard": "0.0.1"})
    new = saved(tmp_path, "new", [1, 0], signature={"system": "b", "predictions": "2", "steelyard": "0.1.0"})
    assert run("compare", old, new)[0] == 0


REFUSED = {
    "kinds": ({"kind": "retrieval"}, "new is of kind retrieval and old of kind answers; they are not comparable\n"),
    "ids": ({"ids": ["x", "y"]}, "no item is in both new and old\nhint: items are paired by their id\n"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("force", [(), ("--force",), ("--anyway",)])
def test_what_cannot_be_compared_at_all(case, force, tmp_path, run):
    fields, message = REFUSED[case]
    old, new = saved(tmp_path, "old", [1, 0]), saved(tmp_path, "new", [1, 0], **fields)
    assert run("compare", old, new, *force) == (2, "", message)


def test_no_metric_in_common(tmp_path, run):
    old, new = saved(tmp_path, "old", [1, 0]), tmp_path / "new.jsonl"
    signature = Signature.of({"missing": "zero"})
    table_of(ids=["q0"], columns={"EM": np.ones(1)}, name="new", signature=signature).save(new)
    message = "new and old have no metric in common\nhint: new has EM; old has F1\n"
    assert run("compare", old, new) == (2, "", message)


def test_one_result_is_not_enough(tmp_path, run):
    message = "a comparison needs at least two results\nhint: specify the older file first, then the newer one\n"
    assert run("compare", saved(tmp_path, "old", [1, 0])) == (2, "", message)


def test_a_file_with_several_results_gives_all(results, tmp_path, run):
    both = tmp_path / "both.jsonl"
    both.write_bytes(b"".join((results / f"{name}.jsonl").read_bytes() for name in ("run_a", "run_b")))
    found = json.loads(run("compare", both, results / "run_c.jsonl", "--json")[1])
    assert [each["name"] for each in found["results"]] == ["run_a", "run_b", "run_c"]


def test_results_of_one_name_are_called_as_their_files(results, tmp_path, run):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes((results / "run_a.jsonl").read_bytes())
    found = json.loads(run("compare", results / "run_a.jsonl", copy, results / "run_b.jsonl", "--json")[1])
    assert [each["name"] for each in found["results"]] == ["run_a", "copy", "run_b"]


def test_every_format_is_written(results, tmp_path, run):
    files = [tmp_path / f"out{suffix}" for suffix in (".json", ".md", ".tex", ".csv", ".jsonl", ".html")]
    words = [word for file in files for word in ("-o", file)]
    code, _, err = run("compare", results / "run_a.jsonl", results / "run_b.jsonl", *words)
    assert (code, err) == (0, "")
    assert all(file.stat().st_size for file in files)
    assert "run_a → run_b" in files[1].read_text("utf-8")
    assert len(steelyard.load_all(files[4])) == 2


def test_chinese(tmp_path, run):
    old = saved(tmp_path, "old", [1, 0, 1, 1] * 5)
    new = saved(tmp_path, "new", [1, 1, 1] * 5, signature={"missing": "skip"})
    code, _, err = run("compare", old, new, "--lang", "zh")
    assert (code, err) == (
        2,
        "new 和 old 不可比，设置不同：missing (skip ≠ zero)\n提示：请用相同的设置评测两者，或用 --force 强制比较\n",
    )
    _, out, _ = run("compare", old, new, old, "--lang", "zh", "--force")
    for words in (
        "有变化的条目",
        "效应量",
        "相同",
        "更好",
        "两两比较",
        "有相同字母的结果之间没有显著差异",
        "设置不同",
    ):
        assert words in out


@pytest.mark.slow
def test_a_page_of_three_results_has_their_letters(tmp_path):
    results, page = tmp_path / "runs.jsonl", tmp_path / "page.html"
    runs = [str(DATA / f"run_{name}.txt") for name in "bac"]
    assert main(["retrieval", str(DATA / "qrels.txt"), *runs, "-m", "nDCG@10", "-o", str(results)]) == 0
    assert main(["compare", str(results), "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    letters = text[text.index(">all pairs<") :]
    assert "0.6527 a" in letters
    assert "0.3947 b" in letters
    assert "results that share a letter do not differ significantly" in text
    assert "<title>nDCG@10 of 3 systems" in text


def test_by_a_tag_has_the_differences_within_its_values_and_no_means_over_all_items(tmp_path, run):
    tags = {"type": ["easy", "hard"] * 10}
    old = saved(tmp_path, "old", np.linspace(0, 0.5, 20), tags=tags)
    new = saved(tmp_path, "new", np.linspace(0.2, 1, 20), tags=tags)
    text = run("compare", old, new, "--by", "type")[1]
    assert text.count("differences within each type") == 1
    assert "old: type" not in text
    assert "new: type" not in text
    found = json.loads(run("compare", old, new, "--by", "type", "--json")[1])
    assert [list(each["by"]["type"]) for each in found["results"]] == [["easy", "hard"]] * 2
    assert list(found["by"]["type"]) == ["easy", "hard"]
    means = run("report", old, "--by", "type")[1]
    assert "old: type" in means
