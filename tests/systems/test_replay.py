"""Recorded outputs."""

import json
from typing import Any

import pytest
from systems.products import (
    ANSWER,
    DIFY,
    FASTGPT,
    OPENWEBUI,
    RAGFLOW,
    RAGFLOW_OPENAI,
    RETRIEVAL,
    pieces,
    stream,
)

from steelyard.errors import InputError, SystemFailure
from steelyard.io.results import Header, Item, ResultsWriter
from steelyard.systems.base import Ask
from steelyard.systems.replay import ReplaySystem
from steelyard.table import Signature

RECORDS = [{"id": "a", "answer": "甲", "citations": [{"page": 1, "text": "x"}]}, {"id": 2, "response": "乙"}]


def answers(system, *ids):
    return [system.ask(Ask(identifier, "?")).record["answer"] for identifier in ids]


@pytest.mark.parametrize(
    ("name", "content", "system_name"),
    [
        ("out.json", json.dumps({"system": "perfect", "document": "t.md", "answers": RECORDS}), "perfect"),
        ("out.json", json.dumps({"answers": RECORDS}), "out"),
        ("out.json", json.dumps(RECORDS), "out"),
        ("out.v2.jsonl", "\n".join(map(json.dumps, RECORDS)), "out.v2"),
        ("out.jsonl", '{"qid": "a", "answer": "甲"}\n\n{"query_id": "2", "answer": "乙"}\n', "out"),
        ("out.csv", "id,answer\na,甲\n2,乙\n", "out"),
    ],
)
def test_files_of_every_shape(write, name, content, system_name):
    system = ReplaySystem(write(name, content))
    assert system.name == system_name
    assert answers(system, "a", "2") == ["甲", "乙"]
    system.close()


def test_what_was_not_recorded(write):
    system = ReplaySystem(write("out.jsonl", '{"id": "a", "answer": "甲"}\n'))
    with pytest.raises(SystemFailure, match=r"^no answer is recorded for 'b'$"):
        system.ask(Ask("b", "?"))


def test_a_bad_record_is_a_failure_of_its_question_with_its_place(write):
    path = write("out.json", json.dumps({"answers": [{"id": "a", "answer": "x"}, {"id": "b", "answer": 7}]}))
    system = ReplaySystem(path)
    assert answers(system, "a") == ["x"]
    with pytest.raises(SystemFailure) as caught:
        system.ask(Ask("b", "?"))
    assert str(caught.value) == f"{path}#/answers/1: the answer must be text, not 7"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "b", "x": ' + "[" * 101 + "]" * 101 + "}", "this JSON is nested too deeply"),
        ('{"x": ' + '{"a": ' * 90_000 + "1" + "}" * 90_000 + ', "id": "b"}', "this JSON is nested too deeply"),
        ('{"x": ' + '["]}\\"[{", ' * 9_000 + "1" + "]" * 9_000 + ', "qid": "b"}', "this JSON is nested too deeply"),
        ('{"id": "b", "answer": NaN}', "NaN is not a valid JSON number"),
        ('{"id": "b", "answer": "x", "answer": "y"}', "duplicate key 'answer' in one object"),
        ('{"id": "b", "x": [1, 2,]}', "this is not JSON: "),
        ('{"id": "b", "count": ' + "9" * 5_000 + "}", "Exceeds the limit"),
    ],
    ids=["deep", "very deep", "brackets in strings", "constant", "key", "list", "number"],
)
def test_a_line_with_a_readable_id_is_a_failure_of_its_question_only(write, line, message):
    path = write("out.jsonl", f'{{"id": "a", "answer": "甲"}}\n{line}\n{{"id": 3, "answer": "丙"}}\n')
    system = ReplaySystem(path)
    assert answers(system, "a", "3") == ["甲", "丙"]
    with pytest.raises(SystemFailure, match=message) as caught:
        system.ask(Ask("b", "?"))
    assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize(
    "line",
    [
        '{"answer": ' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"id": ' + "[" * 5_000 + "]" * 5_000 + ', "answer": "x"}',
        '{"a": {"id": "b"}, "answer": NaN}',
        '{"id": "b", "id": "c"}',
        '{"id": "b", "answer": "x',
        '{"id": "b", "answer": x}',
        '{"id": 1.5, "answer": NaN}',
        '"' + '\\"' * 200_000,
        "}]" * 200_000 + "[{" * 200_000,
        "[" * 200_000,
        "[1, NaN]",
    ],
    ids=range(11),
)
def test_a_line_without_a_readable_id_is_refused_with_its_place(write, line):
    path = write("out.jsonl", f'{{"id": "a", "answer": "甲"}}\n{line}\n')
    with pytest.raises(InputError) as caught:
        ReplaySystem(path)
    assert caught.value.where == f"{path}:2"


