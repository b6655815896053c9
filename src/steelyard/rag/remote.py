"""Search by a retriever that runs elsewhere: one request for all queries."""

from collections.abc import Sequence
from typing import Any, Final

from steelyard import limits
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.net.http import JsonClient, is_address
from steelyard.net.replies import IT
from steelyard.net.secrets import public_address
from steelyard.rag.choices import checked_queries, from_one
from steelyard.rag.endpoints import reason

TIMEOUT: Final = 60.0
"""Seconds that the retriever has to answer."""


def search_remote(
    url: str, queries: Sequence[str | None], *, top_k: int, instruction: str, timeout: float = TIMEOUT
) -> list[list[str]]:
    """The passages that a retriever finds: POST <url>/search with the queries; `ret_psg` is in the reply.

    An empty query is not sent and has no passages.
    """
    address, texts = _search_address(url), checked_queries(queries)
    sent = [query for query in texts if query.strip()]
    body = {"query_list": sent, "top_k": from_one(top_k, "top_k"), "query_instruction": instruction}
    if not sent:
        return [[] for _ in texts]
    client = JsonClient(address, party=IT, headers={}, timeout=timeout or None, limit=limits.MODEL_REPLY_BYTES)
    try:
        reply = client.post(body)
    except SystemFailure as failure:
        raise _failure(address, reason(failure)) from None
    passages = iter(_passages(reply, len(sent), address))
    return [next(passages) if query.strip() else [] for query in texts]


def _search_address(url: str) -> str:
    if not isinstance(url, str) or not is_address(url):
        shown = public_address(url) if isinstance(url, str) else url
        hint = Message("rag.retriever_address_hint")
        raise ConfigError(Message("core.no_address", url=shown), hint=hint, parameter="retriever_url")
    base = url.rstrip("/")
    return base if base.endswith("/search") else f"{base}/search"


def _passages(reply: Any, queries: int, address: str) -> list[list[str]]:
    """The lists of passages in a reply, one for each query."""
    passages: Any = reply.get("ret_psg") if isinstance(reply, dict) else None
    if not isinstance(passages, list) or not all(map(_is_texts, passages)):
        raise _failure(address, Message("rag.no_ret_psg"))
    if len(passages) != queries:
        raise _failure(address, Message("rag.lists_of_passages", lists=len(passages), queries=queries))
    return passages


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _failure(address: str, reason: Message) -> SystemFailure:
    return SystemFailure(Message("rag.retriever_failed", address=public_address(address), reason=reason))
