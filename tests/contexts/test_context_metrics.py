"""Metrics over the contexts of answers: what earns points, what does not, and labelled and published values."""

import json
import math

import numpy as np
import pytest
from commands import run

import steelyard
from steelyard.contexts.evidence import cited_sentences, sentences
from steelyard.contexts.highlights import citation_marks
from steelyard.errors import InputError, UnknownName
from steelyard.io.results import load
from steelyard.registry.judged import judge_called

CONTEXTS = [
    "On 2020-06-05 Acme paid 30,000 yuan to Bob Stone.",
    "On 2020-08-01 Acme paid 12,000 yuan by bank transfer.",
    "The weather was fine in May.",
]


def scores(answer, names, contexts=CONTEXTS, **fields):
    row = {"question": "How much did Acme pay?", "prediction": answer, "contexts": contexts, **fields}
    table = steelyard.evaluate_answers([row], None, names)
    values = {name: float(table.column(name)[0]) for name in table.metrics}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def reason(answer, name, **fields):
    row = {"question": "How much did Acme pay?", "prediction": answer, "contexts": CONTEXTS, **fields}
    why = steelyard.evaluate_answers([row], None, [name]).why(name, 0)
    return None if why is None else str(why.reason)


# ----- grounding


@pytest.mark.parametrize(
    ("answer", "grounded", "share", "invented"),
    [
        ("Acme paid 30,000 yuan on 2020-06-05.", 1, 1, 0),
        ("Acme paid 30,000 yuan on 2020-06-07.", 0, 0.5, 1),
        ("Acme paid 30,000 yuan and 12,000 yuan, 30,000 + 12,000 = 42,000 yuan.", 1, 1, 0),
        ("It did pay.", 1, None, 0),
        ("", 0, 0, None),
        (" \n", 0, 0, None),
        ("<think>30,000 yuan</think>", 0, 0, None),
        (None, 0, 0, None),
        (" ".join(CONTEXTS), 1, 1, 0),  # faithful, if of no use: other metrics say that
        ("30,000 yuan " * 20_000, 0, 0, None),  # too long to be judged, which must not pay
    ],
)
def test_grounding(answer, grounded, share, invented):
    found = scores(answer, ["ValuesGrounded", "GroundedValues", "Ungrounded"])
    assert found == {"ValuesGrounded": grounded, "GroundedValues": share, "Ungrounded": invented}


SITE = ["The staging directory is https://staging-v02.example.org/directory. It is for tests."]


@pytest.mark.parametrize(
    ("answer", "grounded", "share", "precision"),
    [
        ("https://staging-v02.example.org/directory [1]", 1, 1, 1),
        ("`https://staging-v02.example.org/directory` [1]", 1, 1, 1),
        ("[1] https://staging-v02.example.org/directory", 1, 1, None),
        ("https://staging-v02.example.org/", 1, 1, None),  # an address above the one of the contexts
        ("http://STAGING-v02.example.org/directory.", 1, 1, None),
        ("https://v02.example.org/directory [1]", 0, 0, 0),
        ("https://staging-v02.example.org/dir", 0, 0, None),
        ("It is **https://v02.example.org/directory** [1].", 0, 0, 0),
        ("It is in [the manual](https://example.org/manual).", 1, None, None),  # a link of Markdown is markup
        ("See https://example.org/tests for tests.", 1, 1, None),  # the id of a context
        ("[1]", 0, 0, 0),
    ],
)
def test_an_address_is_a_value(answer, grounded, share, precision):
    contexts = [{"text": SITE[0], "id": "1"}, {"text": "Tests.", "id": "https://example.org/tests"}]
    found = scores(answer, ["ValuesGrounded", "GroundedValues", "CitationP"], contexts)
    assert found == {"ValuesGrounded": grounded, "GroundedValues": share, "CitationP": precision}


def test_an_address_is_an_answer_in_the_refusal_table():
    row = {"question": "Where?", "prediction": "https://a.example.org/b [1]", "contexts": SITE, "answerable": True}
    assert steelyard.evaluate_answers([row], None, ["Refusal"]).parts["Refusal"]["over_refusal"].tolist() == [0.0]


