"""Calls of tools for clients: a limited number at once, each with a time limit, cancelled when its client has left.

A tool runs in a thread. A thread cannot be stopped from outside: a cancelled call stops the next time its tool reports
progress, and only then is its slot free. A tool that never reports progress keeps its slot until it is done.
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
from steelyard.pipelines.protocol import Request
from steelyard.pipelines.server import callbacks

if TYPE_CHECKING:
    from anyio import CancelScope, CapacityLimiter, Event

CALL_SECONDS = 600.0
MAX_CALLS = 16
MAX_WAITING = 256
PROGRESS_SECONDS = 1.0
CLIENT_LEFT = "steelyard.client_left"
"""The key in the ASGI scope of a request for the event that is set when its client has left."""

TIME_HINT = Message("pipelines.raise_call_timeout")
BUSY_HINT = Message("pipelines.raise_max_calls")


class CallCancelled(BaseException):
    """A call that nobody waits for any more; not an Exception, so that no tool catches it."""


@dataclass(slots=True, eq=False)
class _Work:
    """One call in its thread."""

    function: Callable[[], Any]
    name: str
    done: int = 0
    total: int | None = None
    cancelled: bool = False
    value: Any = None
    error: SteelyardError | None = field(default_factory=lambda: SystemFailure(Message("pipelines.call_cancelled")))

    def on_progress(self, done: int, total: int | None) -> None:
        """Store the progress of the tool, and stop the tool if the call is cancelled."""
        if self.cancelled:
            raise CallCancelled
        self.done, self.total = done, total

    def run(self) -> None:
        try:
            with callbacks(on_progress=self.on_progress):
                self.value = self.function()
            self.error = None
        except CallCancelled:
            pass
        except SteelyardError as error:
            self.error = error.with_traceback(None)  # its frames refer to this object: a cycle that holds the arguments
        except BaseException as error:  # a bug of a tool is reported to the caller, and the server goes on
            logging.getLogger(__name__).exception("%s failed", self.name)
            self.error = SystemFailure(f"{type(error).__name__}: {error}")

    def result(self) -> Any:
        """The result of the tool; raise its error. To be called once."""
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
            return self.value
        finally:
            del error  # its traceback refers to this frame

    def progress_text(self, seconds: int) -> str:
        """The progress of the tool, or the seconds so far if it does not report progress."""
        return f"{self.name}: {self.done} of {self.total}" if self.total else f"{self.name}: at work for {seconds} s"


@dataclass(slots=True)
class CallRunner:
    """Runs the calls of one server: `max_calls` at once, `max_waiting` more in the queue, each within `timeout`."""

    timeout: float = CALL_SECONDS
    max_calls: int = MAX_CALLS
    max_waiting: int = MAX_WAITING
    _slots: "CapacityLimiter | None" = None
    _ending: "Event | None" = None

    async def run(self, name: str, function: Callable[[], Any], request: Request) -> Any:
        """The result of a function that runs in a thread; progress is sent to the client every second."""
        import anyio

        work, slots = _Work(function, name), self._open_slots()
        if slots.statistics().tasks_waiting >= self.max_waiting:
            message = Message("pipelines.server_busy", max_calls=self.max_calls, max_waiting=self.max_waiting)
            raise SystemFailure(message, hint=BUSY_HINT)
        try:
            with anyio.fail_after(self.timeout):
                async with anyio.create_task_group() as group:
                    group.start_soon(self._watch, request, group.cancel_scope)
                    await slots.acquire_on_behalf_of(work)
                    group.start_soon(_send_progress, work, request)
                    await _run_in_thread(work, partial(slots.release_on_behalf_of, work))
                    group.cancel_scope.cancel()
        except TimeoutError:
            message = Message("pipelines.call_timeout", name=name, seconds=self.timeout)
            raise SystemFailure(message, hint=TIME_HINT) from None
        finally:
            work.cancelled = True
        return work.result()

    def end(self) -> None:
        """Cancel every call: the server is shutting down."""
        if self._ending is not None:
            self._ending.set()

    def _open_slots(self) -> "CapacityLimiter":
        """The slots; the first call creates them in the event loop that they belong to."""
        import anyio

        if self._slots is None:
            self._slots, self._ending = anyio.CapacityLimiter(self.max_calls), anyio.Event()
        return self._slots

    async def _watch(self, request: Request, scope: "CancelScope") -> None:
        """Cancel a call when its client has left, or when the server is shutting down."""
        import anyio

        async def cancel_after(event: "Event") -> None:
            await event.wait()
            scope.cancel()

        async with anyio.create_task_group() as group:
            for event in (self._ending, request.scope.get(CLIENT_LEFT)):
                if event is not None:
                    group.start_soon(cancel_after, event)


async def _run_in_thread(work: _Work, release: Callable[[], None]) -> None:
    """Run a call in a daemon thread, and release its slot when the thread is done."""
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


async def _send_progress(work: _Work, request: Request) -> None:
    """Send the progress of a call every second; MCP requires the number to increase."""
    import anyio

    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        for seconds in count(1):
            await anyio.sleep(PROGRESS_SECONDS)
            await request.progress(seconds * PROGRESS_SECONDS, work.progress_text(seconds))
