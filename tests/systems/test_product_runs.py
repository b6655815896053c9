"""`steelyard bench` against a product: what is stored, printed and resumed."""

import json
import threading
from pathlib import Path
from typing import Any

import commands
import pytest
from systems.products import CHUNKS, Products
from systems.server import Answer

QUESTIONS = [
    {
        "id": f"q{number}",
        "question": f"问题{number}：押金是多少？",
        "expected": {"amount_total": 30000},
        "required_evidence": [{"page": 1, "must_include": "押金为三万元", "is_critical": True}],
        "scoring": {"citation_required": True},
    }
    for number in range(6)
]


@pytest.fixture
def case(tmp_path):
    """Write a benchmark of six questions on an invented lease."""
    (tmp_path / "questions").mkdir()
    content = {"benchmark_type": "fact_exact", "document": "lease.md", "questions": QUESTIONS}
    (tmp_path / "questions/facts.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    (tmp_path / "questions/lease.md").write_text("=== 第1页 ===\n押金为三万元。\n", "utf-8")
    return tmp_path


def bench(case: Path, spec: str, *words: object, **environment: str) -> commands.Done:
    return commands.run(
        "bench", ".", "--system", spec, "--json", "-q", "-o", "r.jsonl", *words, cwd=case, **environment
    )


def outputs(case: Path) -> list[dict]:
    lines = [json.loads(line) for line in (case / "r.jsonl").read_text("utf-8").splitlines()]
    return [line["output"] for line in lines if "output" in line]


CHUNK = {**CHUNKS[0], "document_name": "lease.md", "positions": [[1, 0, 1, 0, 1]]}
BODY = {"code": 0, "data": {"answer": "押金为三万元[ID:0]。", "reference": {"chunks": [CHUNK, CHUNKS[2]]}}}


def test_a_run_over_an_old_ragflow(case, serve):
    session = {"code": 0, "data": {"id": "s"}}
    server = serve(Products(api_v1_chats_c_completions=BODY, api_v1_chats_c_sessions=session))
    done = bench(case, f"ragflow:c@{server.url}", RAGFLOW_API_KEY="ragflow-secret-key")
    assert done.returncode == 0
    assert "RAGFlow answered at /api/v1/chats/{app}/completions, not at /api/v1/chat/completions" in done.stderr
    assert [item["scores"]["legal"] for item in json.loads(done.stdout)["results"][0]["per_item"]] == [1.0] * 6
    (first, *_) = outputs(case)
    assert first["answer"] == "押金为三万元[ID:0]。"  # as it was given
    assert [each["text"] for each in first["contexts"]] == ["押金为三万元。", "其他约定。"]
    assert [each["text"] for each in first["citations"]] == ["押金为三万元。"]
    assert "ragflow-secret-key" not in (case / "r.jsonl").read_text("utf-8") + done.stdout + done.stderr
    assert all(headers["Authorization"] == "Bearer ragflow-secret-key" for _, headers, _ in server.requests)


def test_tokens_and_cost_are_kept(case, serve):
    usage = {"total_tokens": 12, "total_price": "0.25"}
    reply = {"answer": "三万元", "conversation_id": "x", "metadata": {"usage": usage, "retriever_resources": []}}
    done = bench(case, f"dify:@{serve(Products(v1_chat_messages=reply)).url}")
    assert (done.returncode, "no reply had anything at /metadata/retriever_resources/*" in done.stderr) == (0, True)
    assert {(each["tokens"], each["cost"]) for each in outputs(case)} == {(12, 0.25)}


def test_retrieval_alone_is_no_failure(case, serve):
    server = serve(Products(api_v1_retrieval={"code": 0, "data": {"chunks": [CHUNK]}}))
    done = bench(case, f"ragflow-retrieval:d@{server.url}")
    (result,) = json.loads(done.stdout)["results"]
    assert (done.returncode, result["errors"]) == (0, 0)
    assert [each["contexts"][0]["id"] for each in outputs(case)] == ["c0"] * 6


def test_a_run_that_fails_in_the_middle_goes_on(case, serve):
    """Status 429 and 500 are asked again; torn streams and errors are failures, which `--resume` asks again."""
    lock = threading.Lock()
    seen: dict[Any, Any] = {}

    def reply(body):
        question = body["question"]
        with lock:
            seen[question] = seen.get(question, 0) + 1
        if question.startswith("问题1") and seen[question] == 1:
            return Answer({"message": "later"}, 429, {"Retry-After": "0"})
        if question.startswith("问题2") and seen[question] == 1:
            return Answer({"message": "broken"}, 500)
        if question.startswith("问题3") and seen[question] <= 3:
            return b'data:{"code":0,"data":{"answer":"x"}}\n\n'
        if question.startswith("问题4") and seen[question] == 1:
            return {"code": 102, "message": "Chat not found!"}
        return BODY

    server = serve(Products(api_v1_chat_completions=reply))
    done = bench(case, f"ragflow:c@{server.url}")
    assert done.returncode == 3
    (result,) = json.loads(done.stdout)["results"]
    assert result["errors"] == 2
    errors = {item["id"]: item["notes"]["legal"] for item in result["per_item"] if item["id"] in ("q3", "q4")}
    assert errors == {
        "q3": "the stream of RAGFlow ended before its end",
        "q4": "RAGFlow reports an error (102): Chat not found!",
    }
    asked = sum(seen.values())
    done = bench(case, f"ragflow:c@{server.url}", "--resume")
    assert (done.returncode, json.loads(done.stdout)["results"][0]["errors"]) == (0, 0)
    assert sum(seen.values()) == asked + 2


def test_a_missing_key_ends_the_run_with_what_to_do(case, serve, monkeypatch):
    monkeypatch.delenv("FASTGPT_API_KEY", raising=False)
    refusal = {"code": 514, "statusText": "unAuthApiKey", "message": "Key is invalid", "data": None}
    done = bench(case, f"fastgpt:a@{serve(Products(api_v1_chat_completions=refusal)).url}")
    assert done.returncode == 3
    words = "FastGPT reports an error (514): Key is invalid; no key was sent: set FASTGPT_API_KEY in the environment"
    assert words in done.stderr


def test_the_question_alone_for_a_chat_model(case, serve):
    server = serve(Answer({"choices": [{"message": {"content": "三万元"}}]}))
    bench(case, f"openai:m@{server.url}", "--send", "question")
    assert sorted(body["messages"][0]["content"] for body in server.bodies) == [each["question"] for each in QUESTIONS]
    assert {len(body["messages"]) for body in server.bodies} == {1}
