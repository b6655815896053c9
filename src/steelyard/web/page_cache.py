"""A cache of pages, which are made in threads: a page once for all clients that request it, and few at a time.

Pages of large results are made one at a time, and other pages do not wait for them. The bytes of a page are shared by
all clients that receive it. Everything here runs in the event loop, except the functions given to `in_thread`.
"""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, TypeVar
from weakref import WeakSet, WeakValueDictionary

from steelyard import limits
from steelyard.i18n import Language
from steelyard.web.viewer import Page, Stamp, Viewer

QUICK_THREADS: Final = 2
"""Threads that read the state of files and make lists."""

RESULT_THREADS: Final = 1
"""Threads that make pages of results: drawing holds the interpreter lock, so more would not be faster."""

LARGE: Final = 4_000_000
"""Pages of results with more bytes are made in a thread of their own, one at a time."""

KEPT_BYTES: Final = 64_000_000
"""The size of the cache."""

KEPT_SECONDS: Final = 300.0
"""How long a page is cached: documents beside a result may change without the result."""

Key = tuple[str, Language]
T = TypeVar("T")


class Busy(Exception):
    """Too many pages are requested: the client is asked to try again."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Body:
    """A page as it is sent; `stamp` is the state of its sources, None if it must not be cached."""

    status: HTTPStatus
    content: bytes
    stamp: Stamp | None = None
    expires: float = field(default_factory=lambda: time.monotonic() + KEPT_SECONDS)


@dataclass(slots=True, eq=False)
class _Pending:
    """A page that is being made, and how many clients wait for it; once started, it is finished in any case."""

    key: Key
    waiting: int = 0
    started: bool = False
    task: "asyncio.Task[Body]" = field(init=False)


class PageCache:
    """The pages of a viewer by path and language."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._quick = asyncio.Semaphore(QUICK_THREADS)
        self._small = asyncio.Semaphore(RESULT_THREADS)
        self._large = asyncio.Semaphore(1)
        self._pending: dict[Key, _Pending] = {}
        self._kept: OrderedDict[Key, Body] = OrderedDict()
        self._current: WeakValueDictionary[Key, Body] = WeakValueDictionary()
        self._in_memory: WeakSet[Body] = WeakSet()

    async def get(self, path: str, language: Language) -> Body:
        """Return the page at a path; raises Busy if it cannot be made now or is not ready in time."""
        key = (path, language)
        pending = self._pending.get(key) or self._start(key)
        pending.waiting += 1
        try:
            async with asyncio.timeout(limits.VIEW_PAGE_SECONDS.value):
                return await asyncio.shield(pending.task)
        except TimeoutError:
            raise Busy from None
        finally:
            pending.waiting -= 1
            if not pending.waiting and not pending.started:
                self._done(pending)
                pending.task.cancel()

    def _start(self, key: Key) -> _Pending:
        if len(self._pending) >= limits.VIEW_WAITING.value:
            raise Busy
        pending = _Pending(key)
        pending.task = asyncio.create_task(self._make(pending))
        pending.task.add_done_callback(lambda task: self._done(pending))
        self._pending[key] = pending
        return pending

    def _done(self, pending: _Pending) -> None:
        if self._pending.get(pending.key) is pending:
            del self._pending[pending.key]
        if pending.task.done() and not pending.task.cancelled():
            pending.task.exception()  # retrieved, even if no client waits any more

    async def tag(self, path: str) -> str | None:
        """Return the tag of the current state of a page; None if it is not known."""
        async with self._quick:
            stamp = await in_thread(self._viewer.stamp, path)
        return None if stamp is None else stamp.tag

    async def _make(self, pending: _Pending) -> Body:
        """Return the page that is in memory if it is up to date, else a new one."""
        async with self._quick:
            pending.started = True
            stamp = await in_thread(self._viewer.stamp, pending.key[0])
            current = self._current.get(pending.key)
            if current is not None and current.stamp == stamp and current.expires > time.monotonic():
                return self._keep(pending.key, current)
            if stamp is None or stamp.size == 0:
                return await self._made(pending.key, stamp)
            pending.started = False
        if not pending.waiting:  # all clients have left meanwhile; the next one starts again
            self._done(pending)
            raise Busy
        async with self._small if stamp.size <= LARGE else self._large:
            pending.started = True
            return await self._made(pending.key, stamp)

    async def _made(self, key: Key, stamp: Stamp | None) -> Body:
        self._free_memory()
        return self._keep(key, await in_thread(_made, self._viewer, *key, stamp))

    def _free_memory(self) -> None:
        """Drop cached pages; raises Busy if the pages that are being sent take too much memory by themselves."""
        while self._kept and self._held() > limits.VIEW_HELD_BYTES.value:
            self._kept.popitem(last=False)
        if self._held() > limits.VIEW_HELD_BYTES.value:
            raise Busy

    def _held(self) -> int:
        return sum(len(body.content) for body in self._in_memory)

    def _keep(self, key: Key, body: Body) -> Body:
        if body.stamp is None:
            return body
        self._current[key] = body
        self._in_memory.add(body)
        if key not in self._kept:
            asyncio.get_running_loop().call_later(KEPT_SECONDS, self._kept.pop, key, None)
        self._kept[key] = body
        self._kept.move_to_end(key)
        while sum(len(kept.content) for kept in self._kept.values()) > KEPT_BYTES:
            self._kept.popitem(last=False)
        return body


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """Return the result of a function that runs in a daemon thread."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function(*arguments)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the server has ended
            loop.call_soon_threadsafe(finish, result, error)

    threading.Thread(target=work, daemon=True).start()
    return await future


def _made(viewer: Viewer, path: str, language: Language, stamp: Stamp | None) -> Body:
    """Return the page as bytes; error pages are not cached."""
    page = viewer.page(path, language, stamp)
    return body_of(page, stamp if page.status is HTTPStatus.OK else None)


def body_of(page: Page, stamp: Stamp | None = None) -> Body:
    """Return a page as it is sent."""
    return Body(page.status, page.content, stamp)