LAW = "《中华人民共和国民法典》第五百七十七条 当事人一方不履行合同义务的，应当承担违约责任。"
LABOUR = "中华人民共和国劳动合同法\n第三十八条 劳动者可以解除劳动合同。\n第四十六条 用人单位应当支付经济补偿。"
ACT = "Companies Act 2006\nSection 5. (1) A company shall file its accounts. (2) The court may extend the period."


@pytest.mark.parametrize(
    ("answer", "context", "invented"),
    [
        ("根据《民法典》第577条，应当承担责任。", LAW, 0),
        ("依照民法典第五百七十七条第一款承担责任。", LAW, 0),
        ("根据《民法典》第578条，应当承担责任。", LAW, 1),
        ("根据《劳动合同法》第577条，应当承担责任。", LAW, 1),
        ("第999条。", LAW, 1),
        ("《劳动合同法》第38条和第46条适用。", LABOUR, 0),
        ("《劳动合同法》第38条、第47条适用。", LABOUR, 1),
        ("《合同法》第38条适用。", LABOUR, 1),
        ("第四章适用。", "第三章 履行", 1),
        ("第3章适用。", "第三章 履行", 0),
        ("Section 5(2) of the Companies Act 2006 allows that.", ACT, 0),
        ("Section 5(9) allows that.", ACT, 1),
        ("Section 7 of the Companies Act 2006 allows that.", ACT, 1),
        ("Section 5 of the Insolvency Act 1986 allows that.", "Section 5 of the Companies Act 2006 says so.", 1),
        ("Under clause 5.2 it ends.", "5.2 This agreement ends in May.", 0),
        ("Article 577 says so.", LAW, 0),
    ],
)
def test_articles_are_values(answer, context, invented):
    assert scores(answer, ["Ungrounded"], [context], question="") == {"Ungrounded": invented}


@pytest.mark.parametrize(
    ("answer", "context", "invented"),
    [
        ("It is 300.", "The tower is 300 metres high.", 0),
        ("It is 301.", "The tower is 300 metres high.", 1),
        ("答案是42。", "一共有四十二人到场。", 0),
        ("答案是43。", "一共有四十二人到场。", 1),
        ("It is 3.5.", "There are 35.", 1),
        ("12 in the north and 5 in the south, so 17.", "North: 12. South: 5.", 0),
        ("1. It is red.\n2. It is old.", "It is red and old.", 0),
        ("It is red [1], old [2,3] and large 【4】.", "It is red and old.", 0),
        ("Python 3.11.2 and GPT-4 are in 24/7 use.", "Python 3.11.2 and GPT-4 are in use.", 0),
        ("Python 3.11.2 and GPT-4 are in use.", "Python 3.11.1 and GPT-4 are in use.", 1),
        ("Step 2: (1) sign, (2) file.", "Sign and file.", 0),
        ("主要有以下3点：（1）书面；（2）登记；（3）交付。", "书面、登记、交付。", 0),
    ],
)
def test_bare_numbers_are_values(answer, context, invented):
    assert scores(answer, ["Ungrounded"], [context], question="")["Ungrounded"] == invented


def test_a_value_that_only_the_question_gives_is_neither_grounded_nor_invented():
    question = "Did Acme pay 77,000 yuan?"
    found = scores("It did not pay 77,000 yuan.", ["ValuesGrounded", "GroundedValues", "Ungrounded"], question=question)
    assert found == {"ValuesGrounded": 1, "GroundedValues": None, "Ungrounded": 0}


def test_what_is_not_grounded_is_noted_and_averaged_as_rules_and_comparisons_do():
    rows = [{"prediction": f"Acme paid {amount} yuan.", "contexts": CONTEXTS} for amount in ("5,000", "6,000")]
    table = steelyard.evaluate_answers(rows, None, "Ungrounded,ValuesGrounded")
    assert table.notes(0) == dict.fromkeys(("Ungrounded", "ValuesGrounded"), "not grounded: 5,000 yuan (money)")
    assert (table.sums, table.mean("Ungrounded")) == ([], 1)
    assert table.meets("Ungrounded <= 1").findings[0].value == 1
    rows = [{**row, "prediction": "Acme paid."} for row in rows]
    better = steelyard.evaluate_answers(rows, None, "Ungrounded,ValuesGrounded")
    compared = {each.metric: each for each in steelyard.compare(table, better)}
    assert (compared["Ungrounded"].difference, compared["Ungrounded"].wins) == (-1, 2)


