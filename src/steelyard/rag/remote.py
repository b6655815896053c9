"""A retriever that runs elsewhere: one request for all queries."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from steelyard.errors import ConfigError, SystemFailure
from steelyard.rag.endpoints import shown_address
from steelyard.rag.queries import checked_queries, from_one

TIMEOUT: Final = 60.0
"""Seconds that the retriever has to answer."""


def search_remote(
    url: str, queries: Sequence[str | None], *, top_k: int, instruction: str, timeout: float = TIMEOUT
) -> list[list[str]]:
    """The passages that a retriever finds: POST <url>/search with the queries, `ret_psg` comes back.

    A query that says nothing is not sent, and finds nothing.
    """
    import httpx

    address, asked = _search_address(url), checked_queries(queries)
    said = [query for query in asked if query.strip()]
    body = {"query_list": said, "top_k": from_one(top_k, "top_k"), "query_instruction": instruction}
    if not said:
        return [[] for _ in asked]
    try:
        reply = httpx.post(address, json=body, timeout=timeout, trust_env=False)
        reply.raise_for_status()
        found = reply.json()
    except httpx.HTTPStatusError as error:
        raise _failure(address, f"status {error.response.status_code}") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _failure(address, str(error) or type(error).__name__) from None
    except ValueError:
        raise _failure(address, "the reply is not JSON") from None
    passages = iter(_passages(found, len(said), address))
    return [next(passages) if query.strip() else [] for query in asked]


def _search_address(url: str) -> str:
    if not isinstance(url, str) or urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise ConfigError(f"this is no address: {url}", hint="for example http://127.0.0.1:64501")
    base = url.rstrip("/")
    return base if base.endswith("/search") else f"{base}/search"


def _passages(found: Any, queries: int, address: str) -> list[list[str]]:
    """What came back, if it is a list of texts for each query."""
    passages: Any = found.get("ret_psg") if isinstance(found, dict) else None
    if not isinstance(passages, list) or not all(map(_is_texts, passages)):
        raise _failure(address, "the reply has no ret_psg with a list of texts for each query")
    if len(passages) != queries:
        raise _failure(address, f"{len(passages)} lists of passages came back for {queries} queries")
    return passages


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _failure(address: str, why: str) -> SystemFailure:
    return SystemFailure(f"the retriever at {shown_address(address)} failed: {why}")
