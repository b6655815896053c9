"""Scores as LawBench's scripts compute them, and the same answers as read."""

import json
import sys
from math import log
from time import process_time

import pytest

import steelyard
from steelyard.errors import InputError, MissingExtra
from steelyard.legal.published import lawbench

# task, output, reference as in the files of outputs, score, whether the script counts it as an abstention: invented,
# the scores by hand, and once by the scripts of LawBench e30981b
CASES = [
    ("1-2", "[正确答案]B<eoa>", "正确答案：B。", 1, False),
    ("1-2", "答案是B，因为A项缺少要件", "正确答案：B。", 0, False),
    ("1-2", "b", "正确答案：B。", 0, True),
    ("1-2", "B<eoa>\n下一题 A", "正确答案：B。", 0, False),
    ("2-8", "应选E", "[正确答案]E<eoa>", 1, False),
    ("3-6", "选E", "正确答案:C。", 0, True),
    ("2-2", "[争议焦点]违约<eoa>", "争议焦点类别：违约。", 1, False),
    ("2-2", "违约责任与合同效力", "争议焦点类别：违约。", 0, False),
    ("2-3", "法定离婚、准予离婚", "类别:准予离婚、婚后有子女。", 0.5, False),
    ("2-3", "准许离婚", "类别:准予离婚。", 0, True),
    ("2-4", "属于侵权", "侵权", 1, False),
    ("2-5", "邬远舟, 三万", "回答:邬远舟", 0.75, False),
    ("2-5", "！", "回答:邬远舟", 0, False),
    ("2-6", "受害人:邬某\n地点：仓库东侧\n时间:无", "受害人:邬某;地点:仓库", (2 * 5 / 6) / 2, False),
    ("2-6", "受害人:邬某;地点:仓库东侧", "受害人:邬某;地点:仓库", (4 / 10 + 4 / 6) / 2, False),
    ("2-6", "没有实体", "", 1, False),
    ("2-6", "受害人:邬某某某", "", 0, False),
    ("3-1", "[法条]刑法第264条、刑法第二百六十六条第二款<eoa>", "法条:刑法第264、266条", 2 / 3, False),
    ("3-1", "刑法第264条、第二百六十六条", "法条:刑法第264、266条", 1, False),
    ("3-1", "刑法第133条之一和第264条", "法条:刑法第264条", 0, False),
    ("3-1", "不知道", "法条:刑法第264条", 0, True),
    ("3-3", "票据诈骗罪", "罪名:票据诈骗", 2 / 3, False),
    ("3-3", "[罪名]盗窃;抢劫<eoa>", "罪名:盗窃;抢劫", 1, False),
    ("3-3", "无罪", "罪名:盗窃", 0, True),
    ("3-4", "有期徒刑一年六个月", "刑期:18个月", 1 - (log(19) - log(7)) / log(216), False),
    ("3-4", "判处有期徒刑三年", "刑期:36个月", 1, False),
    ("3-4", "[刑期]24月<eoa>", "刑期:11个月", 1 - (log(25) - log(12)) / log(216), False),
    ("3-5", "缓刑", "刑期:6个月", 0, True),
    ("3-7", "共计8500.50元", "上文涉及到的犯罪金额:8500.5元。", 1, False),
    ("3-7", "0.85万元", "上文涉及到的犯罪金额:8500.0元。", 0, False),
    ("3-7", "八千五百元", "上文涉及到的犯罪金额:8500.0元。", 0, True),
]
SKIPPED = [("2-2", "违约", "争议焦点类别：赔偿。"), ("3-4", "12个月", "刑期:无期"), ("3-5", "死刑", "刑期:死刑")]
NUMBERS = ("3-1", "3-4", "3-5")


@pytest.fixture
def scored(tmp_path):
    def evaluate(task, *rows, question="", name="{task}.json", **keywords):
        if task in NUMBERS:
            pytest.importorskip("cn2an", exc_type=ImportError)
        path = tmp_path / name.format(task=task)
        given = [{"origin_prompt": question, "prediction": answer, "refr": reference} for answer, reference in rows]
        path.write_text(json.dumps(dict(enumerate(given))), "utf-8")
        return steelyard.evaluate_answers(path, profile="lawbench", **keywords)

    return evaluate


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_score_is_that_of_the_script(scored, case):
    task, answer, reference, score, abstained = case
    table = scored(task, (answer, reference), metrics="Published")
    assert table.column("Published").tolist() == pytest.approx([score], abs=1e-9)
    assert table.parts["Published"]["abstained"].tolist() == [float(abstained)]


@pytest.mark.parametrize(("task", "answer", "reference"), SKIPPED)
def test_a_row_that_the_script_leaves_out_has_a_reason(scored, task, answer, reference):
    table = scored(task, (answer, reference), metrics="Published")
    assert table.count("unscored", "Published") == 1
    assert table.parts["Published"]["abstained"].tolist() == [0.0]  # it counts in the rate of abstention


def test_every_task_has_a_case():
    assert {case[0] for case in CASES} | {"3-5"} == set(lawbench.TASKS)


def test_rouge_of_a_blank_answer_is_nought(scored):
    # the script compares it as the single word 无内容, which jieba cuts into two in a reference
    table = scored("3-2", (" \n", "无内容"), ("第五条", "第五条"), metrics="Published")
    assert table.column("Published").tolist() == pytest.approx([0, 1], abs=1e-8)