def test_notes_are_in_the_language_of_the_report():
    rows = [
        {"prediction": "租金为10万元。", "contexts": ["租金为9万元。"]},
        {"prediction": "", "contexts": ["租金为9万元。"]},
    ]
    table = steelyard.evaluate_answers(rows, metrics=["ValuesGrounded"])
    assert [table.note("ValuesGrounded", row, "en") for row in (0, 1)] == [
        "not grounded: 10万元 (money)",
        "the answer is blank",
    ]
    assert [table.note("ValuesGrounded", row, "zh") for row in (0, 1)] == ["无据：10万元（金额）", "回答为空"]


def test_saved_notes_are_in_the_language_of_the_report(tmp_path):
    rows = [{"prediction": "租金为10万元，另付3000元。", "contexts": ["租金为9万元。"]}]
    steelyard.evaluate_answers(rows, metrics=["ValuesGrounded"]).save(tmp_path / "results.jsonl")
    table = steelyard.load(tmp_path / "results.jsonl")
    assert table.note("ValuesGrounded", 0) == "not grounded: 10万元 (money); 3000元 (money)"
    assert table.note("ValuesGrounded", 0, "zh") == "无据：10万元（金额）；3000元（金额）"


def test_nothing_retrieved_grounds_nothing_and_no_contexts_is_no_score():
    assert scores("Acme paid 30,000 yuan.", ["ValuesGrounded"], contexts=[]) == {"ValuesGrounded": 0}
    rows = [{"prediction": "Acme paid.", "contexts": CONTEXTS}, {"prediction": "Acme paid.", "contexts": None}]
    table = steelyard.evaluate_answers(rows, None, "ValuesGrounded")
    assert str(table.why("ValuesGrounded", 1).reason) == "there are no contexts"


@pytest.mark.parametrize("name", ["ValuesGrounded", "GroundedValues", "Ungrounded"])
def test_labelled_answers_in_chinese(legal_lines, name):
    path = legal_lines / "grounding.jsonl"
    labels = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    column = steelyard.evaluate_answers(path, None, [name]).column(name)
    is_bad = column > 0 if name == "Ungrounded" else column < 1
    assert is_bad.tolist() == [label["hallucinated"] for label in labels]


def test_a_long_context():
    context = "".join(f"第{n}行没有别的内容，只是文字。" for n in range(70_000))
    assert len(context) > 1_000_000
    row = {"prediction": "邬远舟支付了30000元。", "contexts": [context + "邬远舟给了我现金30000元。"]}
    assert steelyard.evaluate_answers([row], None, "ValuesGrounded").mean("ValuesGrounded") == 1


# ----- refusals


def test_labelled_refusals_in_chinese(legal_lines):
    path = legal_lines / "abstention.jsonl"
    labels = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    column = steelyard.evaluate_answers(path, None, "Refusal").column("Refusal")
    assert column.tolist() == [float(label["abstains"]) for label in labels]


@pytest.mark.parametrize(("yes", "no"), [(True, False), (1, 0), ("yes", "no"), ("是", "否"), ("True", "FALSE")])
def test_refusals_of_questions_that_have_an_answer_and_of_others(yes, no):
    said = ["不知道。", "42000元", "不知道。", "42000元", "", None]
    known = [yes, yes, no, no, no, no]
    rows = [{"question": "金额是多少？", "prediction": p, "answerable": a} for p, a in zip(said, known, strict=True)]
    table = steelyard.evaluate_answers(rows, None, "Refusal")
    assert table.column("Refusal").tolist() == [1, 0, 1, 0, 0, 0]
    parts = {name: [None if math.isnan(v) else v for v in values] for name, values in table.parts["Refusal"].items()}
    assert parts == {
        "over_refusal": [1, 0, None, None, None, None],
        "missed_refusal": [None, None, 0, 1, None, None],
        "uncertain": [0] * 6,
    }


