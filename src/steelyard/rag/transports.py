"""HTTP as all model clients use it: no redirects, no proxies of the environment, replies up to a limit.

The library `openai` speaks HTTP by httpx up to version 2 and by httpx2 from version 3 on. So the classes here are told
which one to use, and inherit from neither.
"""

import asyncio
import importlib
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from steelyard import limits
from steelyard.i18n import Message
from steelyard.io.bounded import ACCEPTED, BadEncoding, TooLarge, decode_bounded
from steelyard.rag.endpoints import RefusedReply

if TYPE_CHECKING:
    import httpx


class _Transport:
    """What both transports have: the one that sends, and how much and how long a reply may be (0 waits for ever)."""

    def __init__(self, http: Any, sender: Any, limit: limits.Limit, seconds: float) -> None:
        self._http, self._sender = http, sender
        self._limit, self._seconds = limit, seconds

    def _begin(self, request: Any) -> "_Body":
        request.headers["Accept-Encoding"] = ACCEPTED
        return _Body(self._http, self._limit, self._seconds)


class Bounded(_Transport):
    """A transport that reads and decodes each reply as a whole, up to the limit."""

    def handle_request(self, request: Any) -> Any:
        """Send a request; the whole reply."""
        body = self._begin(request)
        response = self._sender.handle_request(request)
        try:
            for piece in response.stream:
                body.add(piece)
        finally:
            response.close()
        return body.reply(response)

    def close(self) -> None:
        """Close all connections."""
        self._sender.close()

    def __enter__(self) -> "Bounded":
        self._sender.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._sender.__exit__(*error)


class AsyncBounded(_Transport):
    """The same for asyncio."""

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request; the whole reply."""
        try:
            async with asyncio.timeout(self._seconds or None):  # of all: one byte a second is no progress
                return await self._whole(request)
        except TimeoutError:
            raise self._http.ReadTimeout("the reply took too long") from None

    async def _whole(self, request: Any) -> Any:
        body = self._begin(request)
        response = await self._sender.handle_async_request(request)
        try:
            async for piece in response.stream:
                body.add(piece)
        finally:
            await response.aclose()
        return body.reply(response)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sender.aclose()

    async def __aenter__(self) -> "AsyncBounded":
        await self._sender.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._sender.__aexit__(*error)


def openai_client(openai: Any, seconds: float) -> Any:
    """What the library `openai` is to speak HTTP by."""
    http = _http_of(openai.DefaultHttpxClient)
    transport = Bounded(http, http.HTTPTransport(trust_env=False), limits.MODEL_REPLY_BYTES, seconds)
    return openai.DefaultHttpxClient(transport=transport, trust_env=False, follow_redirects=False)


def openai_async_client(openai: Any, seconds: float, proxy: str | None) -> Any:
    """The same for asyncio, and with a proxy if one is named."""
    http = _http_of(openai.DefaultAsyncHttpxClient)
    many = http.Limits(max_connections=None, max_keepalive_connections=100)  # the caller bounds how many
    sender = http.AsyncHTTPTransport(trust_env=False, proxy=http.Proxy(proxy) if proxy else None, limits=many)
    transport = AsyncBounded(http, sender, limits.REPLY_BYTES, seconds)
    return openai.DefaultAsyncHttpxClient(transport=transport, trust_env=False, follow_redirects=False)


def post_json(url: str, body: Any, *, headers: Mapping[str, str], seconds: float) -> "httpx.Response":
    """The reply to one request, whatever its status; a redirect is not followed."""
    import httpx

    transport: Any = Bounded(httpx, httpx.HTTPTransport(trust_env=False), limits.MODEL_REPLY_BYTES, seconds)
    with httpx.Client(transport=transport, trust_env=False, timeout=seconds or None) as client:
        return client.post(url, json=body, headers=dict(headers))


class _Body:
    """The bytes of a reply as they come in."""

    def __init__(self, http: Any, limit: limits.Limit, seconds: float) -> None:
        self._http = http
        self._content = bytearray()
        self._limit = limit
        self._until = time.monotonic() + seconds if seconds else None

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._content += piece
        if len(self._content) > self._limit.value:
            raise self._too_large()
        if self._until is not None and time.monotonic() > self._until:
            raise self._http.ReadTimeout("the reply took too long")

    def reply(self, response: Any) -> Any:
        """The response with its content decoded."""
        encodings = response.headers.get("content-encoding", "")
        try:
            content = decode_bounded(bytes(self._content), encodings, int(self._limit.value))
        except TooLarge:
            raise self._too_large() from None
        except BadEncoding as error:
            raise RefusedReply(Message("rag.reply_cannot_decoded", error=error)) from None
        left_out = (b"content-encoding", b"content-length", b"transfer-encoding")
        kept = [(name, value) for name, value in response.headers.raw if name.lower() not in left_out]
        return self._http.Response(response.status_code, headers=kept, content=content, extensions=response.extensions)

    def _too_large(self) -> RefusedReply:
        error = self._limit.exceeded(Message("words.the_size_of_the_reply"))
        return RefusedReply(Message("rag.reply_refused", message=error.message, hint=error.hint))


def _http_of(client: type[Any]) -> Any:
    """The library that a client comes from: httpx or httpx2."""
    found = next(base for base in client.__mro__ if base.__module__.startswith("httpx"))
    return importlib.import_module(found.__module__.partition(".")[0])
