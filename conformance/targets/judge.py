"""A model as judge: an OpenAI-compatible server on loopback that says what a vector decides.

The input of a vector says in neutral words what the judge finds, and how its reply is deformed. The adapter of a tool
gives the reply of each step in the form that the tool asks for; the last step is made by `said`:

    verdicts   what the judge finds for each claim, passage or nugget: yes, no, unknown, absent, partly, a label or a
               number; null where its reply has nothing about one, {} where it has no verdict about it
    reply      what is said instead: {reply} is the well-formed reply, {torn} its beginning, {claimed} the well-formed
               reply with the verdicts `claimed`, {answer} the judged answer
    reason     the reason that stands beside each verdict
    status     the HTTP status instead of a reply; with `once`, only of the first
    finish, refusal, reasoning   the fields of a completion
    at         the number of the item whose reply is deformed, for tools that ask about each by itself
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Given = Mapping[str, Any]
Form = Callable[[Sequence[Any]], Any]


@dataclass(frozen=True)
class Ask:
    """A request to the model."""

    body: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """All that is asked."""
        return "\n".join(_text(message.get("content")) for message in self.body["messages"])

    @cached_property
    def schema(self) -> str:
        """The answer schema as text, of the response format or of the tools; empty without one."""
        given = self.body.get("response_format") or self.body.get("tools") or ""
        return json.dumps(given, ensure_ascii=False) if given else ""


@dataclass(frozen=True)
class Said:
    """A reply of the model as it stands in a completion."""

    text: str | None
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None


Replies = Callable[[Ask], Any]
"""The reply to a request: Said, a text, or what is written as JSON."""


def said(given: Given, form: Form, item: int | None = None) -> Said:
    """Return the reply of the last step, about all items or one, deformed as the vector says."""
    verdicts = given["verdicts"] if item is None else given["verdicts"][item : item + 1]
    whole = written(form(verdicts))
    if item is not None and given.get("at", item) != item:
        return Said(whole)
    claimed = given.get("claimed", verdicts)
    parts = {
        "{reply}": whole,
        "{torn}": whole[: -max(3, len(whole) // 4)],
        "{claimed}": written(form(claimed if item is None else claimed[item : item + 1])),
        "{answer}": answer(given, form),
    }
    text = filled(given.get("reply", "{reply}"), parts)
    others = {name: given[name] for name in ("status", "finish", "refusal") if name in given}
    reasoning = filled(given["reasoning"], parts) if "reasoning" in given else None
    return Said(None if given.get("refusal") else text, reasoning=reasoning, **others)


def answer(given: Given, form: Form) -> str:
    """Return the judged answer: that of the vector, in which {claimed} is a reply, else the claims, or some text."""
    text = given.get("answer", " ".join(claims(given)) or "An answer.")
    return filled(text, {"{claimed}": written(form(given.get("claimed", ())))})


def claims(given: Given) -> list[str]:
    """Return the texts that are judged one by one."""
    return [each if isinstance(each, str) else each[0] for each in given.get("claims") or given.get("passages") or ()]


def contexts(given: Given) -> list[str]:
    """Return the passages: those of the vector, else one that says what the claims say."""
    return list(given.get("passages", given.get("contexts", [" ".join(claims(given))])))


def question(given: Given) -> str:
    """Return the question."""
    return str(given.get("question", "What does the lease say?"))


def reason(given: Given) -> str:
    """Return the reason that stands beside verdicts."""
    return str(given.get("reason", "So it stands there."))


def item_in(given: Given, text: str) -> int:
    """Return the number of the item whose text stands in a request."""
    return next(number for number, claim in enumerate(claims(given)) if claim in text)


def worded(verdict: Any, words: Mapping[str, Any]) -> Any:
    """Return a verdict in the words of a tool, with whatever stands around it; what is no verdict stays as it is.

    >>> worded("Yes.", {"yes": "supported"})
    'Supported.'
    """
    if not isinstance(verdict, str):
        return verdict
    if verdict in words:
        return words[verdict]
    return re.sub(r"[A-Za-z]+", lambda found: _cased(str(words.get(found[0].casefold(), found[0])), found[0]), verdict)


def listed(
    verdicts: Sequence[Any], words: Mapping[str, Any], name: str = "verdict", numbered: str = "", **fields: Any
) -> list[dict[str, Any]]:
    """Return the objects of a list of verdicts; numbers count from 1, and what has no verdict is left out."""
    return [
        {
            **({numbered: number} if numbered else {}),
            **fields,
            **({} if verdict == {} else {name: worded(verdict, words)}),
        }
        for number, verdict in enumerate(verdicts, 1)
        if verdict is not None
    ]


def single(verdicts: Sequence[Any], words: Mapping[str, Any], name: str = "verdict", **fields: Any) -> dict[str, Any]:
    """Return the object of the only verdict; without one it has the other fields alone."""
    return next(iter(listed(verdicts, words, name, **fields)), fields)


def written(value: Any) -> str:
    """Return a reply as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Replace the marks of a text, once."""
    return re.sub("|".join(map(re.escape, parts)), lambda found: parts[found[0]], text)


@contextmanager
def serving(replies: Replies, *, once: bool = False) -> Iterator[str]:
    """Serve replies until the block ends; the address ends with /v1. With `once`, only the first status counts.

    An adapter that cannot reply ends the program: no vector that expects an error may be right by that.
    """
    failures: list[Exception] = []
    lock = threading.Lock()
    passed: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/chat/completions"):
                self._send(
                    404, {"error": {"message": f"{self.path} is not supported", "type": "invalid_request_error"}}
                )
                return
            try:
                found = replies(Ask(body))
            except Exception as error:
                failures.append(error)
                found = Said(None, status=500)
            reply = found if isinstance(found, Said) else Said(written(found))
            with lock:
                status = 200 if once and passed else reply.status
                passed.extend([1] * (status != 200))
            if status == 200:
                self._send(200, _completion(body, reply))
            else:
                self._send(status, {"error": {"message": "scripted", "type": "server_error", "code": status}})

        def _send(self, status: int, value: Any) -> None:
            content = json.dumps(value, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Retry-After-Ms", "1")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            if failures:
                raise SystemExit(f"the adapter does not reply: {failures[0]!r}")


MODEL = "gpt-4o-mini"
"""The name of the model: one that every tool knows."""


def _completion(body: Mapping[str, Any], reply: Said) -> dict[str, Any]:
    """Return a completion; a well-formed beginning of an object is the call of a tool, if there are tools."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    finish = reply.finish
    if body.get("tools") and reply.text and reply.text.lstrip().startswith("{"):
        call = {"name": body["tools"][0]["function"]["name"], "arguments": reply.text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
        finish = "tool_calls" if finish == "stop" else finish
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": str(body.get("model", MODEL)),
        "choices": [choice],
        "usage": usage,
    }


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _cased(word: str, like: str) -> str:
    return word.upper() if like.isupper() else word.capitalize() if like.istitle() else word
