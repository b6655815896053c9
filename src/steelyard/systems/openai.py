"""`openai:MODEL@BASE_URL`: a chat model behind an OpenAI-compatible interface."""

import re
from typing import TYPE_CHECKING, Final

from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.net.openai import NO_COMPLETION, completion_of, model_client
from steelyard.net.replies import SYSTEM
from steelyard.net.secrets import masked_command
from steelyard.systems.base import Ask, Reply, SystemSettings
from steelyard.text.normalisation import has_han

if TYPE_CHECKING:
    from steelyard.documents.pages import Document

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


class ChatSystem:
    """Sends a model the question, and the pages of the document that it names if they are available."""

    def __init__(self, model: str, url: str, settings: SystemSettings) -> None:
        self.name = model
        self._documents = settings.documents
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
        messages = messages_for(ask, self._documents.get(ask.document))
        completion = completion_of(self._client.post({"model": self.name, "temperature": 0, "messages": messages}))
        text = completion.refusal if completion.text is None else completion.text
        if text is None:
            raise SystemFailure(NO_COMPLETION)
        return Reply(record_of(text), tokens=completion.tokens)

    def close(self) -> None:
        """Do nothing: no connection is kept."""


def open_chat(rest: str, settings: SystemSettings) -> ChatSystem:
    """Return the chat model of `MODEL@BASE_URL`."""
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
