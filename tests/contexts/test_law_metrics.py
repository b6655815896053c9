"""Metrics about law: known answers by hand, the conventions of their sources, and articles that do not exist."""

import json
import math

import pytest
from commands import run

import steelyard
from steelyard.contexts.law import StatuteCorpus
from steelyard.errors import ConfigError, InputError
from steelyard.legal.values.statutes import statutes
from steelyard.reports.content import Report
from steelyard.reports.sections import report_blocks
from steelyard.signals import deadline
from steelyard.stats.micro import micro_averages


def scores(answers, references, metric, **keywords):
    return steelyard.evaluate_answers(answers, references, metric, **keywords).column(metric).tolist()


@pytest.mark.parametrize(
    ("answer", "reference", "precision", "recall"),
    [
        ("依据《中华人民共和国刑法》第二百六十四条。", "法条:刑法第264条", 1, 1),
        ("[法条]刑法第264条、刑法第266条<eoa>", "法条:刑法第264条", 1 / 2, 1),
        ("刑法第264条", "法条:刑法第264、266条", 1, 1 / 2),
        ("刑法第二百六十四条至第二百六十六条", "刑法第264条、265条、266条", 1, 1),
        ("刑法第264条第一款、第二款", "刑法第264条", 1, 1),  # a paragraph counts where the reference has one
        ("刑法第264条第二款", "刑法第264条第一款", 0, 0),
        ("刑法第264条", "刑法第264条第一款", 0, 0),
        ("刑法第133条", "刑法第133条之一", 0, 0),
        ("刑法第64、67条第3款", "刑法第64条、第67条第3款", 1, 1),
        ("第264条", "刑法第264条", 1, 1),
        ("民法典第264条", "刑法第264条", 0, 0),
        ("罚金264元", "刑法第264条", 0, 0),
    ],
)
def test_statutes_are_sets_of_values(answer, reference, precision, recall):
    table = steelyard.evaluate_answers([answer], [reference], "StatuteP,StatuteR,StatuteF,StatuteF(beta=2)")
    below = precision + recall
    assert table.mean("StatuteP") == pytest.approx(precision)
    assert table.mean("StatuteR") == pytest.approx(recall)
    assert table.mean("StatuteF") == pytest.approx(2 * precision * recall / below if below else 0)
    assert table.mean("StatuteF(beta=2)") == pytest.approx(
        5 * precision * recall / (4 * precision + recall) if below else 0
    )


@pytest.mark.parametrize("metric", ["StatuteF(depth=-1)", "StatuteF(beta=-1)", "ChargeF(beta=-0.5)"])
def test_a_depth_or_weight_below_0_is_refused(metric):
    with pytest.raises(ConfigError, match="must not be negative"):
        scores(["刑法第264条第一款"], ["刑法第264条"], metric)


def test_cail_gives_a_part_without_a_wrong_one_a_third():
    answers = ["刑法第264条、第266条", "刑法第264条", "刑法第264条、第267条", "没有依据"]
    assert scores(answers, ["刑法第264条、第266条"] * 4, "StatuteCAIL") == [1, 0.3, 0, 0]


def test_charges_are_values():
    answers = ["[罪名]盗窃;诈骗<eoa>", "被告人犯贩卖毒品罪", "不构成职务侵占罪，构成侵占罪", "被告人盗窃他人财物", None]
    wanted = ["罪名:盗窃;诈骗", "罪名:走私、贩卖、运输、制造毒品", "罪名:职务侵占", "罪名:盗窃", "罪名:盗窃"]
    assert scores(answers, wanted, "ChargeF") == [1, 1, 0, 0, 0]


def test_terms_by_the_distance_of_lawbench():
    # its script reads the first as 6 months
    answers = ["判处有期徒刑一年六个月", "刑期:36个月", "没有刑期", "无期徒刑", "12月"]
    given = scores(answers, ["刑期:18个月"] * 5, "TermLog")
    closeness = [1 - abs(math.log(months + 1) - math.log(19)) / math.log(216) for months in (36, 12)]
    assert given == pytest.approx([1, closeness[0], 0, 0, closeness[1]])


