"""Products by name: requests, answers, contexts, pages, citations, usage, failures."""

import re
from pathlib import Path
from typing import Any

import pytest
from systems.products import (
    ANSWER,
    CHUNKS,
    DIFY,
    FASTGPT,
    HEX,
    OPENWEBUI,
    RAGFLOW,
    RAGFLOW_OPENAI,
    RETRIEVAL,
    Products,
    pieces,
    stream,
)
from systems.server import Answer

from steelyard.errors import ConfigError, InputError, SystemFailure, UnknownName
from steelyard.i18n import Message
from steelyard.net.retry import RetryableFailure
from steelyard.systems import products
from steelyard.systems.base import PRODUCTS, Ask, SystemSettings, open_system
from steelyard.systems.products import load_product


def notices_of(system: Any) -> list[Message]:
    """Return what a product says once of a run."""
    return list(system.notices())


ASK = Ask("q1", "押金是多少？", "lease.pdf")
LEASE = {"id": "c0", "text": "押金为三万元。", "page": 3, "document": "lease.pdf", "score": 0.91}
CHAT = "/api/v1/chat/completions"
KEYS = {
    "RAGFLOW_API_KEY": "ragflow-key-1",
    "DIFY_API_KEY": "app-key-2",
    "FASTGPT_API_KEY": "fastgpt-key-3",
    "OPENWEBUI_API_KEY": "sk-key-4",
    "OTHER_API_KEY": "sk-key-5",
}


def ask(spec: str, **settings: Any) -> Any:
    return open_system(spec, SystemSettings(**settings)).ask(ASK)


def failure(spec: str, **settings: Any) -> SystemFailure:
    with pytest.raises(SystemFailure) as caught:
        ask(spec, **settings)
    return caught.value


def at(path: str) -> str:
    return path.strip("/").replace("/", "_").replace("-", "_")


def one(path: str, answer: Any) -> Products:
    return Products(**{at(path): answer})


def test_ragflow(serve):
    server = serve(one("/api/v1/chat/completions", RAGFLOW))
    reply = ask(f"ragflow:chat-7@{server.url}", environment=KEYS)
    assert reply.record["answer"] == ANSWER
    assert reply.record["contexts"] == [
        LEASE,
        {"id": "c1", "text": "租期五年，\n自二〇二一年起。", "page": "4-5", "document": "lease.pdf", "score": 0.5},
        {"id": "c2", "text": "其他约定。", "page": "2-3", "document": "notes.pdf", "score": 0.2},
    ]
    assert reply.record["citations"] == [
        {"page": 3, "text": "押金为三万元。", "document": "lease.pdf", "retrieved": True}
    ]
    assert reply.record["evidence"] == []  # what was retrieved and is not cited is no evidence
    ((path, headers, body),) = server.requests
    assert (path, body) == (
        "/api/v1/chat/completions",
        {"chat_id": "chat-7", "question": ASK.question, "stream": False},
    )
    assert headers["Authorization"] == "Bearer ragflow-key-1"


def test_the_old_path_of_ragflow_has_a_session_for_each_question(serve):
    answers = {at("/api/v1/chats/chat-7/completions"): RAGFLOW}
    answers[at("/api/v1/chats/chat-7/sessions")] = {"code": 0, "data": {"id": "session-1", "name": "x"}}
    server = serve(Products(**answers))
    system = open_system(f"ragflow:chat-7@{server.url}/api/v1", SystemSettings())
    assert [system.ask(ASK).record["citations"][0]["page"] for _ in range(2)] == [3, 3]
    assert [path.rpartition("/")[2] for path, _, _ in server.requests] == [
        "completions",
        *["sessions", "completions"] * 2,
    ]
    assert server.bodies[2] == {"question": ASK.question, "session_id": "session-1", "stream": False}
    assert server.bodies[1]["name"] != server.bodies[3]["name"]
    (notice,) = notices_of(system)
    assert str(notice) == "RAGFlow answered at /api/v1/chats/{app}/completions, not at /api/v1/chat/completions"


