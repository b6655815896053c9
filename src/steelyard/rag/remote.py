"""A retriever that runs elsewhere: one request for all queries."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message
from steelyard.rag.endpoints import NOT_JSON, RefusedReply, is_address, passes, redirect, shown_address
from steelyard.rag.queries import checked_queries, from_one

if TYPE_CHECKING:
    import httpx

_LONGEST_WAIT: Final = 8.0  # seconds between two tries
TIMEOUT: Final = 60.0
"""Seconds that the retriever has to answer."""


def search_remote(
    url: str, queries: Sequence[str | None], *, top_k: int, instruction: str, timeout: float = TIMEOUT
) -> list[list[str]]:
    """The passages that a retriever finds: POST <url>/search with the queries, `ret_psg` comes back.

    A query that says nothing is not sent, and finds nothing.
    """
    address, asked = _search_address(url), checked_queries(queries)
    said = [query for query in asked if query.strip()]
    body = {"query_list": said, "top_k": from_one(top_k, "top_k"), "query_instruction": instruction}
    if not said:
        return [[] for _ in asked]
    found = ask_json(address, body, seconds=timeout, failure=lambda why: _failure(address, why))
    passages = iter(_passages(found, len(said), address))
    return [next(passages) if query.strip() else [] for query in asked]


def ask_json(
    address: str,
    body: Any,
    *,
    seconds: float,
    failure: Callable[[Message | str], SystemFailure],
    headers: Mapping[str, str] | None = None,
    retries: int = 0,
) -> Any:
    """The JSON value that comes back for another; what goes wrong is a `failure` with its reason.

    What may pass, such as a connection that fails or status 429 and 503, is tried again.
    """
    import httpx

    from steelyard.rag.transports import post_json

    for left in range(retries, -1, -1):
        try:
            reply = post_json(address, body, headers=headers or {}, seconds=seconds)
        except RefusedReply as error:
            raise failure(error.message) from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise failure(str(error)) from None
        except httpx.HTTPError as error:
            if not left:
                raise failure(str(error) or type(error).__name__) from None
        else:
            if not (left and passes(reply.status_code)):
                return _json(reply, failure)
        time.sleep(min(0.5 * 2.0 ** (retries - left), _LONGEST_WAIT))
    raise AssertionError


def _json(reply: "httpx.Response", failure: Callable[[Message | str], SystemFailure]) -> Any:
    if reply.is_redirect:
        raise failure(redirect(reply.headers.get("location")))
    if not reply.is_success:
        raise failure(Message("rag.status", status=reply.status_code))
    try:
        return reply.json()
    except NOT_JSON:
        raise failure(Message("rag.reply_not_json")) from None


def _search_address(url: str) -> str:
    if not isinstance(url, str) or not is_address(url):
        shown = shown_address(url) if isinstance(url, str) else url
        hint = Message("rag.example_http_127_0_0")
        raise ConfigError(Message("core.no_address", url=shown), hint=hint, parameter="retriever_url")
    base = url.rstrip("/")
    return base if base.endswith("/search") else f"{base}/search"


def _passages(found: Any, queries: int, address: str) -> list[list[str]]:
    """What came back, if it is a list of texts for each query."""
    passages: Any = found.get("ret_psg") if isinstance(found, dict) else None
    if not isinstance(passages, list) or not all(map(_is_texts, passages)):
        raise _failure(address, Message("rag.reply_no_ret_psg"))
    if len(passages) != queries:
        raise _failure(address, Message("rag.lists_came_back_queries", lists=len(passages), queries=queries))
    return passages


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _failure(address: str, why: Message | str) -> SystemFailure:
    return SystemFailure(Message("rag.retriever_failed", address=shown_address(address), why=why))
