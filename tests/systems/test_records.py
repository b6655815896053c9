"""Whatever a system returns becomes the output record, or a failure that says why not."""

import datetime
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from steelyard import limits
from steelyard.errors import SystemFailure
from steelyard.io.outputs import ANSWER, record_of
from steelyard.systems.base import reply_of

EMPTY: dict[str, list[Any]] = {"citations": [], "evidence": []}
PASSAGE = {"page": 2, "text": "答：一共42000元。"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("42000元", {"answer": "42000元"}),
        ("", {"answer": ""}),
        ({"answer": None}, {"answer": ""}),
        ({"Answer": "x", "id": "q1", "latency": 3}, {"answer": "x"}),
        ({"result": "x", "query": "q"}, {"answer": "x"}),
        ({"text": "x"}, {"answer": "x"}),
        # the fields that the first runner of this benchmark read
        (
            {"answer": "共42000元", "text": "42000元", "amount": 42000, "boolean": True, "citation": None},
            {
                "answer": "共42000元",
                "text_answer": "42000元",
                "entity": "42000元",
                "amount_total": 42000,
                "boolean_answer": True,
            },
        ),
        ({"amount_total": 42000, "date": None}, {"answer": "", "amount_total": 42000}),
        ({"answer": "x", "citation": PASSAGE}, {"answer": "x", "citations": [PASSAGE]}),
        ({"answer": "x", "sources": [PASSAGE]}, {"answer": "x", "citations": [PASSAGE]}),
        ({"answer": "x", "evidence": (PASSAGE,)}, {"answer": "x", "evidence": [PASSAGE]}),
        ({"answer": "x", "abstained": False}, {"answer": "x", "abstained": False}),
        ({"response": "x", "retrieved_contexts": ["甲", "乙"]}, {"answer": "x", "contexts": ["甲", "乙"]}),
        ({"answer": "x", "context": "甲"}, {"answer": "x", "contexts": ["甲"]}),
        # what was retrieved is a context with its place, and no citation
        (
            {"result": "x", "source_documents": [{"page_content": "甲", "metadata": {"page": 0, "page_label": "1"}}]},
            {"answer": "x", "contexts": [{"page": 1, "text": "甲"}]},
        ),
        ({"answer": "x", "evidence": [], "contexts": [PASSAGE]}, {"answer": "x", "contexts": [PASSAGE]}),
        (
            {"answer": "x", "retrieval_result": [{"id": 7, "contents": "甲", "score": 0.5, "source": "a.pdf"}, "乙"]},
            {"answer": "x", "contexts": [{"id": "7", "text": "甲", "score": 0.5, "document": "a.pdf"}, "乙"]},
        ),
    ],
)
def test_names_of_other_tools(value, expected):
    record = record_of(value)
    assert record == {**EMPTY, **expected}
    assert record_of(record) == record


CHUNKS = [
    {"id": "67e517e74767063e882d6861", "content": "押金为30000元。", "page": 3, "document_name": "租约.md"},
    "租期两年。",
]


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("押金为30000元[ID:0]。", [{"page": 3, "text": "押金为30000元。", "document": "租约.md"}]),
        ("租期两年##1$$。", [{"text": "租期两年。"}]),
        ("30000元[67e517e74767063e882d6861](CITE)", [{"page": 3, "text": "押金为30000元。", "document": "租约.md"}]),
        ("租期两年【2】。", [{"text": "租期两年。"}]),
        ("租期两年[ID:7]。", []),
    ],
)
def test_marks_of_products_are_citations_of_contexts(answer, cited):
    record = record_of({"answer": answer, "contexts": CHUNKS})
    assert record["citations"] == [{**each, "retrieved": True} for each in cited]
    assert record["answer"] == answer
    assert record_of(record) == record


def test_own_citations_go_before_marks():
    record = record_of({"answer": "30000元[ID:1]", "contexts": CHUNKS, "citations": [PASSAGE]})
    assert record["citations"] == [PASSAGE]


def test_marks_in_a_record_that_a_model_wrote():
    record = record_of({"answer": '```json\n{"answer": "30000元[ID:0]", "amount": 30000}\n```', "contexts": CHUNKS})
    assert (record["answer"], record["amount_total"]) == ("30000元[ID:0]", 30000)
    assert record["citations"][0]["page"] == 3