@pytest.mark.parametrize(
    "case",
    [
        ("1-2", "[正确答案]B<eoa>\n下一题：A", "正确答案：B。", "Choice", 0, 1),
        ("2-2", "答案：<eoa>违约", "争议焦点类别：违约。", "LabelEM", 1, 1),
        ("2-2", "[争议焦点]违约<eoa>[争议焦点]利息<eoa>", "争议焦点类别：违约。", "LabelEM", 0, 1),
        ("2-3", "[类别]准予离婚<eoa>法定离婚", "类别:准予离婚。", "LabelF1", 2 / 3, 1),
        ("2-4", "将答案写在[类别]和<eoa>之间。[类别]侵权<eoa>", "侵权", "LabelEM", 1, 1),
        ("2-6", "受害人:邬某;地点:仓库", "受害人:邬某;地点:仓库", "EntityF1", 0.75, 1),
        ("2-6", "* 受害人: 邬某 (Wu)\n* 时间: None", "受害人:邬某", "EntityF1", 2 / 3, 1),
        ("3-7", "[金额]0.85万元<eoa>", "上文涉及到的犯罪金额:8500.0元。", "Amount", 0, 1),
        ("3-7", "[金额]8,500元<eoa>", "上文涉及到的犯罪金额:8500.0元。", "Amount", 0, 1),
    ],
    ids=str,
)
def test_as_read_the_answer_counts_that_is_marked(scored, case):
    task, answer, reference, metric, *means = case
    table = scored(task, (answer, reference), question="将答案写在[答案]和<eoa>之间")
    assert table.metrics == ["Published", metric]
    assert [table.mean(name) for name in table.metrics] == pytest.approx(means, abs=1e-9)


def test_the_task_is_in_the_name_of_the_file_or_in_a_column(scored, tmp_path):
    assert scored("1-2", ("B", "B"), metrics="Published", name="zero_shot__{task}.json").mean("Published") == 1
    with pytest.raises(InputError, match="Published needs what no row has: a task"):
        scored("1-2", ("B", "B"), metrics="Published", name="outputs.json")
    row = {"prediction": "票据诈骗", "references": "诈骗", "task": "3-3"}
    table = steelyard.evaluate_answers([row, {**row, "task": "9-9"}], metrics=["Published"], profile="lawbench")
    assert table.column("Published")[0] == pytest.approx(2 / 3)
    assert str(table.why("Published", 1).reason) == "the profile has no definition of the task 9-9"


def test_without_cn2an_the_install_line_is_said(scored, monkeypatch):
    monkeypatch.setitem(sys.modules, "cn2an", None)
    lawbench._transform.cache_clear()
    try:
        with pytest.raises(MissingExtra, match="cn2an"):
            lawbench.TASKS["3-4"]("三年", "36个月")
    finally:
        lawbench._transform.cache_clear()


@pytest.mark.parametrize("model", ["GPT4", "qwen-7b-chat-hf"])
def test_published_scores_of_real_outputs(real, model):
    stored = json.loads((real / "expected_generation.json").read_text("utf-8"))
    for path in sorted((real / "lawbench").glob(f"zero_shot__{model}__*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        tagged = [{**row, "task": path.stem.rpartition("__")[2]} for row in rows]
        table = steelyard.evaluate_answers(tagged, metrics=["Published"], profile="lawbench")
        expected = stored[f"lawbench/{path.stem}"]
        assert table.mean("Published") == pytest.approx(expected["published_score"], abs=1e-12), path.stem
        abstained = table.parts["Published"]["abstained"].mean()
        assert abstained == pytest.approx(expected["published_abstention_rate"]), path.stem


def test_metrics_follow_the_tasks_also_with_processes(tmp_path):
    rows = [{"id": str(n), "prediction": "违约", "references": "违约", "task": "2-2"} for n in range(3)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for processes in (1, 2):
        table = steelyard.evaluate_answers(path, profile="lawbench", processes=processes)
        assert table.metrics == ["Published", "LabelEM"]
        assert table.mean("LabelEM") == 1


def test_a_report_lists_the_rows_that_differ(scored, tmp_path):
    rows = [("8500元", "上文涉及到的犯罪金额:8500.0元。"), ("0.85万元", "上文涉及到的犯罪金额:8500.0元。")]
    table = scored("3-7", *rows)
    table.report(tmp_path / "page.html")
    table.report(tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "as read by Amount, 1 of 2 items differ from the published score" in text
    assert "| 1 | 0.0000 | 1.0000 |" in text
    assert "differ from the published score" in (tmp_path / "page.html").read_text("utf-8")
    scored("3-7", rows[0]).report(tmp_path / "same.md")
    assert "as read by Amount, 0 of 1 item differ" in (tmp_path / "same.md").read_text("utf-8")


def test_a_model_that_repeats_numerals_without_end_costs_no_time():
    pytest.importorskip("cn2an", exc_type=ImportError)
    assert len(lawbench.in_digits("九" * 50_000)) == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "text", "reference"),
    [
        ("3-4", "1" * 200_000, "刑期:18个月"),
        ("3-5", "1" * 200_000, "刑期:18个月"),
        ("3-1", "第" * 200_000, "法条:刑法第264条"),
    ],
)
def test_a_long_line_takes_no_quadratic_time(task, text, reference):
    begun = process_time()
    lawbench.TASKS[task](text, reference)
    assert process_time() - begun < 5


def test_the_end_of_an_article_is_the_next_one_in_its_line():
    def score(text):
        return lawbench.TASKS["3-1"](text, "法条:刑法第264条").score

    assert score("第二款第264条") == score("第一第二款第264条") == score("第\n264条") == 1
    assert score("第264条第1款") == 0