@pytest.mark.parametrize(
    ("reference", "marks", "pages"),
    [
        ({"chunks": {"20": CHUNKS[0], "7": CHUNKS[1]}}, "[ID:20]", [3]),  # older: an object, whose names are cited
        ({"chunks": CHUNKS}, "##0$$ ##1$$", [3, "4-5"]),
        ({"chunks": CHUNKS}, "[0][1]", [3, "4-5"]),
        ({"chunks": CHUNKS}, "<think>[ID:2]</think>[ID:1]", ["4-5"]),
        ({"chunks": CHUNKS}, "", []),
        ({"chunks": []}, "[ID:0]", []),
        ({}, "[ID:0]", []),
    ],
)
def test_references_and_marks_of_ragflow(serve, reference, marks, pages):
    body = {"code": 0, "data": {"answer": f"{marks} 三万元", "reference": reference}}
    reply = ask(f"ragflow:c@{serve(one('/api/v1/chat/completions', body)).url}")
    assert [each["page"] for each in reply.record["citations"]] == pages


def test_the_openai_form_of_ragflow(serve):
    reply = ask(f"ragflow:c@{serve(one('/api/v1/chat/completions', RAGFLOW_OPENAI)).url}")
    assert (reply.record["contexts"][0], reply.tokens) == (LEASE, 60)


def test_retrieval_has_contexts_and_no_answer(serve):
    server = serve(one("/api/v1/retrieval", RETRIEVAL))
    reply = ask(f"ragflow-retrieval:ds1,ds2@{server.url}", request='{"top_k": 20}')
    assert reply.record["answer"] == ""
    assert reply.record["contexts"] == [{"id": "r1", "text": "押金为三万元。", "document": "lease.txt", "score": 0.96}]
    assert server.bodies == [{"question": ASK.question, "dataset_ids": ["ds1", "ds2"], "top_k": 20}]


def test_dify(serve):
    server = serve(one("/v1/chat/messages", DIFY))
    reply = ask(f"dify:@{server.url}/v1", environment=KEYS)
    assert reply.record["contexts"] == [
        {"id": "s1", "text": "押金为三万元。", "page": 3, "document": "lease.pdf", "score": 0.98}
    ]
    assert (reply.record["citations"], reply.tokens, reply.cost) == ([], 1162, 0.001289)
    ((path, headers, body),) = server.requests
    assert (path, headers["Authorization"]) == ("/v1/chat-messages", "Bearer app-key-2")
    assert body == {"inputs": {}, "query": ASK.question, "user": "steelyard", "response_mode": "blocking"}


def test_an_app_of_dify_that_only_streams(serve):
    events = [
        {"event": "agent_thought", "thought": "三万？"},
        {"event": "agent_message", "answer": "押金为"},
        {"event": "agent_message", "answer": "三万元。"},
        {**DIFY, "event": "message_end", "answer": None},
    ]
    refusal = {"code": "invalid_param", "message": "blocking is not supported", "status": 400}
    server = serve(
        one(
            "/v1/chat/messages",
            lambda body: Answer(refusal, 400) if body["response_mode"] == "blocking" else stream(*events),
        )
    )
    system = open_system(f"dify:@{server.url}", SystemSettings())
    for _ in range(2):
        reply = system.ask(ASK)
        assert (reply.record["answer"], reply.tokens, len(reply.record["contexts"])) == ("押金为三万元。", 1162, 1)
    assert [body["response_mode"] for body in server.bodies] == ["blocking", "streaming", "streaming"]


def test_fastgpt(serve):
    server = serve(one("/api/v1/chat/completions", FASTGPT))
    reply = ask(f"fastgpt:app-9@{server.url}/api", environment=KEYS)
    first, second = reply.record["contexts"]
    assert first == {"id": HEX[0], "text": "押金是多少？\n押金为三万元。", "document": "lease.csv", "score": 0.3}
    assert (second["text"], second["score"]) == ("租期五年。", 0.2)
    assert reply.record["citations"] == [{"text": first["text"], "document": "lease.csv", "retrieved": True}]
    assert (reply.tokens, reply.cost) == (303, 1.75)
    ((path, headers, body),) = server.requests
    assert (path, headers["Authorization"]) == ("/api/v1/chat/completions", "Bearer fastgpt-key-3")
    assert (body["appId"], body["stream"], body["detail"]) == ("app-9", False, True)
    assert body["messages"] == [{"role": "user", "content": ASK.question}]
    assert body["chatId"].startswith("steelyard-")


def test_a_list_of_parts_is_an_answer_of_fastgpt(serve):
    parts = [{"type": "text", "text": {"content": "押金为"}}, {"type": "text", "text": {"content": "三万元。"}}]
    body = {"choices": [{"message": {"content": parts}}], "responseData": []}
    assert ask(f"fastgpt:a@{serve(one(CHAT, body)).url}").record["answer"] == "押金为三万元。"