@pytest.mark.parametrize("name", ANSWER)
def test_every_name_of_an_answer(name):
    assert record_of({name: "x"})["answer"] == "x"


@pytest.mark.parametrize(
    ("page", "read"),
    [
        (2, 2),
        ("2", 2),
        (2.0, 2),
        ("第2页", 2),
        ("p. 2", 2),
        ("Page 2", 2),
        ("２", 2),
        ("2-3", "2-3"),
        (99, 99),
        ([2], 2),
        ([2, 3], "2-3"),
    ],
)
def test_pages(page, read):
    passage = {"page": page, "quote": "甲", "section": "qa_pair", "speaker": "answer", "score": 0.5}
    expected = {"page": read, "text": "甲", "section": "qa_pair", "speaker": "answer"}
    assert record_of({"answer": "x", "citations": [passage]})["citations"] == [expected]


def test_a_citation_may_lack_page_and_text():
    assert record_of({"answer": "x", "citations": [{"file": "a.pdf"}]})["citations"] == [
        {"text": "", "document": "a.pdf"}
    ]


def test_a_citation_may_be_plain_text():
    assert record_of({"answer": "x", "citations": ["收了42000元"]})["citations"] == [{"text": "收了42000元"}]


def test_objects_of_other_libraries():
    class Node:  # as pydantic has it
        def model_dump(self):
            return {"node": {"text": "甲", "metadata": {"page_label": "3"}}, "score": 0.7}

    @dataclass
    class Response:  # as LlamaIndex has it
        response: str
        source_nodes: list

    record = record_of(Response("x", [Node()]))
    assert record == {**EMPTY, "answer": "x", "contexts": [{"page": 3, "text": "甲", "score": 0.7}]}


def test_values_become_plain():
    typed = {"amount_total": Decimal("42000.50"), "date": datetime.date(2020, 8, 30), "count": np.int64(2)}
    breakdown = {"amount_breakdown": ({"amount": np.float64(1.5)},)}
    assert record_of({"answer": "x", **typed, **breakdown}) == {
        **EMPTY,
        "answer": "x",
        "amount_total": "42000.50",
        "date": "2020-08-30",
        "count": 2,
        "amount_breakdown": [{"amount": 1.5}],
    }


def test_tokens_are_kept():
    assert reply_of({"answer": "x", "usage": {"total_tokens": 17}}).tokens == 17
    assert reply_of({"answer": "x", "usage": {"total_tokens": "many"}}).tokens is None
    assert reply_of("x").tokens is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{"answer": "x"}], "the reply must be text or an object, not [{'answer': 'x'}]"),
        (None, "the reply must be text or an object, not None"),
        (42, "the reply must be text or an object, not 42"),
        ({}, "the reply has no answer; its fields are: none"),
        ({"code": 0, "msg": "ok"}, "the reply has no answer; its fields are: 'code', 'msg'"),
        ({"answer": 42000}, "the answer must be text, not 42000"),
        ({"answer": ["x"]}, "the answer must be text, not ['x']"),
        ({"answer": "x", "amount_total": math.nan}, "the reply contains nan, which is not a valid JSON number"),
        ({"answer": "x", "count": math.inf}, "the reply contains inf, which is not a valid JSON number"),
        ({"answer": "x", "count": object}, "the reply contains <class 'object'>, which JSON cannot represent"),
        ({"answer": "x", "evidence": [2]}, "a citation must be an object with page and text, not 2"),
        ({"answer": "x", "citations": [{"page": {}}]}, "the page of a citation must be a number, not {}"),
        ({"answer": "x", "citations": [{"page": True}]}, "the page of a citation must be a number, not True"),
        ({"answer": "x", "citations": [{"page": 2, "text": 3}]}, "the text of a citation must be text, not 3"),
        ({"answer": "x", "abstained": "no"}, "'abstained' must be true or false, not 'no'"),
        ("\ud800", "the reply contains a lone surrogate (half of a character)"),
        ("x" * (int(limits.REPLY_BYTES.value) + 1), "the answer is longer than 4194304 characters"),
    ],
)
def test_bad_shapes(value, message):
    with pytest.raises(SystemFailure) as caught:
        record_of(value, "answers.json#/answers/3")
    assert str(caught.value.message) == message
    assert caught.value.where == "answers.json#/answers/3"