def test_a_results_file(tmp_path):
    path = tmp_path / "results.jsonl"
    with ResultsWriter.create(path, Header("legal", "mine", Signature(), ["legal"])) as writer:
        writer.add(Item("a", {"legal": 1.0}, output={"answer": "甲"}))
        writer.add(Item("b", {"legal": None}, errors={"legal": "no reply within 60 s"}))
    system = ReplaySystem(path)
    assert system.name == "mine"
    assert answers(system, "a") == ["甲"]
    with pytest.raises(SystemFailure, match=r"^no answer is recorded for 'b'$"):
        system.ask(Ask("b", "?"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "out.json",
            '{"answers": [{"id": "a", "answer": "x"}, {"id": "a", "answer": "y"}]}',
            "duplicate id 'a' (first at {}#/answers/0)",
        ),
        (
            "out.jsonl",
            '{"id": 1, "answer": "x"}\n{"id": "1", "answer": "y"}',
            "duplicate id '1' (first at {}:1)",
        ),
        ("out.jsonl", '{"answer": "x"}', "the id must be text or an integer, not None"),
        ("out.json", '["x"]', "the id must be text or an integer, not None"),
        ("out.json", '{"questions": []}', "the file has no answers"),
        ("out.jsonl", "", "the file has no answers"),
        (
            "out.jsonl",
            '{"kind": "answers", "name": "x", "signature": "", "metrics": ["EM"]}\n{"id": "a", "scores": {"EM": 1}}\n',
            "this result contains no recorded outputs",
        ),
        ("out.json", '[{"id": "a", "answer": NaN}]', "NaN is not a valid JSON number"),
    ],
)
def test_bad_files(write, name, content, message):
    path = write(name, content)
    with pytest.raises(InputError) as caught:
        ReplaySystem(path)
    assert str(caught.value.message) == message.format(path)
    assert caught.value.where.startswith(str(path))


LOGS: Any = {
    "ragflow": (RAGFLOW, ["押金为三万元。"]),
    "ragflow_openai": (RAGFLOW_OPENAI, ["押金为三万元。"]),
    "retrieval": (RETRIEVAL, []),
    "dify": (DIFY, []),
    "fastgpt": (FASTGPT, ["押金是多少？\n押金为三万元。"]),
    "openwebui": (OPENWEBUI, ["其他。"]),
}


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("field", ["", "response"])
def test_a_log_of_a_product(write, name, field):
    body, cited = LOGS[name]
    row: Any = {"question": "?", **({field: body} if field else body), "id": "q1"}
    record = ReplaySystem(write("log.jsonl", json.dumps(row))).ask(Ask("q1", "?")).record
    assert [each["text"] for each in record["citations"]] == cited
    assert record["contexts"]


def test_a_log_of_streams_and_errors(write):
    answer = stream({"choices": [{"delta": {"content": "三万元。"}}]}, "[DONE]", name="answer")
    details = stream(FASTGPT["responseData"], name="flowResponses")
    rows = [
        {"id": "a", "response": stream(*pieces("押金", ANSWER, final=True)).decode()},
        {"id": "b", "response": {"code": 102, "message": "You don't own the chat"}},
        {"id": "c", "code": 102, "message": "You don't own the chat"},
        {"id": "d", "code": 7, "answer": "一份记录"},
        {"id": "e", "response": "原文"},
        {"id": "f", "response": (answer + details).decode()},
    ]
    system = ReplaySystem(write("log.json", json.dumps({"answers": rows})))
    assert system.ask(Ask("a", "?")).record["citations"][0]["page"] == 3
    for number, each in enumerate("bc", 1):
        with pytest.raises(SystemFailure) as caught:
            system.ask(Ask(each, "?"))
        assert str(caught.value).endswith(
            f"log.json#/answers/{number}: RAGFlow reports an error (102): You don't own the chat"
        )
        assert type(caught.value) is SystemFailure
    assert [system.ask(Ask(each, "?")).record["answer"] for each in "def"] == ["一份记录", "原文", "三万元。"]
    assert len(system.ask(Ask("f", "?")).record["contexts"]) == 2
