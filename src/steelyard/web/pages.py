"""Pages made in threads: each once for all who ask for it at a time, few at a time, and kept for a while.

A page of a large result is made alone, and the others do not wait for it. The bytes of a page are shared by all clients
to whom they are being sent. Everything here runs in the event loop, but for the functions given to `in_thread`.
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

QUICK_AT_A_TIME: Final = 2
"""So many threads look at the state of files and make lists, which nobody should wait for."""

SMALL_AT_A_TIME: Final = 1
"""So many threads make pages of results: drawing holds the lock of the interpreter, so more would not be faster."""

LARGE: Final = 4_000_000
"""Pages of results with more bytes are made one at a time, in a thread of their own."""

KEPT_BYTES: Final = 64_000_000
"""So many bytes of pages are kept for the next client."""

KEPT_SECONDS: Final = 300.0
"""So long a page is kept: documents beside a result may change without the result."""

Key = tuple[str, Language]
T = TypeVar("T")


class Busy(Exception):
    """There is too much to do: the client is asked to come again."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Body:
    """A page as it is sent; `stamp` is what it was made from, None where it may not be kept."""

    status: HTTPStatus
    content: bytes
    stamp: Stamp | None = None
    expires: float = field(default_factory=lambda: time.monotonic() + KEPT_SECONDS)


@dataclass(slots=True, eq=False)
class _Making:
    """A page that is being made, and how many wait for it; one that was begun is finished even if all have left."""

    key: Key
    waiting: int = 0
    begun: bool = False
    task: "asyncio.Task[Body]" = field(init=False)


class Pages:
    """The pages of a viewer by path and language."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._quick = asyncio.Semaphore(QUICK_AT_A_TIME)
        self._small = asyncio.Semaphore(SMALL_AT_A_TIME)
        self._large = asyncio.Semaphore(1)
        self._making: dict[Key, _Making] = {}
        self._kept: OrderedDict[Key, Body] = OrderedDict()
        self._alive: WeakValueDictionary[Key, Body] = WeakValueDictionary()
        self._all: WeakSet[Body] = WeakSet()

    async def get(self, path: str, language: Language) -> Body:
        """The page at a path; Busy where it would have to be made and cannot be, or is not ready in time."""
        key = (path, language)
        making = self._making.get(key) or self._start(key)
        making.waiting += 1
        try:
            async with asyncio.timeout(limits.VIEW_PAGE_SECONDS.value):
                return await asyncio.shield(making.task)
        except TimeoutError:
            raise Busy from None
        finally:
            making.waiting -= 1
            if not making.waiting and not making.begun:
                self._done(making)
                making.task.cancel()

    def _start(self, key: Key) -> _Making:
        if len(self._making) >= limits.VIEW_WAITING.value:
            raise Busy
        making = _Making(key)
        making.task = asyncio.create_task(self._make(making))
        making.task.add_done_callback(lambda task: self._done(making))
        self._making[key] = making
        return making

    def _done(self, making: _Making) -> None:
        if self._making.get(making.key) is making:
            del self._making[making.key]
        if making.task.done() and not making.task.cancelled():
            making.task.exception()  # seen, also where nobody waits any more

    async def _make(self, making: _Making) -> Body:
        """The page that is alive if it is still right, else the page made anew."""
        async with self._quick:
            making.begun = True
            stamp = await in_thread(self._viewer.stamp, making.key[0])
            alive = self._alive.get(making.key)
            if alive is not None and alive.stamp == stamp and alive.expires > time.monotonic():
                return self._keep(making.key, alive)
            if stamp is None or stamp.size == 0:
                return await self._made(making.key, stamp)
            making.begun = False
        if not making.waiting:  # all have left meanwhile; whoever asks now begins anew
            self._done(making)
            raise Busy
        async with self._small if stamp.size <= LARGE else self._large:
            making.begun = True
            return await self._made(making.key, stamp)

    async def _made(self, key: Key, stamp: Stamp | None) -> Body:
        self._make_room()
        return self._keep(key, await in_thread(_made, self._viewer, *key, stamp))

    def _make_room(self) -> None:
        """Let go of pages that are only kept; Busy where those that are being sent are too many by themselves."""
        while self._kept and self._held() > limits.VIEW_HELD_BYTES.value:
            self._kept.popitem(last=False)
        if self._held() > limits.VIEW_HELD_BYTES.value:
            raise Busy

    def _held(self) -> int:
        return sum(len(body.content) for body in self._all)

    def _keep(self, key: Key, body: Body) -> Body:
        if body.stamp is None:
            return body
        self._alive[key] = body
        self._all.add(body)
        if key not in self._kept:
            asyncio.get_running_loop().call_later(KEPT_SECONDS, self._kept.pop, key, None)
        self._kept[key] = body
        self._kept.move_to_end(key)
        while sum(len(kept.content) for kept in self._kept.values()) > KEPT_BYTES:
            self._kept.popitem(last=False)
        return body


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """What a function gives, run in a thread of its own, which does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
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
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True).start()
    return await future


def _made(viewer: Viewer, path: str, language: Language, stamp: Stamp | None) -> Body:
    """The page as bytes; a page that is not what was asked for is not kept."""
    page = viewer.page(path, language)
    return body_of(page, stamp if page.status is HTTPStatus.OK else None)


def body_of(page: Page, stamp: Stamp | None = None) -> Body:
    """A page as it is sent."""
    return Body(page.status, page.content, stamp)
