"""Invented replies of products in their documented forms, and a server that gives them by path.

The forms are those of the HTTP references of RAGFlow, Dify, FastGPT and Open WebUI (August 2026) and of older releases.
"""

import json
from typing import Any

from systems.server import Answer, Server

HEX = ("67e517e74767063e882d6861", "507f1f77bcf86cd799439011")

CHUNKS = [
    {
        "id": "c0",
        "content": "押金为三万元。",
        "document_id": "d1",
        "document_name": "lease.pdf",
        "positions": [[3, 70, 540, 100, 120], [3, 70, 540, 121, 140]],
        "similarity": 0.91,
    },
    {
        "id": "c1",
        "content": "租期五年，\n@@4\t70.0\t540.0\t700.0\t720.0##自二〇二一年起。",
        "document_name": "lease.pdf",
        "positions": [[4, 70, 540, 700, 720], [5, 70, 540, 60, 80]],
        "similarity": 0.5,
    },
    {"id": "c2", "content": "其他约定。@@2-3\t1.0\t2.0\t3.0\t4.0##", "document_name": "notes.pdf", "similarity": 0.2},
]
ANSWER = "押金为三万元 [ID:0]。"
RAGFLOW: Any = {"code": 0, "message": "", "data": {"answer": ANSWER, "reference": {"chunks": CHUNKS, "doc_aggs": []}}}
RAGFLOW_OPENAI = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER, "reference": CHUNKS}}
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 55, "total_tokens": 60},
}
RETRIEVAL = {
    "code": 0,
    "data": {
        "chunks": [
            {
                "id": "r1",
                "content": "押金为三万元。",
                "document_keyword": "lease.txt",
                "positions": [""],
                "similarity": 0.96,
            }
        ],
        "doc_aggs": [],
        "total": 1,
    },
}
DIFY = {
    "event": "message",
    "conversation_id": "45701982-8118-4bc5-8e9b-64562b4555f2",
    "mode": "chat",
    "answer": "押金为三万元。",
    "metadata": {
        "usage": {"total_tokens": 1162, "total_price": "0.0012890", "currency": "USD", "latency": 0.76},
        "retriever_resources": [
            {
                "position": 1,
                "document_name": "lease.pdf",
                "segment_id": "s1",
                "score": 0.98,
                "content": "押金为三万元。",
                "page": 3,
            }
        ],
    },
}
FASTGPT = {
    "responseData": [
        {
            "moduleType": "datasetSearchNode",
            "totalPoints": 0.5,
            "quoteList": [
                {
                    "id": HEX[0],
                    "q": "押金是多少？",
                    "a": "押金为三万元。",
                    "sourceName": "lease.csv",
                    "score": [{"type": "rrf", "value": 0.3}],
                },
                {"id": HEX[1], "q": "租期五年。", "a": "", "sourceName": "lease.csv", "score": 0.2},
            ],
        },
        {"moduleType": "chatNode", "totalPoints": 1.25, "inputTokens": 300, "outputTokens": 3},
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1},
    "choices": [{"message": {"role": "assistant", "content": f"押金为三万元[{HEX[0]}](CITE)。"}, "index": 0}],
}
OPENWEBUI = {
    "sources": [
        {
            "source": {"id": "f1", "name": "lease.pdf", "type": "file"},
            "document": ["押金为三万元。", "租期五年。"],
            "metadata": [{"source": "lease.pdf", "name": "lease.pdf", "page": 2}, {"source": "lease.pdf", "page": 4}],
            "distances": [0.9, 0.8],
        },
        {"source": {"id": "f2", "name": "notes.md"}, "document": ["其他。"], "metadata": [{"source": "notes.md"}]},
    ],
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "无其他约定[2]。"}}],
    "usage": {"total_tokens": 42},
}


def stream(*events: Any, name: str = "") -> bytes:
    """Return events as a server sends them; a text is sent as it is."""
    head = f"event: {name}\n" if name else ""
    texts = [event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events]
    return "".join(f"{head}data:{text}\n\n" for text in texts).encode()


def pieces(*answers: str, **last: Any) -> list[Any]:
    """Return the events of RAGFlow for the pieces of an answer."""
    events: list[Any] = [{"code": 0, "message": "", "data": {"answer": each, "reference": {}}} for each in answers]
    events[-1]["data"] |= {"reference": RAGFLOW["data"]["reference"], **last}
    return [*events, {"code": 0, "message": "", "data": True}]


class Products(Server):
    """Answers by path; a path that it does not have is 404 in the form of RAGFlow."""

    def __init__(self, **answers: Any) -> None:
        super().__init__(lambda _: Answer())
        self.answers = answers

    def answer(self, path: str, body: Any) -> Answer:
        known = {path.replace("_", "/"): answer for path, answer in self.answers.items()}
        answer = known.get(path.replace("-", "/").strip("/").replace("_", "/"))
        if answer is None:
            return Answer(
                {"code": 404, "message": f"Not Found: {path}", "data": None, "error": "Not Found"}, status=404
            )
        answer = answer(body) if callable(answer) else answer
        kind = "text/event-stream; charset=utf-8" if isinstance(answer, bytes) else "application/json"
        return answer if isinstance(answer, Answer) else Answer(answer, headers={"Content-Type": kind})