def test_open_webui_cites_sources(serve):
    server = serve(one("/api/chat/completions", OPENWEBUI))
    reply = ask(
        f"openwebui:qwen3:8b@{server.url}", environment=KEYS, request='{"files": [{"type": "collection", "id": "k"}]}'
    )
    assert [each.get("page") for each in reply.record["contexts"]] == [3, 5, None]  # its pages count from 0
    assert reply.record["contexts"][1] == {"text": "租期五年。", "page": 5, "document": "lease.pdf", "score": 0.8}
    assert reply.record["citations"] == [{"text": "其他。", "document": "notes.md", "retrieved": True}]
    assert server.bodies[0]["files"] == [{"type": "collection", "id": "k"}]
    assert server.bodies[0]["model"] == "qwen3:8b"


OPENAI_PIECES = [{"choices": [{"delta": {"content": each}}]} for each in ("押金为", "三万元。")]


@pytest.mark.parametrize(
    ("body", "answer", "contexts"),
    [
        (stream(*pieces("押金", "押金为三", ANSWER)), ANSWER, 3),  # each repeats the one before
        (stream(*pieces("押金为三万元 ", "[ID:0]", "。")), ANSWER, 3),
        (stream(*pieces("押金", "为三万元。", ANSWER, final=True)), ANSWER, 3),
        (stream(*OPENAI_PIECES, "[DONE]"), "押金为三万元。", 0),
        (
            stream(*OPENAI_PIECES, {"choices": [{"delta": {"final_content": ANSWER, "reference": CHUNKS}}]}, "[DONE]"),
            ANSWER,
            3,
        ),
        (stream(*pieces(ANSWER)).replace(b"\n\n", b"\r\n\r\n").replace(b"data:", b": keep\ndata: "), ANSWER, 3),
    ],
)
def test_streams_of_ragflow(serve, body, answer, contexts):
    record = ask(f"ragflow:c@{serve(one(CHAT, body)).url}").record
    assert (record["answer"], len(record.get("contexts", ()))) == (answer, contexts)
    assert [each["page"] for each in record["citations"]] == ([3] if contexts else [])


def test_thinking_in_a_stream_is_no_answer(serve):
    events = pieces("", "五万？", "", "三万元[ID:0]。")
    events[0]["data"]["start_to_think"] = events[2]["data"]["end_to_think"] = True
    record = ask(f"ragflow:c@{serve(one(CHAT, stream(*events))).url}").record
    assert (record["answer"], len(record["citations"])) == ("三万元[ID:0]。", 1)


def test_a_stream_of_fastgpt(serve):
    body = stream(*OPENAI_PIECES, "[DONE]", name="answer") + stream(FASTGPT["responseData"], name="flowResponses")
    reply = ask(f"fastgpt:a@{serve(one(CHAT, body)).url}")
    assert (reply.record["answer"], len(reply.record["contexts"])) == ("押金为三万元。", 2)


@pytest.mark.parametrize(
    "body",
    [
        stream(*pieces(ANSWER)[:-1]),
        stream(*OPENAI_PIECES),
        stream(*pieces(ANSWER))[:-30],
    ],
)
def test_a_torn_stream_is_no_short_answer(serve, body):
    found = failure(f"ragflow:c@{serve(one(CHAT, body)).url}")
    assert isinstance(found, RetryableFailure)
    assert str(found) == "the stream of RAGFlow ended before its end"


@pytest.mark.parametrize(
    ("body", "code", "text", "may_pass"),
    [
        ({"code": 102, "message": "You don't own the chat c"}, 102, "You don't own the chat c", False),
        ({"retcode": 100, "retmsg": "Exception"}, 100, "Exception", True),
        ({"code": 500, "message": "busy", "data": None}, 500, "busy", True),
        ({"code": 0, "data": {"answer": "**ERROR**: no model", "reference": {}}}, "ERROR", "no model", True),
        (stream({"code": 500, "message": "x y", "data": {"answer": "**ERROR**: x y"}}), 500, "x y", True),
    ],
)
def test_errors_in_replies_of_status_200(serve, body, code, text, may_pass):
    found = failure(f"ragflow:c@{serve(one(CHAT, body)).url}")
    assert str(found) == f"RAGFlow reports an error ({code}): {text}"
    assert isinstance(found, RetryableFailure) == may_pass


def test_a_reply_without_an_answer(serve):
    found = failure(f"ragflow:c@{serve(one(CHAT, {'code': 0, 'data': {'text': 'x'}})).url}")
    assert str(found) == "the reply has nothing at /data/answer; it has: 'text'"