def test_terms_and_fines_by_the_ratio_of_judge():
    judgment = "判决如下：被告人甲犯盗窃罪，判处有期徒刑一年，并处罚金{}元；被告人乙判处有期徒刑{}。"
    answers = [judgment.format("三千", "六个月"), judgment.format("六千", "二年"), "判处死刑，缓期二年执行。"]
    wanted = [judgment.format("3000", "六个月"), judgment.format("三千", "六个月"), "判处死刑。"]
    assert scores(answers, wanted, "TermRatio") == pytest.approx([1, 0.5, 0])
    assert scores(answers[:2], wanted[:2], "FineRatio") == pytest.approx([1, 0.5])


def test_what_is_scored_does_not_depend_on_the_answer():
    names = "StatuteF,ChargeF,TermLog,TermRatio,FineRatio"
    answer = "犯盗窃罪，依刑法第264条判处有期徒刑一年，罚金一千元"
    table = steelyard.evaluate_answers([answer, None], ["驳回上诉。", "驳回上诉。"], names)
    assert all(math.isnan(value) for name in table.metrics for value in table.column(name))


# ----- micro averages


def test_micro_averages_add_up_the_counts_of_all_items():
    answers = ["刑法第264条、第266条、第267条", "刑法第312条", None]
    wanted = ["刑法第264条", "刑法第312条、第191条", "刑法第232条"]
    table = steelyard.evaluate_answers(answers, wanted, "StatuteF")
    (block,) = [each for each in report_blocks(Report([table])) if getattr(each, "title", "") == "micro averages"]
    assert [cell.value for cell in block.rows[0][2:5]] == ["0.5000", "0.5000", "0.5000"]  # 2 of 4 given, 2 of 4 wanted
    assert list(block.rows[0][5:]) == ["4", "4"]


def test_intervals_of_micro_averages_cover_them():
    import numpy as np

    counts = np.array([[2, 1, 1], [1, 2, 1], [0, 1, 0], [1, 1, 1], [np.nan] * 3] * 5)
    made = micro_averages(counts)
    assert (made.given, made.wanted, made.found) == (20, 25, 15)
    assert made.f1 == pytest.approx(30 / 45)
    for value, interval in zip(made[:3], made.intervals, strict=True):
        assert interval.low < value < interval.high


# ----- articles that exist


def corpus_in(folder, rows):
    path = folder / "statutes.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


