"""Calls of tools on behalf of clients: so many at once, each within its time, and none for a client that has left.

A tool runs in a thread. A thread cannot be ended from outside: a call is stopped the next time its tool reports
progress, and only then is its slot free. A tool that never reports keeps its slot until it is done.
"""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from steelyard.errors import SteelyardError, SystemFailure
from steelyard.i18n import Message
from steelyard.pipelines.protocol import Asked
from steelyard.pipelines.server import hearing

if TYPE_CHECKING:
    from anyio import CancelScope, CapacityLimiter, Event

CALL_SECONDS = 600.0
MOST_CALLS = 16
MOST_WAITING = 256
TICK_SECONDS = 1.0
LEFT = "steelyard.left"
"""Where the ASGI scope of a request keeps the event that is set when its client has left."""

TIME_HINT = Message("pipelines.servers_owner_can_raise_steelyard")
BUSY_HINT = Message("pipelines.ask_again_later_servers_owner")


class Stopped(BaseException):
    """A call that nobody waits for any more; not an Exception, so that no tool takes it for an error of its own."""


@dataclass(slots=True, eq=False)
class _Work:
    """One call in its thread."""

    function: Callable[[], Any]
    name: str
    done: int = 0
    total: int | None = None
    stopped: bool = False
    given: Any = None
    error: SteelyardError | None = field(default_factory=lambda: SystemFailure(Message("pipelines.call_stopped")))

    def told(self, done: int, total: int | None) -> None:
        """Take note of how far the tool is, and stop it if nobody waits any more."""
        if self.stopped:
            raise Stopped
        self.done, self.total = done, total

    def run(self) -> None:
        try:
            with hearing(told=self.told):
                self.given = self.function()
            self.error = None
        except Stopped:
            pass
        except SteelyardError as error:
            self.error = error.with_traceback(None)  # its frames refer to this object: a cycle that holds the arguments
        except BaseException as error:  # a bug of a tool is told to the caller, and the server lives on
            logging.getLogger(__name__).exception("%s failed", self.name)
            self.error = SystemFailure(f"{type(error).__name__}: {error}")

    def result(self) -> Any:
        """What the tool gave, or the error that it ended with; asked for once."""
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
            return self.given
        finally:
            del error  # its traceback refers to this frame

    def share(self, seconds: int) -> str:
        """How far the tool is; one that does not count is heard by its seconds."""
        return f"{self.name}: {self.done} of {self.total}" if self.total else f"{self.name}: at work for {seconds} s"


@dataclass(slots=True)
class Calls:
    """The calls of one server: `most` at work, `waiting` more in line, each within `seconds`."""

    seconds: float = CALL_SECONDS
    most: int = MOST_CALLS
    waiting: int = MOST_WAITING
    _slots: "CapacityLimiter | None" = None
    _ending: "Event | None" = None

    async def run(self, name: str, function: Callable[[], Any], asked: Asked) -> Any:
        """What a function gives that runs in a thread; the client hears how far it is, at least every second."""
        import anyio

        work, slots = _Work(function, name), self._prepared()
        if slots.statistics().tasks_waiting >= self.waiting:
            raise SystemFailure(
                Message("pipelines.server_busy_calls_work_waiting", most=self.most, waiting=self.waiting),
                hint=BUSY_HINT,
            )
        try:
            with anyio.fail_after(self.seconds):
                async with anyio.create_task_group() as group:
                    group.start_soon(self._watch, asked, group.cancel_scope)
                    await slots.acquire_on_behalf_of(work)
                    group.start_soon(_tick, work, asked)
                    await _threaded(work, partial(slots.release_on_behalf_of, work))
                    group.cancel_scope.cancel()
        except TimeoutError:
            raise SystemFailure(
                Message("pipelines.stopped_after_seconds", name=name, seconds=self.seconds), hint=TIME_HINT
            ) from None
        finally:
            work.stopped = True
        return work.result()

    def end(self) -> None:
        """Stop every call: the server ends."""
        if self._ending is not None:
            self._ending.set()

    def _prepared(self) -> "CapacityLimiter":
        """The slots; they are made by the first call, in the event loop that they belong to."""
        import anyio

        if self._slots is None:
            self._slots, self._ending = anyio.CapacityLimiter(self.most), anyio.Event()
        return self._slots

    async def _watch(self, asked: Asked, scope: "CancelScope") -> None:
        """Stop a call when its client has left, or when the server ends."""
        import anyio

        async def cancel_after(event: "Event") -> None:
            await event.wait()
            scope.cancel()

        async with anyio.create_task_group() as group:
            for event in (self._ending, asked.scope.get(LEFT)):
                if event is not None:
                    group.start_soon(cancel_after, event)


async def _threaded(work: _Work, release: Callable[[], None]) -> None:
    """Run a call in a thread that does not keep the process alive, and free its slot when the thread is done."""
    import asyncio

    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def finish() -> None:
        release()
        done.set()

    def run() -> None:
        work.run()
        with suppress(RuntimeError):  # the event loop has ended before the tool
            loop.call_soon_threadsafe(finish)

    try:
        threading.Thread(target=run, name=work.name, daemon=True).start()
    except (RuntimeError, MemoryError):  # no thread can be started
        release()
        raise
    await done.wait()


async def _tick(work: _Work, asked: Asked) -> None:
    """Say every second how far a call is; what is sent must grow."""
    import anyio

    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        for seconds in count(1):
            await anyio.sleep(TICK_SECONDS)
            await asked.progress(seconds * TICK_SECONDS, work.share(seconds))
