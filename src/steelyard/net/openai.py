"""The OpenAI-compatible client: how an interface is connected to, and how its completions and embeddings are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from steelyard import limits
from steelyard.i18n import Message
from steelyard.net.http import JsonClient
from steelyard.net.replies import MODEL
from steelyard.net.retry import ONCE, RetryRule

NO_COMPLETION: Final = Message("net.no_completion")
"""The failure of a reply in which `completion_of` finds no text."""

_MOST_TOKENS: Final = 2**53  # every JSON reader has the whole numbers up to here

SAMPLING_PARAMETERS: Final = (
    *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens"),
    *("max_tokens", "metadata", "modalities", "moderation", "n", "parallel_tool_calls", "prediction"),
    *("presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort"),
    *("response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "temperature", "tool_choice"),
    *("tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
)
"""Parameters of OpenAI's chat completions besides the model, the messages and those of streaming."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion: its text, the model's refusal, why it ended, and the tokens of request, reply and both."""

    text: str | None
    refusal: str | None = None
    finish_reason: str | None = None
    tokens: int | None = None
    sent: int | None = None
    received: int | None = None


def model_client(
    base_url: str,
    path: str,
    *,
    key: str | None,
    timeout: float | None,
    party: Message = MODEL,
    headers: Mapping[str, str] | None = None,
    proxy: str | None = None,
    limit: limits.Limit = limits.REPLY_BYTES,
    rule: RetryRule = ONCE,
) -> JsonClient:
    """Return a client of `base_url` + `path` that sends the key as a bearer token, unless a header replaces it."""
    has_own = any(name.lower() == "authorization" for name in headers or ())
    authorization = {"Authorization": f"Bearer {key}"} if key and not has_own else {}
    return JsonClient(
        f"{base_url.rstrip('/')}{path}" if path else base_url,
        party=party,
        headers={**authorization, **(headers or {})},
        timeout=timeout,
        proxy=proxy,
        limit=limit,
        secrets=[key] if key else [],
        rule=rule,
    )


def completion_of(value: Any) -> Completion:
    """Return the first choice of a reply; `text` is None where the reply has none."""
    match value:
        case {"choices": [{"message": Mapping() as message} as choice, *_]}:
            refusal, ending = message.get("refusal"), choice.get("finish_reason")
        case _:
            return Completion(None)
    found = value.get("usage")
    usage = found if isinstance(found, Mapping) else {}
    counts = [_count(usage.get(name)) for name in ("total_tokens", "prompt_tokens", "completion_tokens")]
    return Completion(
        _text(message.get("content")),
        refusal if isinstance(refusal, str) else None,
        ending if isinstance(ending, str) else None,
        *counts,
    )


def embeddings_of(value: Any) -> list[list[float]] | None:
    """Return the embeddings of a reply in the order of their texts; None unless every row has one and an index."""
    rows = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(rows, list) or not all(map(_is_embedding, rows)):
        return None
    return [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]


def _count(given: Any) -> int | None:
    """Return a number of tokens; None where it is no number of them, as true, -1 or 1e999."""
    is_whole = isinstance(given, int) and not isinstance(given, bool)
    return given if is_whole and 0 <= given < _MOST_TOKENS else None


def _text(content: Any) -> str | None:
    """Return the content of a message: text, or the joined texts of a list of parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None


def _is_embedding(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("index"), int) and isinstance(row.get("embedding"), list)