def test_refusals_have_a_direction_only_where_the_rows_say_which_questions_have_an_answer():
    rows = [{"id": n, "question": "金额是多少？", "prediction": "不知道。"} for n in "ab"]
    others = [{**row, "prediction": "42000元"} for row in rows]
    compared = steelyard.compare(*(steelyard.evaluate_answers(each, None, "Refusal") for each in (rows, others)))
    assert [each.metric for each in compared] == ["Refusal"]
    known = [[{**row, "answerable": True} for row in each] for each in (rows, others)]
    compared = steelyard.compare(*(steelyard.evaluate_answers(each, None, "Refusal") for each in known))
    assert {each.metric: each.wins for each in compared} == {"Refusal.over_refusal": 2, "Refusal.missed_refusal": 0}


def test_verdicts_that_the_rules_could_not_decide_are_counted(write):
    rows = [
        {"pred": "It was Jane Ash.", "gold": "Jane Ash", "contexts": ["Someone wrote it."]},
        {"pred": "It took 7 days.", "gold": "7 days", "contexts": ["It took 6 days."]},
        {"pred": None, "gold": "x", "contexts": ["It took 6 days."]},
    ]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    table = steelyard.evaluate_answers(path, None, "ValuesGrounded")
    np.testing.assert_array_equal(table.parts["ValuesGrounded"]["uncertain"], [1, 0, np.nan])
    text = run("answers", path, "-m", "ValuesGrounded").stdout
    assert ["ValuesGrounded", "1", "/", "3", "(33.3", "%)", "0.0000", "0.0000", "0.3333"] in map(
        str.split, text.splitlines()
    )
    found = json.loads(run("answers", path, "-m", "ValuesGrounded", "--json").stdout)["results"][0]["uncertain"]
    assert found == {"ValuesGrounded": {"undecided": 1, "items": 3, "mean": 0, "low": 0, "high": pytest.approx(1 / 3)}}


def test_a_report_shows_refusals_by_whether_there_is_an_answer(write):
    said = [("不知道。", True), ("42000元", True), ("不知道。", False), ("42000元", False), ("4200元", False)]
    rows = [{"question": "金额是多少？", "pred": answer, "answerable": known} for answer, known in said]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    text = run("answers", path, "-m", "Refusal").stdout
    lines = [line.split() for line in text.splitlines()]
    assert "a: Refusal" in text
    assert ["answerable", "1", "1", "50.0", "%"] in lines
    assert ["not", "answerable", "2", "1", "66.7", "%"] in lines
    counts = json.loads(run("answers", path, "-m", "Refusal", "--json").stdout)
    assert '"refusals": {"over_refused": 1, "answered": 1, "refused": 1, "missed": 2}' in json.dumps(counts)
    plain = write("b.jsonl", "".join(json.dumps({"pred": row["pred"]}) + "\n" for row in rows))
    assert "not answerable" not in run("answers", plain, "-m", "Refusal").stdout


# ----- citations


def test_sentences():
    assert sentences("He paid 3.5 yuan. Mr. Li saw it! 他说“好。行。”走了。\nEnd") == [
        "He paid 3.5 yuan.",
        "Mr. Li saw it!",
        "他说“好。行。”走了。",
        "End",
    ]


@pytest.mark.parametrize(
    ("text", "cited", "void"),
    [
        ("A [1].", [0], []),
        ("A. [1][2]", [0, 1], []),
        ("付款。【2】", [1], []),
        ("付款［３］。", [2], []),
        ("A [1, 3].", [0, 2], []),
        ("A [1-3].", [0, 1, 2], []),
        ("A [doc 2] and [Source: 3].", [1, 2], []),
        ("A [文档1、文档2]。", [0, 1], []),
        ("A [^1].", [0], []),
        ("A [report-7].", [1], []),  # the id of the second
        ("A【1†source】.", [0], []),
        ("A [0] [4].", [], ["0", "4"]),
        ("A [sic] [2020] UKSC [see 1].", [], []),
        ("A\n[1] Report of the court", [], []),  # a list of sources
        ("A.\n[1]", [0], []),
    ],
)
def test_what_is_a_citation(text, cited, void):
    found = cited_sentences(text, ["a", "report-7", "c"])[0]
    assert (list(found.cited), sorted(found.void)) == (cited, void)


