"""`openai:MODEL@BASE_URL`: a model behind the chat interface that OpenAI made common."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.systems.posting import Poster
from steelyard.systems.records import Ask, Reply
from steelyard.systems.settings import SystemSettings
from steelyard.text.scripts import has_han

if TYPE_CHECKING:
    from steelyard.documents.pages import Document


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
    """Gives a model the question, and the pages of the document that it names if they are at hand."""

    def __init__(self, model: str, url: str, settings: SystemSettings) -> None:
        self.name = model
        self._documents = settings.documents
        authorization = {"Authorization": f"Bearer {settings.key}"} if settings.key else {}
        self._poster = Poster(
            f"{url.rstrip('/')}/chat/completions",
            headers={**authorization, **settings.headers},
            timeout=settings.timeout,
            proxy=settings.proxy,
        )

    def ask(self, ask: Ask) -> Reply:
        """Ask once, at temperature 0."""
        messages = messages_for(ask, self._documents.get(ask.document))
        value = self._poster.post({"model": self.name, "temperature": 0, "messages": messages})
        return Reply(record_of(_content(value)), tokens=_tokens(value))

    def close(self) -> None:
        """Nothing is kept open."""


def messages_for(ask: Ask, document: "Document | None") -> list[dict[str, str]]:
    """What the model is told: how to answer, the pages with their marks, the question."""
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


def _content(value: Any) -> str:
    match value:
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content
        case {"choices": [{"message": {"content": list(parts)}}, *_]}:
            return "".join(part["text"] for part in parts if isinstance(part, Mapping) and _has_text(part))
        case {"choices": [{"message": {"refusal": str(refusal)}}, *_]}:
            return refusal
    raise SystemFailure(Message("rag.reply_model_no_choices_0"))


def _has_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str)


def _tokens(value: Any) -> int | None:
    match value:
        case {"usage": {"total_tokens": int(tokens)}}:
            return tokens
    return None