DENIED = {"code": 109, "message": "Authentication error: API key is invalid!", "data": False}


@pytest.mark.parametrize(
    ("answer", "environment", "message"),
    [
        (DENIED, {}, r"RAGFlow reports an error \(109\): A.*; no key was sent: set RAGFLOW_API_KEY in the environment"),
        (DENIED, KEYS, r".*; is the key in RAGFLOW_API_KEY valid for this address\?"),
        (Answer({"code": 401, "message": "Unauthorized"}, 401), KEYS, r"RAGFlow answered with status 401: U\S+; is .*"),
        (Answer({"detail": "Forbidden"}, 403), KEYS, r"RAGFlow answered with status 403: Forbidden; is .*"),
        (b"<!doctype html>", KEYS, r"RAGFlow answered with HTML: .*; RAGFlow is expected at \S+/chat/completions, \S+"),
    ],
)
def test_what_to_do(serve, answer, environment, message):
    found = failure(f"ragflow:c@{serve(one(CHAT, answer)).url}", environment=environment)
    assert re.fullmatch(message, str(found)), str(found)
    assert type(found) is SystemFailure
    assert not any(key in str(found) for key in KEYS.values())


def test_an_address_without_these_paths(serve):
    found = failure(f"ragflow:c@{serve(Products()).url}")
    assert re.search(r"status 404: Not Found: \S+; RAGFlow is expected at \S+/api/v1/chat/completions, \S+", str(found))


@pytest.mark.parametrize("status", [429, 503])
def test_other_failures_may_pass(serve, status):
    found = failure(
        f"dify:@{serve(one('/v1/chat/messages', Answer({'message': 'later'}, status, {'Retry-After': '1'}))).url}"
    )
    assert isinstance(found, RetryableFailure)
    assert found.retry_after == 1


def test_a_redirect_gets_no_key(serve):
    there = serve(one(CHAT, RAGFLOW))
    here = serve(one(CHAT, Answer("", 307, {"Location": f"{there.url}{CHAT}"})))
    assert "redirect" in str(failure(f"ragflow:c@{here.url}", environment=KEYS))
    assert there.requests == []


def test_only_its_own_key_is_sent(serve):
    for kind, path, body in (("ragflow", CHAT, RAGFLOW), ("openwebui", "/api/chat/completions", OPENWEBUI)):
        server = serve(one(path, body))
        ask(f"{kind}:x@{server.url}", environment=KEYS, key="sk-openai-key")
        sent = str(server.requests)
        assert [key for key in (*KEYS.values(), "sk-openai-key") if key in sent] == [KEYS[f"{kind.upper()}_API_KEY"]]
    assert "app-key-2" not in repr(SystemSettings(environment=KEYS))


def test_contexts_that_never_come_are_reported(serve):
    body = {"answer": "三万元", "conversation_id": "1", "metadata": {}}
    system = open_system(f"dify:@{serve(one('/v1/chat/messages', body)).url}")
    assert notices_of(system) == []
    assert system.ask(ASK).record == {"answer": "三万元", "citations": [], "evidence": []}
    (notice,) = notices_of(system)
    assert str(notice) == "no reply had anything at /metadata/retriever_resources/* (contexts)"


OWN = """\
name: My RAG
key: OTHER_API_KEY
requests:
  - path: /ask/{app}
    body: {query: "{question}"}
answer: /data/text
contexts: /data/chunks/*
context:
  id: /key
  text: /body
  page: /place/page
  document: /place/file
errors: {code: /status, fine: [ok], message: /why}
"""
OWN_REPLY = {
    "status": "ok",
    "data": {
        "text": "三万元[2]。",
        "chunks": [{"key": "a", "body": "x"}, {"body": "押金三万元", "place": {"page": 2}}],
    },
}


def test_a_product_of_ones_own(serve, write):
    server = serve(one("/ask/a%2Fb", OWN_REPLY))
    path = write("own.yaml", OWN)
    system = open_system(f"product:{path}#a/b@{server.url}", SystemSettings(environment=KEYS))
    reply = system.ask(ASK)
    assert system.name == "own:a/b"
    assert reply.record["contexts"] == [{"id": "a", "text": "x"}, {"text": "押金三万元", "page": 2}]
    assert reply.record["citations"] == [{"text": "押金三万元", "page": 2, "retrieved": True}]
    assert server.requests[0][1]["Authorization"] == "Bearer sk-key-5"


