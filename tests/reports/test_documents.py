"""What the console shows stands in Markdown and LaTeX files too, and no text of a case breaks them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from markdown_it import MarkdownIt
from rendering import render_console, render_csv, render_latex, render_markdown
from tables import table_of

from steelyard.errors import UnknownName
from steelyard.i18n import Message, to_json
from steelyard.reports.content import Report
from steelyard.reports.files import write_report

NASTY = r"*a* _b_ |c| <d> &amp; [e](f) `g` \h #i ~j~ $k$ {l} 50% ^m x_y"
NAN = float("nan")
INVENTED = {"text": "王五", "kind": "name"}


def legal_table(name="base", question="一共收了多少钱？", document="合同_1.md"):
    refused = Message("legal.answer_says_words", word="未载明")
    item = Message("legal.invented_item", text="王五", kind=Message("kinds.name"))
    why = {"correct_abstention": refused, "no_hallucination": Message("legal.invented", items=item)}
    told = {
        "invented": [INVENTED],
        "reasons": {part: str(reason) for part, reason in why.items()},
        "messages": {"reasons": {part: to_json(reason) for part, reason in why.items()}},
    }
    verdicts = [
        {},
        {"should_abstain": True, "abstained": False, **told},
        {"should_abstain": False, "abstained": False},
    ]
    notes = {
        0: "exact_match: amount_total: 24000元 is not 42000; citation_correctness: page 1, '甲': not page 1",
        1: "correct_abstention: the answer says '未载明'; no_hallucination: 王五 (name)",
    }
    return table_of(
        ids=["q1", "q2", "q3"],
        columns={"legal": np.array([0.0, 0.4, 1.0])},
        kind="legal",
        name=name,
        tags={"type": ["fact_exact", "conflict_gap", "conflict_gap"], "document": [document, document, "b.md"]},
        parts={"legal": {"exact_match": np.array([0.0, NAN, NAN]), "no_hallucination": np.array([NAN, 0.0, 1.0])}},
        notes={"legal": notes},
        outputs=[{"question": question, "verdict": verdict} for verdict in verdicts],
    )


def report(**changes):
    return Report([legal_table()], **changes)


def rendered(text):
    """The words of the cells and lines that a reader of Markdown sees, and the tags around them."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    unescaped = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    return html, unescaped


def test_groups():
    text = render_markdown(report(by="document"))
    assert "### base: document\n\n| document | n | score |\n| --- | ---: | ---: |\n| 合同_1.md | 2 | 0.2000 |" in text
    latex = render_latex(report(by="document"))
    assert "document & n & score \\\\\n\\midrule\n合同\\_1.md & 2 & 0.2000 \\\\\nb.md & 1 & 1.0000 \\\\" in latex
    assert "base: document" not in render_markdown(report())


def test_a_tag_that_is_not_there_is_an_error():
    for render in (render_markdown, render_latex):
        with pytest.raises(UnknownName, match="base: no tag is called 'typ'\nhint: did you mean 'type'"):
            render(report(by="typ"))


def test_parts_by_type():
    text = render_markdown(report())
    assert "### base: parts of the score\n\n| type | part | mean | 95 % interval | n |\n" in text
    # Wilson's intervals of 0 of 1 and of 1 of 2
    assert "| exact facts | exact match | 0.0000 | [0.0000, 0.7935] | 1 |" in text
    assert "| gaps and conflicts | not blank or invented | 0.5000 | [0.0945, 0.9055] | 2 |" in text
    latex = render_latex(report())
    assert r"type & part & mean & 95 \% interval & n \\" in latex
    assert r"exact facts & exact match & 0.0000 & [0.0000, 0.7935] & 1 \\" in latex


def test_questions_about_gaps():
    text = render_markdown(report(), language="zh")
    assert "### base：冲突/缺口型" in text
    assert "| 应当作答 | 1 | 0 | 0.0% |\n| 应当拒答 | 1 | 0 | 100.0% |" in text
    assert "| 不完整 | 1 / 1 |" in text
    latex = render_latex(report())
    assert r"not answerable & 1 & 0 & 100.0 \% \\" in latex
    assert "incomplete & 1 / 1 &" in latex


