"""The MCP client: servers in other processes or on other machines, started together and ended together."""

import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TextIO, cast

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from steelyard.errors import SystemFailure, cut
from steelyard.i18n import Message
from steelyard.net.secrets import public_address
from steelyard.pipelines.protocol import (
    ConnectionClosed,
    Session,
    check_library,
    connected,
    error_data,
    error_from_json,
    error_text,
    http_transport,
    invalid_line,
    is_closed,
    notices_from_json,
    stdio_transport,
    transport_errors,
)
from steelyard.pipelines.server import NoticeCallback, ToolKind

START_SECONDS = 60.0
CALL_SECONDS = 600.0
STDERR_TAIL = 2000
"""Characters at the end of standard error in which the last line is looked for."""
START = "start"
PURPOSE = Message("words.isolated_servers")
RUN_BY_HAND_HINT = Message("pipelines.run_by_hand")
TIMEOUT_HINT = Message("pipelines.raise_timeout")
UNREACHABLE_HINT = Message("pipelines.server_unreachable_hint")
TOKEN_HINT = Message("pipelines.token_in_headers")
UNAUTHORIZED = (401, 403)
STDOUT_HINT = Message("pipelines.stdout_only_messages")


class PromptText(str):
    """A text that a prompt has returned; it is sent to a server as a message."""

    __slots__ = ()