def test_contexts_of_a_source_keep_their_order(serve, write):
    texts = [("甲", "f1"), ("乙", "f2"), ("丙", "f1")]
    chunks = [{"body": text, "of": source} for text, source in texts]
    server = serve(one("/ask/a", {"status": "ok", "data": {"text": "三万元[1]。", "chunks": chunks}}))
    path = write("own.yaml", OWN.replace("  id: /key", "  source: /of"))
    record = ask(f"product:{path}#a@{server.url}").record
    assert [each["text"] for each in record["contexts"]] == ["甲", "乙", "丙"]
    assert [each["text"] for each in record["citations"]] == ["甲", "丙"]


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_products_of_the_package_have_the_form_of_a_product(name):
    assert load_product(Path(products.__file__).with_name("shipped") / f"{name}.yaml") == products.shipped()[name]


@pytest.mark.parametrize(
    ("old", "new", "error", "message"),
    [
        ("answer: /data", "anser: /data", UnknownName, r"\S+own.yaml:6: no field is called 'anser'\n.*answer.*"),
        ("  page: ", "  pages: ", UnknownName, r"\S+own.yaml:11: no field is called 'pages'\n.*page.*"),
        ("contexts: /data/chunks/*\n", "", InputError, r"\S+own.yaml:1: the field 'contexts' is missing"),
        ("name: My RAG", "name: 5", InputError, r"\S+own.yaml:1: the field 'name' must be text, not 5"),
        (
            "errors: {",
            "first: x\nerrors: {",
            InputError,
            r"\S+own.yaml:13: the field 'first' must be an integer, not 'x'",
        ),
        (
            "contexts: /data/chunks/*",
            "contexts: {}",
            InputError,
            r"\S+own.yaml:7: .* 'contexts' must be text, not an .*",
        ),
        ('{query: "{question}"}', "q", InputError, r"\S+own.yaml:5: the field 'body' must be an object, not 'q'"),
    ],
)
def test_a_faulty_file(write, old, new, error, message):
    path = write("own.yaml", OWN.replace(old, new))
    with pytest.raises(error) as caught:
        open_system(f"product:{path}@http://127.0.0.1:9")
    assert re.fullmatch(message, str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    ("spec", "form"),
    [
        ("ragflow:@http://127.0.0.1:9", "ragflow:APP@URL"),
        ("ragflow:chat", "ragflow:APP@URL"),
        ("dify:127.0.0.1:9", "dify:APP@URL"),
    ],
)
def test_a_malformed_spec(spec, form):
    with pytest.raises(ConfigError, match=f"^this system must be {form}, not "):
        open_system(spec)


@pytest.mark.parametrize("request_", ["[1]", "{"])
def test_malformed_parameters(request_):
    with pytest.raises(ConfigError) as caught:
        open_system("dify:@http://127.0.0.1:9", SystemSettings(request=request_))
    assert caught.value.where == "--request"


def test_every_product_opens():
    names = [open_system(f"{name}:a@http://127.0.0.1:9").name for name in PRODUCTS]
    assert names == [f"{name}:a" for name in PRODUCTS]


def test_a_chat_model_gets_the_question_alone(serve):
    completion = {"choices": [{"message": {"content": "三万元"}}], "usage": {"total_tokens": 9}}
    server = serve(Answer(completion))
    ask(f"openai:m@{server.url}", send="question")
    assert server.bodies[0]["messages"] == [{"role": "user", "content": ASK.question}]


def test_paths_into_members_of_a_list(serve):
    chunks = [{"content": "甲", "meta": {"page": 2}}, {"content": "乙"}]
    server = serve(Answer({"data": {"text": "是", "chunks": chunks}, "usage": {"total": 5, "price": "0.5"}}))
    paths = "answer=data.text,contexts=/data/chunks/*/content,evidence=data.found[*].text,tokens=usage.total,"
    system = open_system(server.url, SystemSettings(response=f"{paths}cost=/usage/price"))
    reply = system.ask(ASK)
    assert (reply.record["contexts"], reply.tokens, reply.cost) == (["甲", "乙"], 5, 0.5)
    (notice,) = notices_of(system)
    assert str(notice) == "no reply had anything at /data/found/*/text (evidence)"


def test_an_empty_list_is_something(serve):
    server = serve(Answer({"text": "是", "chunks": []}))
    system = open_system(server.url, SystemSettings(response="answer=/text,contexts=/chunks/*/content"))
    assert "contexts" not in system.ask(ASK).record
    assert notices_of(system) == []