MARKED = {"id": "67e517e74767063e882d6861", "text": "The deposit is 30,000 yuan."}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("[ID:0]", "[ID:1]"),
        ("##0$$", "##1$$"),
        (f"[{MARKED['id']}](CITE)", f"[{MARKED['id'][::-1]}](CITE)"),
        ("[1]", "[2]"),
        ("【1】", "【2】"),
    ],
)
def test_marks_of_products_cite_contexts_and_are_no_words(right, wrong):
    rows = [
        {
            "prediction": f"The deposit is 30,000 yuan{mark}.",
            "references": ["The deposit is 30,000 yuan."],
            "question": "How much is the deposit?",
            "contexts": [MARKED, {"id": "b", "text": "It was signed in 2020."}],
        }
        for mark in (right, wrong)
    ]
    found = steelyard.evaluate_answers(rows, metrics="EM,Correct,Accurate,ValuesGrounded,CitationP,CitationR")
    assert [found.column(metric).tolist() for metric in found.metrics] == [[1, 1]] * 4 + [[1, 0]] * 2


def test_marks_are_no_words_without_contexts():
    rows = [{"prediction": f"42 pounds{mark}", "references": ["42 pounds"]} for mark in ("[ID:0]", "##12$$", "[1]")]
    assert steelyard.evaluate_answers(rows, metrics="EM").column("EM").tolist() == [1, 1, 0]


def test_marks_of_products_are_shown_where_they_stand():
    marks = citation_marks("Paid[ID:0, ID:3] on Monday ##1$$ [1, b].", ["a", "b"])
    assert marks == [
        (5, 9, "cites", 0),
        (11, 15, "void"),
        (27, 32, "cites", 1),
        (34, 35, "cites", 0),
        (37, 38, "cites", 1),
    ]


def test_ids_go_before_positions():
    assert list(cited_sentences("A [2].", ["2", "1", None])[0].cited) == [0]
    assert list(cited_sentences("A [3].", ["2", "1", None])[0].cited) == [2]


@pytest.mark.parametrize(
    ("answer", "precision", "recall"),
    [
        ("Acme paid 30,000 yuan on 2020-06-05 [1].", 1, 1),
        ("Acme paid 30,000 yuan on 2020-06-05 [1] and 12,000 yuan on 2020-08-01 [2].", 1, 1),
        ("Acme paid 30,000 yuan on 2020-06-05 [2].", 0, 0),
        ("Acme paid 30,000 yuan on 2020-06-05 [1][2][3]. It paid 12,000 yuan on 2020-08-01 [1][2][3].", 1 / 3, 1),
        ("Acme paid 30,000 yuan on 2020-06-05 [1]. It paid 12,000 yuan.", 1, 0.5),
        ("Acme paid 30,000 yuan, of 99,000 yuan [1].", 0, 0),  # one value is invented
        ("Acme paid 30,000 yuan on 2020-06-05.", None, 0),  # nothing is cited
        ("Acme paid 30,000 yuan [7].", 0, 0),  # a citation of nothing
        ("It paid [1]. So it was [1][2].", None, None),  # nothing to support: no points, none lost
        ("It paid [9].", 0, None),
        ("Acme paid 30,000 + 12,000 = 42,000 yuan [1][2].", 1, 1),
        ("Acme paid 30,000 + 12,000 = 42,000 yuan [1][2][3].", 2 / 3, 1),
        ("", 0, 0),
        (None, 0, 0),
    ],
)
def test_citations(answer, precision, recall):
    found = scores(answer, ["CitationP", "CitationR"])
    assert found == {
        "CitationP": precision if precision is None else pytest.approx(precision),
        "CitationR": recall if recall is None else pytest.approx(recall),
    }


