"""The MCP server: one of our servers over standard input and output, or over streamable HTTP.

Calls run in threads: a limited number at once, each with a time limit, cancelled when its client has left. A thread
cannot be stopped from outside: a cancelled call stops the next time its tool reports progress, and only then is its
slot free. A tool that never reports progress keeps its slot until it is done.
"""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, TextIO

import anyio

from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName, nearest_only
from steelyard.i18n import Message
from steelyard.pipelines.http_limits import CLIENT_LEFT, Limits
from steelyard.pipelines.manifest import write_manifest
from steelyard.pipelines.protocol import (
    Handlers,
    ProtocolError,
    Request,
    check_library,
    error_to_json,
    make_server,
    notices_to_json,
    run_stdio,
)
from steelyard.pipelines.server import (
    Notice,
    Server,
    Tool,
    ToolKind,
    accepts_null,
    accepts_only_text,
    callbacks,
    input_schema,
    matches_type,
    type_name,
)

CALL_SECONDS = 600.0
MAX_CALLS = 16
MAX_WAITING = 256
PROGRESS_SECONDS = 1.0

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
        """Return the result of the tool; raise its error. To be called once."""
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
            return self.value
        finally:
            del error  # its traceback refers to this frame

    def progress_text(self, seconds: int) -> str:
        """Return the progress of the tool, or the seconds so far if it does not report progress."""
        return f"{self.name}: {self.done} of {self.total}" if self.total else f"{self.name}: at work for {seconds} s"


@dataclass(slots=True)
class CallRunner:
    """Runs the calls of one server: `max_calls` at once, `max_waiting` more in the queue, each within `timeout`."""

    timeout: float = CALL_SECONDS
    max_calls: int = MAX_CALLS
    max_waiting: int = MAX_WAITING
    _slots: anyio.CapacityLimiter | None = None
    _ending: anyio.Event | None = None

    async def run(self, name: str, function: Callable[[], Any], request: Request) -> Any:
        """Return the result of a function that runs in a thread; progress is sent to the client every second."""
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

    def _open_slots(self) -> anyio.CapacityLimiter:
        """Return the slots; the first call creates them in the event loop that they belong to."""
        if self._slots is None:
            self._slots, self._ending = anyio.CapacityLimiter(self.max_calls), anyio.Event()
        return self._slots

    async def _watch(self, request: Request, scope: anyio.CancelScope) -> None:
        """Cancel a call when its client has left, or when the server is shutting down."""

        async def cancel_after(event: anyio.Event) -> None:
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
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        for seconds in count(1):
            await anyio.sleep(PROGRESS_SECONDS)
            await request.progress(seconds * PROGRESS_SECONDS, work.progress_text(seconds))


PURPOSE = Message("words.using_mcp")
_KIND_NAMES: Mapping[ToolKind, Message] = {"tool": Message("words.tool"), "prompt": Message("words.prompt")}
BUILD_SCHEMA = {
    "type": "object",
    "properties": {"parameter_file": {"type": "string", "description": "the server's parameter.yaml"}},
    "required": ["parameter_file"],
}
BUILD_DESCRIPTION = "Write server.yaml beside the parameter file: what each tool takes and gives."


def serve_stdio(server: Server, calls: CallRunner | None = None) -> None:
    """Serve on standard input and output until the input ends."""
    check_library(PURPOSE)
    with _standard_streams() as (source, target):
        mcp_server = make_mcp_server(server, calls or CallRunner())
        anyio.run(run_stdio, mcp_server, anyio.wrap_file(source), anyio.wrap_file(target))


def serve_http(  # noqa: PLR0917 - the server, its address, its token and its limits
    server: Server,
    host: str,
    port: int,
    token: str | None,
    on_start: Callable[[str], None],
    limits: Limits | None = None,
    calls: CallRunner | None = None,
) -> None:
    """Serve on http://host:port/mcp until interrupted; with a token, only requests that carry it."""
    check_library(PURPOSE)
    from steelyard.pipelines.http_server import listen

    calls = calls or CallRunner()
    listen(make_mcp_server(server, calls), host, port, token, on_start, limits or Limits(), calls)


def make_mcp_server(server: Server, calls: CallRunner) -> Any:
    """Return the server object of the MCP library, with the tools and prompts of a server."""
    import steelyard

    handlers = Handlers(
        partial(_list_tools, server),
        partial(_list_prompts, server),
        partial(_call_tool, server, calls),
        partial(_get_prompt, server, calls),
    )
    return make_server(server.name, steelyard.__version__, server.about, handlers)


