"""Systems behind HTTP: `http://host/path`, asked by POST, and `openai:MODEL@BASE_URL`, a chat model.

Requests and replies of the first are JSON, by default those of this project, else those of two templates.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import ConfigError, SystemFailure, nearest
from steelyard.i18n import Message
from steelyard.io.outputs import FIELDS, named_values, record_of
from steelyard.net.http import JsonClient
from steelyard.net.openai import NO_COMPLETION, completion_of, model_client
from steelyard.net.replies import SYSTEM
from steelyard.net.secrets import masked_command, public_address
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings, path_lost, reply_of
from steelyard.systems.templates import EVERY, FieldPath, filled, find, nothing_at, path_of, template_of
from steelyard.text.normalisation import has_han

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

_FIELDS: Final = (*FIELDS, "tokens", "cost")

QUESTION: Final = "{question}"
EXAMPLE: Final = '{"query": "{question}"}'

CHAT_HINT: Final = Message("systems.chat_spec_hint")

_SPEC: Final = re.compile(r"(?P<model>.+?)@(?P<url>https?://.+)")  # the name of a model may contain an @
_INSTRUCTIONS: Final = {
    "zh": (
        "请只依据所给材料，用中文回答问题，并用 JSON 输出，不要输出其他内容："
        '{"answer": "答案", "citations": [{"page": 页码, "text": "该页原文"}]}。'
        "引用须逐字摘自材料，每条不超过 300 字。材料没有载明的，在 answer 中说明材料未载明并引用相关原话，不要推测。"
    ),
    "en": (
        "Answer the question from the given document only, in the language of the question, as JSON and nothing else: "
        '{"answer": "the answer", "citations": [{"page": page number, "text": "words of that page"}]}. '
        "Citations are copied word for word, each below 900 characters. If the document does not say it, say so in "
        "`answer`, quote what it does say, and do not guess."
    ),
}
_PAGE_MARK: Final = {"zh": "=== 第{number}页 ===", "en": "=== page {number} ==="}
_QUESTION: Final = {"zh": "问题：{question}", "en": "Question: {question}"}


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """A JSON value with the placeholders {question}, {id} and {document} in its texts."""

    content: Any

    @classmethod
    def parse(cls, text: str) -> "RequestTemplate":
        """Read a template; one without {question} is an error."""
        where, hint = "--request", Message("systems.request_template_hint", example=EXAMPLE)
        template = cls(template_of(text, hint))
        if template.fill(Ask("", "one question")) == template.fill(Ask("", "another")):
            message = Message("systems.request_template_without_question", question=QUESTION)
            raise ConfigError(message, where=where, hint=hint)
        return template

    def fill(self, ask: Ask) -> Any:
        """Return the request for a question; placeholders in the question itself are not filled in."""
        return filled(self.content, {"question": ask.question, "id": ask.id, "document": ask.document})


@dataclass(frozen=True, slots=True)
class ResponseTemplate:
    """The paths of the fields in a reply; the path of "" leads to the whole record, or to the answer alone."""

    paths: Mapping[str, FieldPath]

    @classmethod
    def parse(cls, text: str) -> "ResponseTemplate":
        """Read a JSON pointer, a dotted path, or several with names: answer=/data/answer,citations=/data/sources."""
        pairs = [piece.strip().partition("=") for piece in text.split(",")] if "=" in text else [("", "=", text)]
        for name, equals, path in pairs:
            if not (equals and path.strip()):
                raise ConfigError(Message("systems.bad_response_template", value=name + equals + path))
            if name and name not in _FIELDS:
                message = Message("formats.no_field_called", name=name)
                raise ConfigError(message, where="--response", hint=nearest(name, _FIELDS))
        return cls({name: path_of(path.strip()) for name, _, path in pairs})

    def take(self, reply: Any) -> Any:
        """Return the output in a reply; fields other than the answer may be missing.

        A path with `*` leads to the list of what it finds.
        """
        fields: dict[str, Any] = {}
        for name, path in self.paths.items():
            found = find(reply, path)
            if found is not None:
                fields[name] = found if EVERY in path else found[0]
            elif name in ("", "answer"):
                raise nothing_at(reply, path)
        return fields.get("", fields)


class HttpSystem(NothingOpen):
    """Posts {"id", "question", "document"}, or a filled template, and reads the record in the reply."""

    def __init__(self, url: str, settings: SystemSettings) -> None:
        self._client = JsonClient(
            url, party=SYSTEM, headers=settings.headers, timeout=settings.timeout, proxy=settings.proxy
        )
        self.name = public_address(url)
        self._request = RequestTemplate.parse(settings.request) if settings.request else None
        self._response = ResponseTemplate.parse(settings.response) if settings.response else None
        self._lost = dict(self._response.paths) if self._response else {}

    def ask(self, ask: Ask) -> Reply:
        """Ask once."""
        default = {"id": ask.id, "question": ask.question, "document": ask.document}
        value = self._client.post(self._request.fill(ask) if self._request else default)
        try:
            output = self._response.take(value) if self._response else value
            for name in named_values(output) or ():
                self._lost.pop(name, None)
            return reply_of(output)
        except SystemFailure as failure:
            if failure.message.code != "formats.reply_without_answer":
                raise
            raise SystemFailure(Message("systems.say_where", message=failure.message), hint=failure.hint) from None

    def notices(self) -> list[Message]:
        """Return which paths have led nowhere in any reply."""
        return [path_lost(name, "/" + "/".join(path)) for name, path in self._lost.items() if name]


def open_http(rest: str, settings: SystemSettings) -> HttpSystem:
    """Open the system at `http:` + `rest`."""
    return HttpSystem(f"http:{rest}", settings)


def open_https(rest: str, settings: SystemSettings) -> HttpSystem:
    """Open the system at `https:` + `rest`."""
    return HttpSystem(f"https:{rest}", settings)


class ChatSystem(NothingOpen):
    """Sends a model the question, and the pages of the document that it names if they are available.

    With `send="question"` it sends the question alone, as a program that retrieves by itself wants it.
    """

    def __init__(self, model: str, url: str, settings: SystemSettings) -> None:
        self.name = model
        self._documents = settings.documents
        self._alone = settings.send == "question"
        self._client = model_client(
            url,
            "/chat/completions",
            key=settings.key,
            timeout=settings.timeout,
            party=SYSTEM,
            headers=settings.headers,
            proxy=settings.proxy,
        )

    def ask(self, ask: Ask) -> Reply:
        """Ask once, at temperature 0; the refusal of a model is its answer."""
        alone = [{"role": "user", "content": ask.question}]
        messages = alone if self._alone else messages_for(ask, self._documents.get(ask.document))
        completion = completion_of(self._client.post({"model": self.name, "temperature": 0, "messages": messages}))
        text = completion.refusal if completion.text is None else completion.text
        if text is None:
            raise SystemFailure(NO_COMPLETION)
        return Reply(record_of(text), tokens=completion.tokens)


def open_chat(rest: str, settings: SystemSettings) -> ChatSystem:
    """Open the chat model of `MODEL@BASE_URL`."""
    parts = _SPEC.fullmatch(rest)
    if not parts:
        raise ConfigError(Message("systems.chat_spec", value="openai:" + masked_command(rest)), hint=CHAT_HINT)
    return ChatSystem(parts["model"], parts["url"], settings)


def messages_for(ask: Ask, document: "Document | None") -> list[dict[str, str]]:
    """Return the messages for a model: how to answer, the pages with their numbers, the question."""
    language = "zh" if has_han(ask.question) else "en"
    pages = [
        f"{_PAGE_MARK[language].format(number=page.number)}\n{page.text}"
        for page in (document.pages if document else ())
    ]
    question = _QUESTION[language].format(question=ask.question)
    return [
        {"role": "system", "content": _INSTRUCTIONS[language]},
        {"role": "user", "content": "\n\n".join((*pages, question))},
    ]