SHAPES = {
    "name": [{"text_id": "1", "text": "…", "name": "中华人民共和国刑法第二百六十四条"}],
    "title": [{"id": "1", "title": "刑法第264条", "contents": "…"}],
    "apart": [{"title": "中华人民共和国刑法", "article": 264}],
    "quoted": [{"title": "《中华人民共和国刑法》", "article": "第264条"}],
    "decimal": [{"title": "刑法", "article": 264.0}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_article_that_the_corpus_lacks_is_named(shape, tmp_path):
    path = corpus_in(tmp_path, SHAPES[shape])
    answers = ["刑法第264条、《刑法》第九百条", "《刑法》第二百六十四条第一款", "民法典第1条", "没有依据"]
    table = steelyard.evaluate_answers(answers, [""] * 4, "StatuteKnown", statutes=path)
    assert table.column("StatuteKnown").tolist() == pytest.approx([0.5, 1, math.nan, math.nan], nan_ok=True)
    assert "第九百条" in table.note("StatuteKnown", 0)
    assert "statutes:sha256" in str(table.signature)


def test_an_article_between_two_is_one_of_its_own(tmp_path):
    path = corpus_in(tmp_path, [{"title": "刑法", "article": "133之一"}])
    table = steelyard.evaluate_answers(["刑法第133条之一、刑法第133条"], [""], "StatuteKnown", statutes=path)
    assert table.mean("StatuteKnown") == 0.5


def test_a_corpus_that_was_changed_is_read_again(tmp_path):
    for number in (264, 265):
        path = corpus_in(tmp_path, [{"title": "刑法", "article": number}])
        table = steelyard.evaluate_answers(["刑法第264条"], [""], "StatuteKnown", statutes=path)
        assert table.mean("StatuteKnown") == float(number == 264)


def test_a_corpus_that_can_be_read_only_once_is_refused():
    with pytest.raises(InputError, match="several times"):
        steelyard.evaluate_answers(["刑法第264条"], [""], "StatuteKnown", statutes="-")


def test_a_large_corpus_is_searched_once_for_each_statute():
    corpus = StatuteCorpus({f"关于第{n}号事项的管理办法": frozenset(("1",)) for n in range(3_000)})
    with deadline(10):
        assert [corpus.knows(each) for each in statutes("《民法典》第1条至第90条") * 100] == [None] * 9_000


def test_the_command_has_the_metric_where_a_corpus_is_given(tmp_path):
    corpus = corpus_in(tmp_path, SHAPES["name"])
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"prediction": "刑法第265条", "references": ["刑法第264条"]}\n', "utf-8")
    done = run("answers", rows, "-m", "StatuteKnown", "--statutes", corpus, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"][0]["metrics"]["StatuteKnown"]["mean"] == 0


def test_a_corpus_is_needed_and_has_articles(tmp_path):
    with pytest.raises(ConfigError, match="needs a corpus"):
        steelyard.evaluate_answers(["a"], ["a"], "StatuteKnown")
    with pytest.raises(InputError, match="names no article"):
        steelyard.evaluate_answers(["a"], ["a"], "StatuteKnown", statutes=corpus_in(tmp_path, [{"title": "刑法"}]))


@pytest.mark.parametrize(
    ("reference", "answer", "score"),
    [
        ("一年三个月", "经审理,判决如下:判处有期徒刑一年;又判处六个月,决定执行一年三个月", 1),
        ("一年三个月", "一年, 六个月, 决定执行一年三个月", 1),
        ("一年三个月", "决定执行一年六个月", 15 / 18),
        ("六个月", "合并执行六个月", 1),
        ("有期徒刑一年", "判处有期徒刑一年,2020年3月因盗窃曾被判刑六个月", 1),
        ("有期徒刑六个月", "曾因盗窃被判刑六个月", 1),
        ("imprisonment for one year", "sentenced to one year in prison; he had been sentenced to six months before", 1),
        ("有期徒刑六个月", "6 months suspended for two years", 1),
        ("有期徒刑六个月", "六个月,缓刑二年", 1),
        ("有期徒刑六个月", "The lease is for 6 months.", 0),
    ],
)
def test_the_term_that_is_executed_counts(reference, answer, score):
    assert scores([answer], [reference], "TermRatio") == [pytest.approx(score)]


@pytest.mark.parametrize(
    ("answer", "reference", "score"),
    [
        ("公诉机关指控其犯诈骗罪,经审理,其行为构成合同诈骗罪。", "合同诈骗罪", 1),
        ("检察机关以诈骗罪起诉,法院改判为盗窃罪。", "盗窃罪", 1),
        ("一审认定诈骗罪,二审认定合同诈骗罪。", "合同诈骗罪", 1),
        ("He was charged with robbery but convicted of theft.", "盗窃罪", 1),
        ("检察机关以诈骗罪起诉。", "诈骗罪", 1),  # nothing else is found
        ("公诉机关指控其犯诈骗罪、盗窃罪,法院认为指控的罪名成立,认定其犯诈骗罪、盗窃罪。", "诈骗罪;盗窃罪", 1),
        ("法院认定其犯诈骗罪、盗窃罪。", "盗窃罪", 2 / 3),
    ],
)
def test_a_charge_that_was_only_brought_is_not_the_result(answer, reference, score):
    assert scores([answer], [reference], "ChargeF") == [pytest.approx(score)]


@pytest.mark.parametrize(
    ("profile", "row"),
    [("lawbench", {"task": "9-9"}), ("cail2025", {}), ("judge", {})],
)
def test_rows_without_a_score_are_no_success(profile, row, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "1", "question": "q", "prediction": "x", "reference": "y", **row}))
    done = run("answers", path, "--profile", profile)
    assert done.returncode == 2
    assert f"{path}: no row has a score: the " in done.stderr
    assert "hint: " in done.stderr
    path.write_text(json.dumps({"id": "1", "question": "q", "prediction": "x", **row}))
    done = run("answers", path, "--profile", profile)
    assert done.returncode == 2
    assert f"the profile {profile} reads" in done.stderr
    assert "--references FILE" in done.stderr
    assert "ValuesGrounded" not in done.stderr


def test_a_corpus_is_read_whatever_the_metrics(tmp_path):
    rows, corpus = tmp_path / "rows.jsonl", tmp_path / "corpus.jsonl"
    rows.write_text(json.dumps({"id": "1", "prediction": "x", "reference": "y"}))
    corpus.write_text(json.dumps({"x": "1"}))
    done = run("answers", rows, "-m", "F1", "--statutes", corpus)
    assert done.returncode == 2
    assert "names no article" in done.stderr