@contextmanager
def _standard_streams() -> Iterator[tuple[TextIO, TextIO]]:
    """Reserve the standard streams for messages: tools print to standard error, and their standard input is empty."""
    sys.stdout.flush()
    read, write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2 if _is_open(2) else nothing, 1)
    os.close(nothing)
    try:
        # the threads that read and write may still run afterwards, so the descriptors stay open
        yield (
            open(read, encoding="utf-8", errors="replace", closefd=False),  # noqa: SIM115
            open(write, "w", encoding="utf-8", closefd=False),  # noqa: SIM115
        )
    finally:
        sys.stdout.flush()
        os.dup2(read, 0)
        os.dup2(write, 1)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _list_tools(server: Server) -> Mapping[str, Any]:
    build = {"name": "build", "description": BUILD_DESCRIPTION, "inputSchema": BUILD_SCHEMA}
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": input_schema(tool),
            "annotations": {"output": tool.annotation},
            "_meta": {"output": tool.annotation},
        }
        for tool in server.tools.values()
        if tool.kind == "tool"
    ]
    return {"tools": [build, *tools]}


async def _call_tool(
    server: Server, calls: CallRunner, name: str, arguments: Mapping[str, Any], request: Request
) -> Mapping[str, Any]:
    """Return the result of a tool as one JSON object, as text and as structured content, or its error."""

    def work() -> Mapping[str, Any]:
        if name == "build":
            write_manifest(server, arguments)
            return {"content": [], "structuredContent": {"result": None}, "isError": False}
        notices: list[Notice] = []
        with callbacks(on_notice=notices.append):
            result = _checked_tool(server, name, "tool", arguments).function(**arguments)
        structured = result if isinstance(result, Mapping) else {"result": result}
        content = [{"type": "text", "text": json.dumps(structured, ensure_ascii=False)}]
        meta = {"_meta": notices_to_json(notices)} if notices else {}
        return {"content": content, "structuredContent": dict(structured), "isError": False, **meta}

    try:
        answer: Mapping[str, Any] = await calls.run(name, work, request)
    except SteelyardError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True, "_meta": error_to_json(error)}
    return answer


def _list_prompts(server: Server) -> Mapping[str, Any]:
    prompts = [
        {"name": tool.name, "description": tool.description, "arguments": _prompt_arguments(tool)}
        for tool in server.tools.values()
        if tool.kind == "prompt"
    ]
    return {"prompts": prompts}


def _prompt_arguments(tool: Tool) -> list[dict[str, Any]]:
    schema = input_schema(tool)
    return [
        {"name": name, "description": argument.get("description"), "required": name in schema["required"]}
        for name, argument in schema["properties"].items()
    ]


async def _get_prompt(
    server: Server, calls: CallRunner, name: str, texts: Mapping[str, str], request: Request
) -> Mapping[str, Any]:
    """Return the texts of a prompt, as messages of the user."""

    def work() -> Any:
        arguments = _parse_arguments(server, name, texts)
        return _checked_tool(server, name, "prompt", arguments).function(**arguments)

    try:
        result = await calls.run(name, work, request)
        if not isinstance(result, list) or not all(isinstance(text, str) for text in result):
            raise SystemFailure(Message("pipelines.result_no_texts", name=name))
    except SteelyardError as error:
        raise ProtocolError(str(error), error_to_json(error)) from None
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}} for text in result]}


def _parse_arguments(server: Server, prompt: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of a prompt, which MCP sends as texts: JSON unless the argument is a text.

    `null` is None if the argument accepts it, because the client of fastmcp, which UltraRAG uses, sends it so.
    """
    known = input_schema(server.tools[prompt])["properties"] if prompt in server.tools else {}
    return {name: _parse_argument(text, known.get(name, {})) for name, text in texts.items()}


def _parse_argument(text: str, schema: Mapping[str, Any]) -> Any:
    if text == "null" and accepts_null(schema):
        return None
    if accepts_only_text(schema):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _checked_tool(server: Server, name: str, kind: ToolKind, arguments: Mapping[str, Any]) -> Tool:
    """Return the tool of that name; raise an error if the arguments do not match its schema."""
    tools = {tool.name: tool for tool in server.tools.values() if tool.kind == kind}
    if name not in tools:
        raise UnknownName.of(_KIND_NAMES[kind], name, tools)
    schema = input_schema(tools[name])
    required = ", ".join(schema["required"]) or Message("words.none")
    hint = Message("pipelines.tool_arguments", names=", ".join(schema["properties"]), required=required)
    for argument in arguments.keys() - schema["properties"].keys():
        message = Message("pipelines.unknown_argument", name=name, argument=_shorten(repr(argument)))
        raise ConfigError(message, hint=nearest_only(argument, schema["properties"]) or hint)
    for argument in schema["required"]:
        if argument not in arguments:
            raise ConfigError(f"{argument!r} is a required property", where=name, hint=hint)
    for argument, value in arguments.items():
        if not matches_type(value, tools[name], argument):
            expected, shown = type_name(tools[name], argument), _shorten(repr(value))
            message = Message("pipelines.argument_type", argument=argument, expected=expected, value=shown)
            raise ConfigError(message, where=name, hint=hint, parameter=argument)
    return tools[name]


def _shorten(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:150]} … {text[-140:]}"