def test_why_citations_have_no_score():
    why = "the answer has no citation in a sentence with a value, name or quotation that could be checked"
    assert reason("Acme paid 30,000 yuan.", "CitationP") == why
    assert reason("It paid [1].", "CitationP") == why
    assert reason("It paid.", "CitationR").startswith("no sentence of the answer has values")


def test_many_citations_take_no_time():
    answer = "Acme paid 30,000 yuan " + "[1]" * 20_000 + "。" * 10_000 + "“" + "[2] x。" * 5000
    assert scores(answer, ["CitationR"])["CitationR"] is not None


# ----- contexts


@pytest.mark.parametrize(
    ("reference", "precision", "recall"),
    [
        ("30,000 yuan", 1 / 3, 1),
        ("30000元", 1 / 3, 1),
        ("The weather was fine in May", None, None),
        ("the WEATHER was fine", 1 / 3, 1),
        ("bank transfer", 1 / 3, 1),
        ("by cheque", 0, 0),  # a phrase that would be copied
        ("No, transfers are not offered.", None, None),  # in other words: neither there nor missing
        ("The documents do not say.", None, None),
        ("Transfers are not offered. Acme paid 12,000 yuan.", 1 / 3, 1),
        ("银行转账", 0, 0),
        ("合同没有提到这一点", None, None),
        ("42,000 yuan", 0, 0),
        ("Acme paid 30,000 yuan on 2020-06-05. It rained 7 times.", 1 / 3, 0.5),
        ("yes", None, None),
        ("是", None, None),
        ([["30,000 yuan", "12,000 yuan"], ["nothing of this"]], 2 / 3, 0.5),
    ],
)
def test_contexts_by_their_text(reference, precision, recall):
    found = scores("x", ["ContextP", "ContextR"], references=reference)
    assert found == {
        "ContextP": precision if precision is None else pytest.approx(precision),
        "ContextR": recall if recall is None else pytest.approx(recall),
    }


def test_contexts_by_their_ids():
    ids = {"retrieved_context_ids": ["a", "b", "a", 3], "reference_context_ids": ["3", "a", "z"]}
    found = scores("x", ["ContextP", "ContextR"], contexts=None, references="y", **ids)
    assert found == {"ContextP": pytest.approx(2 / 3), "ContextR": pytest.approx(2 / 3)}
    assert scores("x", ["ContextP"], contexts=[], **{**ids, "retrieved_context_ids": []}) == {"ContextP": 0}


def test_reference_contexts_go_before_references():
    found = scores("x", ["ContextR"], references="42,000 yuan", reference_contexts=[CONTEXTS[0]])
    assert found == {"ContextR": 1}


# ----- spans


def spans(*found):
    return [{"document": document, "span": [start, end]} for document, start, end in found]


@pytest.mark.parametrize(
    ("found", "precision", "recall"),
    [
        ([("a", 10, 20)], 1, 0.5),
        ([("a", 10, 20), ("a", 15, 30)], 1, 1),
        ([("a", 10, 20)] * 5, 1, 0.5),  # said again is not found again
        ([("b", 10, 30)], 0, 0),
        ([("a", 0, 40)], 0.5, 1),
        ([], 0, 0),
    ],
)
def test_spans(found, precision, recall):
    wanted = spans(("a", 10, 25), ("a", 20, 30))
    row = {"contexts": spans(*found), "reference_contexts": wanted}
    table = steelyard.evaluate_answers([row], None, "SpanP,SpanR")
    assert (table.mean("SpanP"), table.mean("SpanR")) == (precision, recall)


