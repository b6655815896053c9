"""The baseline: it answers with a quotation of the document, or says that there is none."""

import math

import pytest

from steelyard.documents.pages import read_document
from steelyard.errors import SystemFailure
from steelyard.io.outputs import record_of
from steelyard.search.extractive import LONGEST_SNIPPET, clauses
from steelyard.search.terms import all_terms
from steelyard.systems.base import Ask
from steelyard.systems.baseline import Baseline, Index, Passage, passages_of

TRANSCRIPT = """=== 第1页 共2页 ===
询问笔录（第1次）
被询问人：苏见山　联系电话：13000000099
问：你一共收了多少货款？
答：分两次收的。第一次是现金30000元，第二次是转账12000元，一共是42000元。
问：你们有没有签合同？
答：签了，是2020年6月3日在他家里签的。
问：介绍你们认识的人叫什么，电话多少？
=== 第2页 共2页 ===
答：大家叫他阿铁，他的手机号我记不得了。
问：你退过钱没有？
答：退过，2020年10月20日退了18000元。
问：他是否知道你没有进货？
答：他不知道，我没有跟他说。
被询问人（签名）：苏见山
"""
DEPOSITION = """--- page 1 ---
Q. How much did the yard pay for the coating?
A. We paid $26,110 in total, by wire and by check. Mr. Wells signed for it.
Q. What was the lot number of the second delivery?
A. I don't remember the lot number.
"""


@pytest.fixture
def ask(write):
    paths = (write("transcript.md", TRANSCRIPT), write("deposition.md", DEPOSITION))
    baseline = Baseline({path.name: read_document(path) for path in paths})

    def ask(question, document="transcript.md"):
        return baseline.ask(Ask("q", question, document)).record

    return ask


@pytest.mark.parametrize(
    ("question", "answer", "page", "text"),
    [
        ("苏见山一共收了多少货款？", "一共是42000元。", 1, "答：分两次收的。第一次是现金30000元"),
        ("合同是哪一天签的？", "签了，是2020年6月3日在他家里签的。", 1, "答：签了，是2020年6月3日"),
        ("苏见山有没有退过钱？", "退过，2020年10月20日退了18000元。", 2, "答：退过，2020年10月20日"),
        ("被询问人的联系电话是多少？", "被询问人：苏见山　联系电话：13000000099", 1, "被询问人：苏见山"),
        ("他是否知道苏见山没有进货？", "他不知道，我没有跟他说。", 2, "答：他不知道"),
    ],
)
def test_answers_in_the_words_of_the_document(ask, question, answer, page, text):
    record = ask(question)
    assert record["answer"] == answer
    assert record["abstained"] is False
    assert record["citations"][0]["page"] == page
    assert record["citations"][0]["text"].startswith(text)
    assert record["evidence"][0] == record["citations"][0]
    assert record_of(record) == record


def test_in_english(ask):
    record = ask("How much was paid for the coating?", "deposition.md")
    assert record["answer"] == "We paid $26,110 in total, by wire and by check."
    assert record["citations"][0]["page"] == 1


def test_refuses_with_the_quotation_that_says_unknown(ask):
    record = ask("阿铁的手机号是多少？")
    assert record["answer"] == "材料未载明，原话为“他的手机号我记不得了”。"
    assert record["citations"] == [{"page": 2, "text": "答：大家叫他阿铁，他的手机号我记不得了。"}]
    assert record["abstained"] is True
    record = ask("What was the lot number of the second delivery?", "deposition.md")
    assert record["answer"] == "The document does not state this; it says: “I don't remember the lot number”."


def test_refuses_what_is_not_there(ask):
    silent = {"answer": "材料未载明该信息。", "citations": [], "evidence": [], "abstained": True}
    found = ask("被害人的血型是什么？")
    assert found.pop("contexts")  # what was found, although nothing of it is cited
    assert found == silent
    assert ask("苏见山的车牌号码是多少？").items() >= silent.items()
    assert ask("？！") == {**silent, "contexts": [], "answer": "The document does not state this."}
    assert ask("Where was the ferry built?", "deposition.md")["answer"] == "The document does not state this."


def test_a_question_for_evidence_gets_every_passage_near_it(ask):
    record = ask("有哪些证据涉及收取货款和退钱？")
    assert [passage["page"] for passage in record["evidence"]] == [1, 2]
    assert record["abstained"] is False


def test_the_same_question_has_the_same_answer(ask):
    assert ask("苏见山一共收了多少货款？") == ask("苏见山一共收了多少货款？")


def test_an_unknown_document(ask):
    with pytest.raises(SystemFailure, match=r"^the baseline has no document called 'other.md'$"):
        ask("？", "other.md")


def test_an_answer_on_the_page_after_its_question(write):
    passages = list(passages_of(read_document(write("transcript.md", TRANSCRIPT))))
    question = "问：介绍你们认识的人叫什么，电话多少？"
    assert Passage(2, "答：大家叫他阿铁，他的手机号我记不得了。", question) in passages
    assert not any("签名" in passage.text for passage in passages)


def test_snippets_are_short_and_verbatim(write):
    long = "答：" + "".join(f"第{number}次他付了{number}00元，我收下了。" for number in range(1, 60))
    document = read_document(write("long.md", f"=== 第1页 共1页 ===\n问：他怎么付的？\n{long}\n"))
    record = Baseline({"long.md": document}).ask(Ask("q", "第37次他付了多少钱？", "long.md")).record
    (citation,) = record["citations"]
    assert record["answer"] == "第37次他付了3700元"
    assert record["answer"] in citation["text"]
    assert len(citation["text"]) == LONGEST_SNIPPET
    assert citation["text"] in document.pages[0].text


def test_clauses():
    assert clauses("答：承认，钱是我收的。") == ["承认，钱是我收的。"]
    assert clauses("A. We paid $26,110, all of it. Mr. Wells signed; nobody else.") == [
        "We paid $26,110, all of it.",
        "Mr. Wells signed",
        "nobody else.",
    ]


def test_bm25_by_hand():
    # Robertson and Zaragoza (2009), worked out: two passages of 1 and 3 words, mean 2, k1 1.2, b 0.75
    index = Index([Passage(1, "alpha"), Passage(1, "alpha beta beta")])
    assert all_terms("alpha beta") == ["alpha", "beta"]
    ((score, passage),) = index.search("beta")
    # idf ln(1 + 1.5/1.5) = 0.6931; tf 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)) = 1.2055
    assert (round(score, 4), passage.text) == (0.8356, "alpha beta beta")
    assert [passage.text for _, passage in index.search("alpha")] == ["alpha", "alpha beta beta"]
    assert index.search("gamma") == []
    assert index.coverage("alpha gamma", "gamma") == pytest.approx(math.log(6) / 1.9741, abs=1e-3)
