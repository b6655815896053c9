"""Models behind the chat interface that OpenAI made common, asked many at a time; answers come in order."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, MissingExtra, UnknownName
from steelyard.rag.conversations import Conversation, Outcome, Told

if TYPE_CHECKING:
    import openai

OPENAI_URL: Final = "https://api.openai.com/v1"
VLLM_HINT: Final = "start one with: vllm serve MODEL; then set base_url: http://localhost:8000/v1 and model_name: MODEL"

_PASSING: Final = frozenset(
    (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
)  # besides all from 500 on
_OURS: Final = ("self", "messages", "model", "stream", "stream_options")
_LONGEST_WAIT: Final = 120.0  # seconds
_LONGEST_REASON: Final = 200  # characters
_NO_CONTENT: Final = "the reply of the model has no choices/0/message/content"
_NUMBERS: Final = {"concurrency": 1, "retries": 0, "base_delay": 0, "timeout": 0}  # and the least of each


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Where the model is, what it is called, and how patiently it is asked.

    `key` is secret and never shown; a `timeout` of 0 waits for ever.
    """

    model_name: str
    base_url: str = OPENAI_URL
    key: str = field(default="", repr=False)
    concurrency: int = 8
    retries: int = 3
    base_delay: float = 1.0
    timeout: float = 120.0
    proxy: str | None = None


def chat_settings(config: Mapping[str, Any], *, key: str, where: str) -> ChatSettings:
    """The settings that a section of `backend_configs` says; its `api_key` counts before `key`."""
    given = {name: value for name, value in config.items() if value not in (None, "")}
    known = [name for name in inspect.signature(ChatSettings).parameters if name != "key"]
    for name in given:
        if name not in (*known, "api_key"):
            raise UnknownName.of("setting", name, [*known, "api_key"], where=where)
    for name in ("model_name", "base_url", "api_key", "proxy"):
        if not isinstance(given.get(name, ""), str):
            raise ConfigError(f"{name} must be text, not {type(given[name]).__name__}", where=where)
    if "model_name" not in given:
        raise ConfigError("model_name must say which model is asked", where=where)
    for name, least in _NUMBERS.items():
        _check_number(name, given.get(name, 1), least, where)
    _check_url(given.get("base_url", OPENAI_URL), where)
    return ChatSettings(key=_checked_key(given.pop("api_key", key), where), **given)


class ChatGenerator:
    """Asks one model; what fails for the moment is asked again, what fails for good is an error of that prompt."""

    def __init__(self, settings: ChatSettings, *, sampling: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        self._library = _library()
        self._settings = settings
        _check_sampling(sampling, self._library)
        self._arguments = {**sampling, "model": settings.model_name, **({"extra_body": dict(extra)} if extra else {})}

    def generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        """One outcome per conversation, in their order."""
        return asyncio.run(self._generate(conversations, told))

    async def _generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        gate = asyncio.Semaphore(self._settings.concurrency)
        done = 0

        async def ask(conversation: Conversation) -> Outcome:
            nonlocal done
            async with gate:
                outcome = await self._ask(client, conversation)
            done += 1
            told(done, len(conversations))
            return outcome

        async with self._client() as client:
            return await asyncio.gather(*map(ask, conversations))

    def _client(self) -> "openai.AsyncOpenAI":
        settings = self._settings
        # the environment is for the doors to read: no proxies out of it
        transport = self._library.DefaultAsyncHttpxClient(trust_env=False, proxy=settings.proxy)
        client: openai.AsyncOpenAI = self._library.AsyncOpenAI(
            api_key=settings.key or "none",  # servers without keys take any
            base_url=settings.base_url,
            timeout=settings.timeout or None,
            max_retries=0,  # ours say how often and how soon
            http_client=transport,
        )
        return client

    async def _ask(self, client: "openai.AsyncOpenAI", conversation: Conversation) -> Outcome:
        """Ask until there is an answer, or a failure that stays, or no try is left."""
        messages: Any = list(conversation)
        tries = 0
        while True:
            try:
                return _outcome(await client.chat.completions.create(messages=messages, **self._arguments))
            except self._library.APIError as error:
                if not _passes(error) or tries == self._settings.retries:
                    return Outcome(None, self._reason(error))
                await asyncio.sleep(_wait(error, self._settings.base_delay * 2**tries))
            tries += 1

    def _reason(self, error: "openai.APIError") -> str:
        """What went wrong, in short and without the key, which some servers send back."""
        if isinstance(error, self._library.APITimeoutError):
            said = f"no answer within {self._settings.timeout:g} s"
        elif isinstance(error, self._library.APIConnectionError):
            said = f"the model cannot be reached: {error.__cause__ or error}"
        else:
            said = f"the model answered with status {getattr(error, 'status_code', None)}: {_said(error)}"
        plain = " ".join(said.split())
        return (plain.replace(self._settings.key, "***") if self._settings.key else plain)[:_LONGEST_REASON]


def _library() -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtra.of("openai", "rag", purpose="asking a model") from None
    return openai


def _check_number(name: str, value: Any, least: int, where: str) -> None:
    kinds = int if name in ("concurrency", "retries") else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not value >= least:
        what = "a whole number" if kinds is int else "a number"
        raise ConfigError(f"{name} must be {what} from {least} on, not {value!r}", where=where)


def _check_url(url: str, where: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"this is no address: {url}", where=where, hint="for example http://localhost:8000/v1")


def _checked_key(key: str, where: str) -> str:
    """The key without blanks around it; it is checked here because an error further down would show it."""
    plain = key.strip()
    if not (plain.isascii() and plain.isprintable()):
        raise ConfigError("the key holds characters that HTTP does not allow", where=where)
    return plain


def _check_sampling(sampling: Mapping[str, Any], library: Any) -> None:
    known = inspect.signature(library.resources.chat.completions.AsyncCompletions.create).parameters
    for name in sampling:
        if name not in known or name in _OURS or name.startswith("extra_"):
            hint = "what the server knows beyond OpenAI's parameters belongs into extra_params"
            raise ConfigError(f"{name!r} is no sampling parameter", where="sampling_params", hint=hint)


def _passes(error: "openai.APIError") -> bool:
    """Whether the same request may succeed later; a failure without a status is one of the connection."""
    status = getattr(error, "status_code", None)
    return status is None or status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _said(error: "openai.APIError") -> str:
    match error.body:
        case {"message": str(message)} if message:
            return message
        case str(text) if text:
            return text
    return "nothing more"


def _wait(error: "openai.APIError", delay: float) -> float:
    """The seconds that the server asks for, else `delay`."""
    response = getattr(error, "response", None)
    wish = response.headers.get("retry-after", "") if response is not None else ""
    return min(float(wish) if wish.replace(".", "", 1).isdecimal() else delay, _LONGEST_WAIT)


def _outcome(reply: Any) -> Outcome:
    """What the model says; a reply that is no chat completion is an error."""
    choices = getattr(reply, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    content = getattr(message, "content", None)
    return Outcome(content, None) if isinstance(content, str) else Outcome(None, _NO_CONTENT)
