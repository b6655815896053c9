"""Chat models: what they are sent, and how their replies are read."""

import pytest
from systems.server import Answer

from steelyard.documents.pages import Document, Page
from steelyard.errors import SystemFailure
from steelyard.io.outputs import record_in
from steelyard.systems.base import Ask, SystemSettings
from steelyard.systems.http import ChatSystem

DOCUMENT = Document("transcript.md", (Page(1, "问：收了多少？", ()), Page(2, "答：42000元。", ())), "")


def completion(content, **fields):
    return {"choices": [{"message": {"role": "assistant", "content": content}}], **fields}


def test_a_question_with_its_document(serve):
    server = serve(Answer(completion("42000元", usage={"total_tokens": 321})))
    settings = SystemSettings(key="sk-secret", documents={"transcript.md": DOCUMENT}, headers={"X-Org": "a"})
    reply = ChatSystem("qwen3", f"{server.url}/v1/", settings).ask(Ask("fact_001", "一共收了多少？", "transcript.md"))
    assert reply.record == {"answer": "42000元", "citations": [], "evidence": []}
    assert reply.tokens == 321
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer sk-secret"
    assert headers["X-Org"] == "a"
    assert body["model"] == "qwen3"
    assert body["temperature"] == 0
    instructions, question = (message["content"] for message in body["messages"])
    assert '{"answer": "答案", "citations": [{"page": 页码, "text": "该页原文"}]}' in instructions
    expected = "=== 第1页 ===\n问：收了多少？\n\n=== 第2页 ===\n答：42000元。\n\n问题：一共收了多少？"
    assert question == expected
    assert body.keys() == {"model", "temperature", "messages"}


def test_without_key_and_document_in_english(serve):
    server = serve(Answer(completion("It does not say.")))
    reply = ChatSystem("m", server.url, SystemSettings()).ask(Ask("a", "How much was paid?", "other.md"))
    assert reply.record["answer"] == "It does not say."
    assert reply.tokens is None
    ((_, headers, body),) = server.requests
    assert "Authorization" not in headers
    assert body["messages"][1]["content"] == "Question: How much was paid?"
    assert body["messages"][0]["content"].startswith("Answer the question from the given document only")


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"answer": "x"}', {"answer": "x"}),
        ('```json\n{"answer": "x"}\n```', {"answer": "x"}),
        ('好的：\n```\n{"answer": "x"}\n```\n以上。', {"answer": "x"}),
        ('<think>先看第2页 {"answer": "no"}</think>\n{"answer": "x"}', {"answer": "x"}),
        ("42000", "42000"),
        ('["x"]', '["x"]'),
        ("```json\n{broken\n```", "```json\n{broken\n```"),
    ],
)
def test_json_in_a_reply(content, value):
    found = record_in(content)
    found.pop("raw", None)
    assert found == (value if isinstance(value, dict) else {"answer": value})


def test_replies_in_parts_and_refusals(serve):
    parts = [{"type": "text", "text": "42000"}, {"type": "image"}, {"type": "text", "text": "元"}]
    system = ChatSystem("m", serve(Answer(completion(parts))).url, SystemSettings())
    assert system.ask(Ask("a", "?")).record["answer"] == "42000元"
    refusal = {"choices": [{"message": {"content": None, "refusal": "I cannot help with that."}}]}
    system = ChatSystem("m", serve(Answer(refusal)).url, SystemSettings())
    assert system.ask(Ask("a", "?")).record["answer"] == "I cannot help with that."


@pytest.mark.parametrize("body", [{"choices": []}, {"error": "no"}, completion(None)])
def test_replies_without_content(serve, body):
    system = ChatSystem("m", serve(Answer(body)).url, SystemSettings())
    with pytest.raises(SystemFailure, match=r"^the reply of the model has no choices/0/message/content$"):
        system.ask(Ask("a", "?"))


def test_the_key_is_not_shown():
    assert "sk-secret" not in repr(SystemSettings(key="sk-secret"))


@pytest.mark.parametrize("status", [301, 307, 308])
def test_the_key_is_not_sent_to_a_redirect(serve, status):
    elsewhere = serve(Answer(completion("x")))
    there = serve(Answer(b"", status=status, headers={"Location": f"{elsewhere.url}/v1/chat/completions"}))
    system = ChatSystem("m", f"{there.url}/v1", SystemSettings(key="sk-secret"))
    with pytest.raises(SystemFailure, match="which is not followed"):
        system.ask(Ask("a", "?"))
    assert there.requests[0][1]["Authorization"] == "Bearer sk-secret"
    assert elsewhere.requests == []