class StartFailure(SystemFailure):
    """A server that could not be started or reached; `server` is its name in the pipeline."""

    server: str = ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a server: the command that starts it, or its address with the headers of a request.

    `where` is the line of the pipeline that names the server.
    """

    name: str
    where: str
    command: tuple[str, ...] = ()
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Connection:
    """The connection to one server: its session, its standard error, and the state of both."""

    endpoint: Endpoint
    errors: TextIO
    session: Session | None = None
    close_requested: Any = None
    closed: Any = None
    ready: "Future[None]" = field(default_factory=Future)
    stray_output: str = ""
    has_warned: bool = False
    refused_status: int | None = None  # the HTTP status of the last request that was refused
    failure: Exception | None = None

    async def on_message(self, message: Any) -> None:
        """Keep the first line on standard output that is not a message, for a warning."""
        self.stray_output = self.stray_output or invalid_line(message).strip()


class ServerPool:
    """The servers of a run outside this process; `notify` is called with notices and warnings."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        timeout: float = CALL_SECONDS,
        notify: NoticeCallback = lambda notice: None,
    ) -> None:
        self.environment = dict(environment)
        self._timeout = timeout
        self._notify = notify
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._connections: dict[str, _Connection] = {}

    def __enter__(self) -> "ServerPool":
        return self

    def __exit__(self, *exception: Any) -> None:
        """End all servers; after an error or an interrupt, without waiting for those that are still starting."""
        for connection in self._connections.values():
            if connection.session is not None and self._portal is not None:
                self._portal.call(connection.close_requested.set)
        self._stack.__exit__(*exception)

    def start(self, endpoints: Iterable[Endpoint]) -> None:
        """Start the servers that do not run yet, all at once; raise the error of the first that fails."""
        new = [endpoint for endpoint in endpoints if endpoint.name not in self._connections]
        if not new:
            return
        portal = self._open_portal()
        for endpoint in new:
            connection = self._connections[endpoint.name] = self._new_connection(endpoint)
            portal.start_task_soon(_keep_open, connection, self.environment, min(START_SECONDS, self._timeout))
        wait([self._connections[endpoint.name].ready for endpoint in new])
        for endpoint in new:
            with _translated_errors(self._connections[endpoint.name], START):
                self._connections[endpoint.name].ready.result()

    def caller(self, name: str) -> Callable[[ToolKind, str], Callable[..., Any]]:
        """Return a factory of functions that call a tool or a prompt of a server."""

        def make_function(kind: ToolKind, tool: str) -> Callable[..., Any]:
            call = self.get_prompt if kind == "prompt" else self.call_tool
            return lambda **arguments: call(name, tool, arguments)

        return make_function

    def call_tool(self, name: str, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a tool: the JSON object in the first text of its answer; None if there is no text."""
        sent = {argument: _to_json(value) for argument, value in arguments.items()}
        answer = self._request(name, tool, "tools/call", {"name": tool, "arguments": sent})
        texts = _texts(answer.get("content"))
        if answer.get("isError"):
            raise error_from_json(answer.get("_meta")) or _foreign_failure(texts)
        for notice in notices_from_json(answer.get("_meta")):
            self._notify(notice)
        if not texts:
            return answer.get("structuredContent")
        try:
            return json.loads(texts[0])
        except (ValueError, RecursionError):
            raise SystemFailure(Message("pipelines.answer_not_json", text=cut(texts[0]))) from None

    def get_prompt(self, name: str, prompt: str, arguments: Mapping[str, Any]) -> list[PromptText]:
        """Return the texts of a prompt; MCP requires its arguments to be texts, so other values are sent as JSON."""
        sent = {argument: _to_text(_to_json(value)) for argument, value in arguments.items() if value is not None}
        answer = self._request(name, prompt, "prompts/get", {"name": prompt, "arguments": sent})
        messages = answer.get("messages")
        contents = [message.get("content") for message in messages or () if isinstance(message, dict)]
        return [PromptText(text) for text in _texts(contents)]

    def list_tools(self, name: str) -> list[dict[str, Any]]:
        """Return the tools that a server lists, including fields that the protocol does not define."""
        return self._all_pages(name, "tools")

    def list_prompts(self, name: str) -> list[dict[str, Any]]:
        """Return the prompts that a server lists; empty if it does not support prompts."""
        session = self._connections[name].session
        return self._all_pages(name, "prompts") if session is not None and "prompts" in session.capabilities else []

    def _all_pages(self, name: str, listed: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self._request(name, f"{listed}/list", f"{listed}/list", cursor)
            entries += page[listed]
            if not page.get("nextCursor"):
                return entries
            cursor = {"cursor": page["nextCursor"]}

    def _open_portal(self) -> BlockingPortal:
        if self._portal is None:
            check_library(PURPOSE)
            logging.getLogger("mcp").addHandler(logging.NullHandler())
            self._portal = self._stack.enter_context(start_blocking_portal())
        return self._portal

    def _new_connection(self, endpoint: Endpoint) -> _Connection:
        file = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed with the pool
        return _Connection(endpoint, cast(TextIO, self._stack.enter_context(file)))

    def _request(self, name: str, call: str, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the answer; warn once if the server prints to its standard output."""
        connection = self._connections[name]
        with _translated_errors(connection, call):
            answer: dict[str, Any] = self._open_portal().call(
                _send_request, connection, method, parameters, self._timeout
            )
        if connection.stray_output and not connection.has_warned:
            connection.has_warned = True
            line = cut(connection.stray_output)
            self._notify(Message("pipelines.stray_output_ignored", name=name, line=line, hint=STDOUT_HINT))
        return answer


async def _send_request(
    connection: _Connection, method: str, parameters: Mapping[str, Any], timeout: float
) -> dict[str, Any]:
    """Return the result of a request; raise an error if the connection breaks, which the library does not always do."""
    answer: dict[str, Any] | None = None
    with anyio.fail_after(timeout):
        async with anyio.create_task_group() as group:

            async def cancel_when_closed() -> None:
                await connection.closed.wait()
                group.cancel_scope.cancel()

            group.start_soon(cancel_when_closed)
            if connection.session is not None and connection.failure is None:
                answer = await connection.session.request(method, parameters)
            group.cancel_scope.cancel()
    if answer is None:
        raise connection.failure or ConnectionClosed
    return answer


async def _keep_open(connection: _Connection, environment: Mapping[str, str], timeout: float) -> None:
    """Connect to a server and keep the session open; a connection error is raised in the thread that waits."""
    connection.close_requested, connection.closed = anyio.Event(), anyio.Event()
    try:
        with anyio.fail_after(timeout) as scope:
            async with connected(_transport(connection, environment), connection.on_message) as connection.session:
                scope.deadline = float("inf")
                connection.ready.set_result(None)
                await connection.close_requested.wait()
    except Exception as error:  # of any type: it is raised where the server is waited for, or at the next request
        connection.failure = error
        connection.closed.set()
        if not connection.ready.done():
            connection.session = None
            connection.ready.set_exception(error)


def _transport(connection: _Connection, environment: Mapping[str, str]) -> Any:
    endpoint = connection.endpoint
    if not endpoint.address:
        return stdio_transport(endpoint.command, environment, connection.errors)

    async def on_response(response: Any) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            connection.errors.write(f"HTTP {response.status_code} {response.reason_phrase}\n")
            connection.refused_status = response.status_code

    return http_transport(endpoint.address, endpoint.headers, START_SECONDS, on_response)


@contextmanager
def _translated_errors(connection: _Connection, call: str) -> Iterator[None]:
    """Turn errors of the transport into a SystemFailure with the last line that the server printed."""
    try:
        yield
    except transport_errors() as error:
        cause = _first_cause(error)
        if call != START:  # the caller knows the location of the step
            raise error_from_json(error_data(cause)) or _failure(connection, call, cause) from None
        failure = _failure(connection, call, cause)
        started = StartFailure(failure.message, where=connection.endpoint.where, hint=failure.hint)
        started.server = connection.endpoint.name
        raise started from None


def _first_cause(error: BaseException) -> BaseException:
    """Return the first error in a group of errors."""
    return _first_cause(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _failure(connection: _Connection, call: str, error: BaseException) -> SystemFailure:
    """Return the error of a failed request, with a hint."""
    name, endpoint = connection.endpoint.name, connection.endpoint
    if isinstance(error, TimeoutError) and connection.stray_output:
        line = cut(connection.stray_output)
        message = Message("pipelines.stray_output_no_answer", name=name, line=line, call=call)
        return SystemFailure(message, hint=STDOUT_HINT)
    if isinstance(error, TimeoutError):
        return SystemFailure(Message("pipelines.server_timeout", name=name, call=call), hint=TIMEOUT_HINT)
    if is_closed(error):
        message = Message("pipelines.server_ended", name=name, call=call, reason=_last_error_line(connection))
        return SystemFailure(message, hint=RUN_BY_HAND_HINT)
    if connection.refused_status is not None:
        hint = TOKEN_HINT if connection.refused_status in UNAUTHORIZED else None
        message = Message("pipelines.server_failed", name=name, call=call, reason=_last_error_line(connection))
        return SystemFailure(message, hint=hint)
    reason = cut(error_text(error))
    if call == START and endpoint.address and _is_unreachable(error):
        address = public_address(endpoint.address)
        message = Message("pipelines.server_unreachable", name=name, address=address, reason=reason)
        return SystemFailure(message, hint=UNREACHABLE_HINT)
    return SystemFailure(Message("pipelines.server_failed", name=name, call=call, reason=reason))


def _foreign_failure(texts: list[str]) -> SystemFailure:
    return SystemFailure(texts[0] if texts else Message("pipelines.server_reported_failure"))


def _is_unreachable(error: BaseException) -> bool:
    """Return whether no connection was made; the HTTP library of mcp 1 is httpx, that of mcp 2 is its successor."""
    return isinstance(error, ConnectionError) or type(error).__name__ in ("ConnectError", "ConnectTimeout")


def _last_error_line(connection: _Connection) -> Message | str:
    """Return the last line that a server printed to standard error."""
    connection.errors.flush()
    connection.errors.seek(0)
    lines = [line.strip() for line in connection.errors.read()[-STDERR_TAIL:].splitlines() if line.strip()]
    return cut(lines[-1]) if lines else Message("pipelines.no_error_output")


def _texts(contents: Any) -> list[str]:
    """Return the texts among the contents of an answer."""
    blocks = [block for block in contents if isinstance(block, dict)] if isinstance(contents, list) else []
    return [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]


def _to_json(value: Any) -> Any:
    """Return a value as JSON; texts of prompts become messages."""
    if isinstance(value, PromptText):
        return {"role": "user", "content": {"type": "text", "text": str(value)}}
    return [_to_json(entry) for entry in value] if isinstance(value, list) else value


def _to_text(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
