"""Models behind the chat interface that OpenAI made common, asked many at a time; answers come in order."""

import asyncio
import difflib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.rag.conversations import Conversation, Outcome, Told
from steelyard.rag.endpoints import (
    NOT_JSON,
    EndpointSettings,
    RefusedReply,
    hint_for,
    is_refused,
    openai_library,
    passes,
    reason,
)

if TYPE_CHECKING:
    import openai

VLLM_HINT: Final = Message("rag.start_one_vllm_serve_model")
SAMPLING_HINT: Final = Message("rag.what_server_knows_beyond_openais")
KEY_VARIABLE: Final = "LLM_API_KEY"

_OURS: Final = ("self", "messages", "model", "stream", "stream_options")
_MISSPELT: Final = 0.85  # likeness: top_k is not top_p misspelt, but a parameter of other servers
_LONGEST_WAIT: Final = 120.0  # seconds
_NO_CONTENT: Final = Message("rag.reply_model_no_choices_0")
_CUT_OFF: Final = Message("rag.answer_cut_off_finish_reason")


@dataclass(frozen=True, slots=True)
class ChatSettings(EndpointSettings):
    """Those of any interface, the seconds before the second try, which double with each, and a proxy."""

    base_delay: float = 1.0
    proxy: str | None = field(default=None, repr=False)  # it may hold a password


class ChatGenerator:
    """Asks one model; what fails for the moment is asked again, what fails for good is an error of that prompt."""

    def __init__(self, settings: ChatSettings, *, sampling: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        self._library = openai_library(purpose=Message("words.asking_a_model"))
        self._settings = settings
        _check_sampling(sampling, self._library)
        self._arguments = {**sampling, "model": settings.model_name, **({"extra_body": dict(extra)} if extra else {})}

    def generate(self, conversations: Sequence[Conversation], told: Told) -> list[Outcome]:
        """One outcome per conversation, in their order."""
        return asyncio.run(self._generate(conversations, told))

    def hint(self, error: Message | str | None) -> Message | None:
        """What to do where every prompt failed with this error."""
        return hint_for(error, self._settings, KEY_VARIABLE)

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
        from steelyard.rag.transports import openai_async_client

        settings = self._settings
        client: openai.AsyncOpenAI = self._library.AsyncOpenAI(
            api_key=settings.key or "none",  # servers without keys take any
            base_url=settings.base_url,
            timeout=settings.timeout or None,
            max_retries=0,  # ours say how often and how soon
            http_client=openai_async_client(self._library, settings.timeout, settings.proxy),
        )
        return client

    async def _ask(self, client: "openai.AsyncOpenAI", conversation: Conversation) -> Outcome:
        """Ask until there is an answer, or a failure that stays, or no try is left."""
        messages: Any = list(conversation)
        tries = 0
        while True:
            try:
                return _outcome(await client.chat.completions.create(messages=messages, **self._arguments))
            except (RefusedReply, *NOT_JSON) as error:
                return Outcome(None, reason(error, self._settings))
            except self._library.APIError as error:
                if not _passes(error) or tries == self._settings.retries:
                    return Outcome(None, reason(error, self._settings))
                await asyncio.sleep(_wait(error, self._settings.base_delay * 2**tries))
            tries += 1


def _check_sampling(sampling: Mapping[str, Any], library: Any) -> None:
    known = inspect.signature(library.resources.chat.completions.AsyncCompletions.create).parameters
    names = [name for name in known if name not in _OURS and not name.startswith("extra_")]
    for name in sampling:
        if name not in names:
            close = difflib.get_close_matches(str(name), names, n=1, cutoff=_MISSPELT)
            hint = Message("core.nearest_name", name=close[0]) if close else SAMPLING_HINT
            message, where = Message("rag.no_sampling_parameter", name=name), "sampling_params"
            raise ConfigError(message, where=where, hint=hint, parameter=f"{where}.{name}")


def _passes(error: "openai.APIError") -> bool:
    """Whether the same request may succeed later; a failure without a status is one of the connection."""
    if is_refused(error):
        return False
    status = getattr(error, "status_code", None)
    return status is None or passes(status)


def _wait(error: "openai.APIError", delay: float) -> float:
    """The seconds that the server asks for, else `delay`."""
    response = getattr(error, "response", None)
    wish = response.headers.get("retry-after", "") if response is not None else ""
    return min(float(wish) if wish.replace(".", "", 1).isdecimal() else delay, _LONGEST_WAIT)


def _outcome(reply: Any) -> Outcome:
    """What the model says; a reply that is no chat completion is an error, a cut answer has a remark."""
    choices = getattr(reply, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    content = getattr(getattr(choice, "message", None), "content", None)
    answer = content if isinstance(content, str) else None
    if getattr(choice, "finish_reason", None) == "length":
        return Outcome(answer, _CUT_OFF)
    return Outcome(answer, _NO_CONTENT if answer is None else None)