def test_the_worst_questions_stand_in_markdown_alone():
    text = render_markdown(report(), language="zh")
    assert "### base：得分最低的条目\n\n1. q1 · 0.00 · 一共收了多少钱？\n" in text
    assert "\n   - 拒答正确：回答称“未载明”；有内容且无幻觉：查出“王五”（姓名）\n" in text
    assert "2. q2 · 0.40 · " in text
    assert "q3" not in text
    assert "   - exact\\_match" not in render_markdown(report())
    assert "   - exact_match: amount_total: 24000元 is not 42000; " in render_markdown(report())
    assert "一共收了多少钱" not in render_latex(report())


def test_the_console_gives_the_same_reasons():
    assert "    拒答正确：回答称“未载明”；有内容且无幻觉：查出“王五”（姓名）\n" in render_console(
        report(), language="zh"
    )
    assert "    correct abstention: the answer says '未载明'; " in render_console(report())


def test_a_weighted_mean_is_said():
    weighted = legal_table()
    weighted.tags["weight"] = ["2", "1", "1"]
    assert "\n\nbase: mean weighted by the questions' weights 0.3500\n\n" in render_markdown(Report([weighted]))
    assert "\n% base: mean weighted by the questions' weights 0.3500\n" in render_latex(Report([weighted]))


def test_other_results_have_no_legal_tables():
    plain = Report([table_of(ids=["a"], columns={"AP": np.array([0.5])}, kind="retrieval", name="run")])
    assert "###" not in render_markdown(plain)
    assert render_latex(plain).count(r"\begin{tabular}") == 1


def test_items_are_a_table_of_markdown():
    text = render_markdown(report(per_item=True))
    assert text.endswith(
        "| result | id | legal |\n| --- | --- | ---: |\n"
        "| base | q1 | 0.0000 |\n| base | q2 | 0.4000 |\n| base | q3 | 1.0000 |\n"
    )
    assert "| q1 |" not in render_markdown(report())


def test_a_reader_of_markdown_sees_every_text_as_it_is():
    table = legal_table(NASTY, f"{NASTY}\n\n# heading", NASTY)
    html, text = rendered(render_markdown(Report([table], (), True, "document")))
    tags = set(re.findall(r"</?(\w+)", html))
    assert tags == {"table", "thead", "tbody", "tr", "th", "td", "h3", "ol", "ul", "li"}
    # the name in a heading of the means, 5 titles, 2 remarks and 3 items; a group; 2 questions
    assert text.count(NASTY) == (1 + 5 + 2 + 3) + 1 + 2
    assert f"q1 · 0.00 · {NASTY} # heading" in text
    assert f"<td>{NASTY}</td>" in text


def test_latex_escapes_every_text():
    latex = render_latex(Report([legal_table(NASTY, document="[1]\n& x")], (), True, "document"))
    name = (
        r"*a* \_b\_ \textbar{}c\textbar{} \textless{}d\textgreater{} \&amp; [e](f) `g` \textbackslash{}h \#i "
        r"\textasciitilde{}j\textasciitilde{} \$k\$ \{l\} 50\% \^{}m x\_y"
    )
    assert rf"\textbf{{{name}: document}}" in latex
    assert "\n{}[1] \\& x & 2 & 0.2000 \\\\\n" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 5


def test_the_worst_questions_and_the_remarks_are_two_lists():
    html, _ = rendered(render_markdown(report()))
    assert html.count("<ol>") == 1
    assert "</ol>\n<ul>\n<li>base: 3 items, 3 scored</li>" in html


def test_csv_stays_as_it_was(tmp_path):
    path = tmp_path / "r.csv"
    write_report(report(by="document"), path)
    assert path.read_text("utf-8") == render_csv(report()) == render_csv(report(by="type"))
    assert path.read_text("utf-8").count("\n") == 2


def test_questions_without_an_answer_are_counted_in_every_format():
    failed = replace(legal_table(), failures={1: "timeout"})
    failed = replace(failed, outputs=[failed.outputs[0], None, failed.outputs[2]])
    assert re.search(r"\nthe system failed +1\n", render_console(Report([failed])))
    assert "| the system failed | 1 |  |  |" in render_markdown(Report([failed]))
    assert r"the system failed & 1 &  &  \\" in render_latex(Report([failed]))


def test_a_result_without_questions_about_gaps_has_no_table_of_them():
    facts = legal_table().take(np.array([0]))
    for render in (render_console, render_markdown, render_latex):
        assert "questions about gaps" not in render(Report([facts]))


def test_the_types_of_parts_are_printed_once_on_a_terminal():
    text = render_console(report())
    assert text.count("\ngaps and conflicts ") == 1
    assert render_markdown(report()).count("| gaps and conflicts | ") == 2