def test_spans_of_legalbench_rag(real):
    folder = real / "legalbench_rag"
    tests = [json.loads(line) for line in (folder / "privacy_qa.tests.jsonl").read_text("utf-8").splitlines()]
    lines = (folder / "privacy_qa.retrieved.bm25-500char.jsonl").read_text("utf-8").splitlines()
    retrieved = {(row := json.loads(line))["id"]: row["retrieved"] for line in lines}
    rows = [
        {"id": each["id"], "contexts": retrieved[each["id"]], "reference_contexts": each["snippets"]} for each in tests
    ]
    published = {1: (0.048103, 0.036940), 5: (0.032551, 0.098191), 10: (0.027105, 0.169535)}
    table = steelyard.evaluate_answers(rows, None, [f"Span{side}@{k}" for k in published for side in "PR"])
    for k, figures in published.items():
        assert (table.mean(f"SpanP@{k}"), table.mean(f"SpanR@{k}")) == pytest.approx(figures, abs=5e-7)
    gold = [{**row, "contexts": row["reference_contexts"]} for row in rows]
    table = steelyard.evaluate_answers(gold, None, "SpanP,SpanR")
    assert (table.mean("SpanP"), table.mean("SpanR")) == (1, 1)


# ----- names of other tools


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("faithfulness", "ValuesGrounded"),
        ("hallucination", "ValuesGrounded"),
        ("context_precision", "ContextP"),
        ("contextual_precision@5", "ContextP"),
        ("context_recall", "ContextR"),
        ("context_entity_recall", "ContextR"),
        ("answer_relevancy", "Refusal"),
        ("answer_correctness", "F1"),
        ("factual_correctness", "F1"),
        ("semantic_similarity", "F1"),
        ("BERTScore", "F1"),
        ("llm-judge", "F1"),
        ("g-eval", "F1"),
        ("noise_sensitivity", "Refusal"),
        ("FaithfulnessMetric", "ValuesGrounded"),
        ("LLMContextRecall", "ContextR"),
        ("nv_context_relevance", "ContextP"),
        ("Correctness [GEval]", "F1"),
    ],
)
def test_names_that_other_tools_give_to_a_model(name, nearest):
    with pytest.raises(UnknownName) as caught:
        steelyard.evaluate_answers(["a"], ["a"], [name])
    bare, judge = name.partition("@")[0], judge_called(name.partition("@")[0])
    assert str(caught.value.message) == f"{bare} is {'judged by a model' if judge else 'not computed here'}"
    assert nearest in str(caught.value.hint)
    assert (f"steelyard judge run {judge} " in str(caught.value.hint)) is bool(judge)
    assert "did you mean" not in str(caught.value)


def test_a_metric_of_that_name_that_somebody_registers_goes_first():
    from steelyard.registry.metrics import REGISTRY

    steelyard.metric("Faithfulness", kind="answers")(lambda pairs, profile: [1.0] * len(pairs.answers))
    try:
        assert steelyard.evaluate_answers(["a"], ["a"], ["faithfulness"]).mean("Faithfulness") == 1
    finally:
        del REGISTRY["Faithfulness"]


# ----- what no row has


def test_a_metric_without_what_it_needs():
    with pytest.raises(
        InputError, match=r"^answers: ValuesGrounded needs what no row has: contexts\nhint: accepted names: con"
    ):
        steelyard.evaluate_answers(["a"], ["a"], ["EM", "ValuesGrounded"])


def test_the_name_before_0_2_is_read_everywhere(tmp_path):
    rows = [{"id": "a", "prediction": "Acme paid 7 yuan.", "contexts": ["Acme paid 7 yuan."]}]
    table = steelyard.evaluate_answers(rows, metrics="Grounded")
    assert (table.metrics, table.mean("grounded")) == (["ValuesGrounded"], 1)
    assert table.meets("Grounded >= 1", "Grounded.uncertain <= 0", allow_inconclusive=True)
    table.save(tmp_path / "now.jsonl")
    old = (tmp_path / "now.jsonl").read_text("utf-8").replace("ValuesGrounded", "Grounded")
    (tmp_path / "old.jsonl").write_text(old, "utf-8")
    read = load(tmp_path / "old.jsonl", strict=True)
    assert (read.metrics, read.counts["counts.metrics_renamed"]) == (["ValuesGrounded"], 1)


def test_the_name_before_0_2_has_a_notice(write):
    path = write("a.jsonl", json.dumps({"id": "a", "prediction": "Yes.", "contexts": ["Yes."]}))
    assert "Grounded is called ValuesGrounded now" in run("answers", path, "-m", "Grounded").stderr
