"""The MCP library in its major versions 1 and 2: every difference between the two is handled in this module.

Messages are plain dictionaries with the field names of the protocol (`inputSchema`, `isError`), which both versions
read. The versions differ in their import paths, in how handlers are registered, and in the HTTP client.

An answer of MCP holds text for any client. Our servers add to `_meta` (of a prompt: to `data` of the error) the notices
and the error as codes with arguments, so that our client has them in any language. Other clients read the text.
"""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TextIO

from anyio import BrokenResourceError, ClosedResourceError

from steelyard.errors import ConfigError, MissingExtra, Problem, SteelyardError, SystemFailure, cut
from steelyard.i18n import Localized, Message, as_message, from_json, to_json
from steelyard.pipelines.server import Notice

REQUIREMENT = "mcp>=1.30,<3"
OLDEST, NEWEST = (1, 30), (2, 999)
INSTALL_HINT = Message("pipelines.mcp_install", requirement=REQUIREMENT)


def check_library(purpose: Message) -> None:
    """Raise an error with the install command if the MCP library is missing or of an unsupported version."""
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        if error.name not in ("mcp", None):
            raise ConfigError(Message("pipelines.mcp_import_failed", error=error), hint=INSTALL_HINT) from None
        raise MissingExtra.of("mcp", "mcp", purpose=purpose) from None
    if not OLDEST <= _version() <= NEWEST:
        installed = ".".join(map(str, _version()))
        raise ConfigError(
            Message("pipelines.mcp_version", purpose=purpose, requirement=REQUIREMENT, installed=installed),
            hint=INSTALL_HINT,
        )


@cache
def _version() -> tuple[int, ...]:
    from importlib.metadata import version

    return tuple(int(part) for part in version("mcp").split(".")[:2] if part.isdigit())


def _is_version_2() -> bool:
    return _version() >= (2,)


# --- servers ---


class ProtocolError(Exception):
    """An error response of the protocol, with `data` for our own client; the only way for a prompt to fail."""

    def __init__(self, message: str, data: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    """One request: the library's context of it, through which progress is reported to the client."""

    context: Any

    async def progress(self, done: float, message: str) -> None:
        """Report progress to the client, if it has asked for it."""
        session, meta = self.context.session, self.context.meta
        if _is_version_2():
            await session.report_progress(done, None, message)
        elif meta is not None and meta.progressToken is not None:
            related = str(self.context.request_id)
            await session.send_progress_notification(meta.progressToken, done, None, message, related)

    @property
    def scope(self) -> Mapping[str, Any]:
        """The ASGI scope of the HTTP request; empty over standard input."""
        request = getattr(self.context, "request", None)
        return request.scope if request is not None else {}


@dataclass(frozen=True, slots=True)
class Handlers:
    """The functions that answer the four requests of a server: two lists, and two calls with name and arguments."""

    list_tools: Callable[[], Mapping[str, Any]]
    list_prompts: Callable[[], Mapping[str, Any]]
    call_tool: Callable[[str, Mapping[str, Any], Request], Awaitable[Mapping[str, Any]]]
    get_prompt: Callable[[str, Mapping[str, Any], Request], Awaitable[Mapping[str, Any]]]


_RESULTS: Final = {
    "list_tools": "ListToolsResult",
    "list_prompts": "ListPromptsResult",
    "call_tool": "CallToolResult",
    "get_prompt": "GetPromptResult",
}
"""The fields of `Handlers` with the types of their results."""


def make_server(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    """Return the server object of the library."""
    return (_server_2 if _is_version_2() else _server_1)(name, version, about, handlers)


async def _answer(handlers: Handlers, method: str, parameters: Any, context: Any) -> Any:
    from mcp import types

    handler = getattr(handlers, method)
    is_list = method.startswith("list_")
    fields = handler() if is_list else await handler(parameters.name, parameters.arguments or {}, Request(context))
    return getattr(types, _RESULTS[method]).model_validate(fields)


def _server_2(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    from mcp import MCPError, types
    from mcp.server.lowlevel import Server

    def handler(method: str) -> Callable[[Any, Any], Awaitable[Any]]:
        async def answer(context: Any, parameters: Any) -> Any:
            try:
                return await _answer(handlers, method, parameters, context)
            except ProtocolError as error:
                raise MCPError(types.INVALID_PARAMS, str(error), dict(error.data)) from None

        return answer

    given: dict[str, Any] = {f"on_{method}": handler(method) for method in _RESULTS}
    server: Any = Server(name, version=version, instructions=about, **given)
    server.middleware.append(_annotate)
    return server


async def _annotate(context: Any, call_next: Any) -> Any:
    """Add to listed tools the annotation that UltraRAG's clients read: the library drops fields it does not know."""
    result = await call_next(context)
    for tool in result.get("tools", ()) if context.method == "tools/list" and isinstance(result, dict) else ():
        if "output" in (tool.get("_meta") or {}):
            tool["annotations"] = {**(tool.get("annotations") or {}), "output": tool["_meta"]["output"]}
    return result


def _server_1(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared import exceptions

    library: Any = types
    server: Any = Server(name, version=version, instructions=about)

    def handler(method: str) -> Callable[[Any], Awaitable[Any]]:
        async def answer(request: Any) -> Any:
            try:
                return library.ServerResult(await _answer(handlers, method, request.params, server.request_context))
            except ProtocolError as error:
                problem = library.ErrorData(code=library.INVALID_PARAMS, message=str(error), data=dict(error.data))
                raise getattr(exceptions, "McpError")(problem) from None  # noqa: B009 - a name of version 1 only

        return answer

    for method, result in _RESULTS.items():
        server.request_handlers[getattr(library, result.replace("Result", "Request"))] = handler(method)
    return server


async def run_stdio(server: Any, source: Any, target: Any) -> None:
    """Serve over two text streams (see anyio.wrap_file) until the input ends."""
    from mcp.server.stdio import stdio_server

    async with stdio_server(source, target) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_manager(server: Any, *, max_body: int, max_sessions: int, session_timeout: float) -> Any:
    """Return the session manager of the library; `handle_request` is an ASGI application while `run()` is open."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    logging.getLogger("mcp.server.streamable_http").addFilter(_is_not_a_disconnect)  # a filter is added once only
    return StreamableHTTPSessionManager(
        server, max_request_body_size=max_body, max_sessions=max_sessions, session_idle_timeout=session_timeout
    )


def _is_not_a_disconnect(record: logging.LogRecord) -> bool:
    """Reject the traceback that mcp 1 logs when a client ends its session and the streams are closed."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, BrokenResourceError | ClosedResourceError)


# --- clients ---


@dataclass(frozen=True, slots=True)
class Session:
    """A session with a server; requests and results are dictionaries."""

    library: Any
    capabilities: Mapping[str, Any]

    async def request(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its result, including fields that the library does not know."""
        from mcp import types
        from pydantic import RootModel

        request: Any = types.Request[dict[str, Any], str](method=method, params=dict(parameters))
        result: dict[str, Any] = (await self.library.send_request(request, RootModel[dict[str, Any]])).root
        return result


@asynccontextmanager
async def connected(transport: Any, on_message: Any) -> AsyncIterator[Session]:
    """Open a session over a transport; `on_message` gets a line that is not a valid message as an exception."""
    from mcp import ClientSession

    async with transport as streams, ClientSession(streams[0], streams[1], message_handler=on_message) as session:
        answer: Any = await session.initialize()
        yield Session(session, answer.capabilities.model_dump(by_alias=True, exclude_none=True))


def stdio_transport(command: tuple[str, ...], environment: Mapping[str, str], errors: TextIO) -> Any:
    """Return the transport over standard input and output of a program, which is started."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    program, *arguments = command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(environment))
    return stdio_client(parameters, errlog=errors)


@asynccontextmanager
async def http_transport(
    address: str, headers: Mapping[str, str], timeout: float, on_response: Callable[[Any], Awaitable[None]]
) -> AsyncIterator[Any]:
    """Open the transport over streamable HTTP, without a limit on the size or time of an answer.

    `on_response` is called with every response.
    """
    from mcp.client.streamable_http import streamable_http_client

    http: Any = http_library()
    settings: dict[str, Any] = {"timeout": http.Timeout(timeout, read=None), "event_hooks": {"response": [on_response]}}
    more: dict[str, Any] = {"max_sse_event_size": None} if _is_version_2() else {}
    async with (
        http.AsyncClient(headers=dict(headers), **settings) as client,
        streamable_http_client(address, http_client=client, **more) as streams,
    ):
        yield streams


def http_library() -> Any:
    """Return the HTTP client that the library uses."""
    if _is_version_2():
        import httpx2

        return httpx2
    import httpx

    return httpx


def transport_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions that a request can raise on the way to a server."""
    from mcp.shared import exceptions
    from pydantic import ValidationError

    name = "MCPError" if _is_version_2() else "McpError"
    http = http_library()
    lost = (BrokenResourceError, ClosedResourceError, http.HTTPError, http.InvalidURL, RuntimeError)
    return (getattr(exceptions, name), TimeoutError, OSError, ValidationError, ExceptionGroup, *lost)


class ConnectionClosed(ConnectionError):
    """The server has closed the connection."""


def is_closed(error: BaseException) -> bool:
    """Return whether an error says that the connection was closed."""
    from mcp import types

    if isinstance(error, ConnectionClosed | BrokenResourceError | ClosedResourceError):
        return True
    # the code alone does not tell: JSON-RPC leaves it to servers, too, for errors of their own
    details = getattr(error, "error", None)
    code, text = getattr(details, "code", None), getattr(details, "message", None)
    return code == types.CONNECTION_CLOSED and text == "Connection closed"


def error_text(error: BaseException) -> str:
    """Return the text of an error."""
    text = getattr(getattr(error, "error", error), "message", None)
    return text if isinstance(text, str) else str(error)


def error_data(error: BaseException) -> Any:
    """Return the data of an error response; None if there is none."""
    return getattr(getattr(error, "error", None), "data", None)


def invalid_line(message: Any) -> str:
    """Return the line that is not a message of MCP, from the exception about it; empty if there is none."""
    errors = getattr(message, "errors", None)
    if not isinstance(message, Exception) or not callable(errors):
        return ""
    line = errors()[0].get("input")
    return line if isinstance(line, str) else json.dumps(line, ensure_ascii=False, default=str)


NOTICES: Final = "steelyard/notices"
ERROR: Final = "steelyard/error"
MAX_NOTICE: Final = 2000
"""Characters of a foreign notice that are kept."""


def notices_to_json(notices: Iterable[Notice]) -> dict[str, Any]:
    """Return the notices as a field of `_meta`; nothing if there are none."""
    entries = [{"text": str(notice), "message": to_json(notice)} for notice in notices]
    return {NOTICES: entries} if entries else {}


def notices_from_json(meta: object) -> list[Notice]:
    """Return the notices in `_meta` of an answer."""
    entries = meta.get(NOTICES) if isinstance(meta, Mapping) else None
    notices = (_notice(entry) for entry in entries) if isinstance(entries, list) else ()
    return [notice for notice in notices if notice is not None]


def error_to_json(error: SteelyardError) -> dict[str, Any]:
    """Return an error as a field of `_meta`."""
    problems = [[problem.where, to_json(problem.message)] for problem in error.problems]
    hint = None if error.hint is None else to_json(error.hint)
    return {ERROR: {"problems": problems, "hint": hint, "parameter": error.parameter}}


def error_from_json(meta: object) -> SystemFailure | None:
    """Return the error in `_meta` of an answer; None if there is none, or if it cannot be read."""
    fields = meta.get(ERROR) if isinstance(meta, Mapping) else None
    if not isinstance(fields, Mapping):
        return None
    entries = fields.get("problems")
    problems = [_problem(entry) for entry in entries] if isinstance(entries, list) else []
    known = [problem for problem in problems if problem is not None]
    if not known or len(known) < len(problems):
        return None
    parameter = fields.get("parameter")
    return SystemFailure(
        known[0].message,
        where=known[0].where or None,
        hint=from_json(fields.get("hint")),
        problems=known,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def _notice(entry: object) -> Notice | None:
    text = entry.get("text") if isinstance(entry, Mapping) else entry  # an older server sends text alone
    message = from_json(entry.get("message")) if isinstance(entry, Mapping) else None
    if message is not None:
        return message
    return cut(text, MAX_NOTICE) if isinstance(text, str) else None


def _problem(entry: object) -> Problem | None:
    match entry:
        case [str(where), message]:
            localized = from_json(message)
            return None if localized is None else Problem(where, _as_one_message(localized))
    return None


def _as_one_message(localized: Localized) -> Message:
    return localized if isinstance(localized, Message) else as_message(str(localized))
