"""The MCP library, major versions 1 and 2 alike: every difference between the two is in this file.

Messages are plain dictionaries with the names that the protocol itself uses (`inputSchema`, `isError`), which both
majors read. What is left to hide: where things are imported from, how handlers are registered, and the HTTP client.
"""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TextIO

from steelyard.errors import ConfigError, MissingExtra
from steelyard.i18n import Message

NEEDED = "mcp>=1.30,<3"
OLDEST, NEWEST = (1, 30), (2, 999)
UNFIT_HINT = Message("pipelines.pip_install_steelyard_mcp_both")
CLOSED = "Connection closed"  # how the library says that the other end is gone


def check_library(purpose: Message) -> None:
    """Raise the error that says what to install where the MCP library is missing or of an unknown version."""
    try:
        import mcp  # noqa: F401
    except ImportError as error:
        if error.name not in ("mcp", None):
            raise ConfigError(Message("pipelines.package_mcp_cannot_imported", error=error), hint=UNFIT_HINT) from None
        raise MissingExtra.of("mcp", "mcp", purpose=purpose) from None
    if not OLDEST <= _version() <= NEWEST:
        found = ".".join(map(str, _version()))
        raise ConfigError(
            Message("pipelines.needs_mcp_installed", purpose=purpose, needed=NEEDED, found=found), hint=UNFIT_HINT
        )


@cache
def _version() -> tuple[int, ...]:
    from importlib.metadata import version

    return tuple(int(part) for part in version("mcp").split(".")[:2] if part.isdigit())


def _second() -> bool:
    return _version() >= (2,)


# --- a server ---


class Refusal(Exception):
    """An error of the protocol: a prompt, unlike a tool, has no other way to say that it failed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: the library's context of it, through which the client hears how far the work is."""

    context: Any

    async def progress(self, done: float, message: str) -> None:
        """Tell the client, if it asked to be told."""
        session, meta = self.context.session, self.context.meta
        if _second():
            await session.report_progress(done, None, message)
        elif meta is not None and meta.progressToken is not None:
            related = str(self.context.request_id)
            await session.send_progress_notification(meta.progressToken, done, None, message, related)

    @property
    def scope(self) -> Mapping[str, Any]:
        """The ASGI scope of the HTTP request that brought it; empty over standard input."""
        request = getattr(self.context, "request", None)
        return request.scope if request is not None else {}


@dataclass(frozen=True, slots=True)
class Handlers:
    """What a server answers: two lists, and two calls with the name and the arguments."""

    list_tools: Callable[[], Mapping[str, Any]]
    list_prompts: Callable[[], Mapping[str, Any]]
    call_tool: Callable[[str, Mapping[str, Any], Asked], Awaitable[Mapping[str, Any]]]
    get_prompt: Callable[[str, Mapping[str, Any], Asked], Awaitable[Mapping[str, Any]]]


def make_server(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    """The library's server."""
    return (_second_server if _second() else _first_server)(name, version, about, handlers)


def _second_server(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    from mcp import MCPError, types
    from mcp.server.lowlevel import Server

    async def list_tools(context: Any, parameters: Any) -> Any:
        return types.ListToolsResult.model_validate(handlers.list_tools())

    async def list_prompts(context: Any, parameters: Any) -> Any:
        return types.ListPromptsResult.model_validate(handlers.list_prompts())

    async def call_tool(context: Any, parameters: Any) -> Any:
        given = await handlers.call_tool(parameters.name, parameters.arguments or {}, Asked(context))
        return types.CallToolResult.model_validate(given)

    async def get_prompt(context: Any, parameters: Any) -> Any:
        try:
            given = await handlers.get_prompt(parameters.name, parameters.arguments or {}, Asked(context))
        except Refusal as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return types.GetPromptResult.model_validate(given)

    made: Any = Server(
        name,
        version=version,
        instructions=about,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    made.middleware.append(_annotate)
    return made


async def _annotate(context: Any, call_next: Any) -> Any:
    """Add to listed tools the annotation that UltraRAG's clients look for: the library drops what it does not know."""
    given = await call_next(context)
    for tool in given.get("tools", ()) if context.method == "tools/list" and isinstance(given, dict) else ():
        if "output" in (tool.get("_meta") or {}):
            tool["annotations"] = {**(tool.get("annotations") or {}), "output": tool["_meta"]["output"]}
    return given


def _first_server(name: str, version: str, about: str | None, handlers: Handlers) -> Any:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared import exceptions

    library: Any = types
    made: Any = Server(name, version=version, instructions=about)

    def result(kind: Any, wire: Mapping[str, Any]) -> Any:
        return library.ServerResult(kind.model_validate(wire))

    async def list_tools(request: Any) -> Any:
        return result(library.ListToolsResult, handlers.list_tools())

    async def list_prompts(request: Any) -> Any:
        return result(library.ListPromptsResult, handlers.list_prompts())

    async def call_tool(request: Any) -> Any:
        asked, parameters = Asked(made.request_context), request.params
        return result(
            library.CallToolResult, await handlers.call_tool(parameters.name, parameters.arguments or {}, asked)
        )

    async def get_prompt(request: Any) -> Any:
        asked, parameters = Asked(made.request_context), request.params
        try:
            given = await handlers.get_prompt(parameters.name, parameters.arguments or {}, asked)
        except Refusal as error:
            problem = library.ErrorData(code=library.INVALID_PARAMS, message=str(error))
            raise getattr(exceptions, "McpError")(problem) from None  # noqa: B009 - a name of version 1 only
        return result(library.GetPromptResult, given)

    made.request_handlers |= {
        library.ListToolsRequest: list_tools,
        library.ListPromptsRequest: list_prompts,
        library.CallToolRequest: call_tool,
        library.GetPromptRequest: get_prompt,
    }
    return made


async def run_stdio(server: Any, source: Any, target: Any) -> None:
    """Answer what comes over two text streams (see anyio.wrap_file) until the first ends."""
    from mcp.server.stdio import stdio_server

    async with stdio_server(source, target) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_manager(server: Any, *, body: int, sessions: int, idle: float) -> Any:
    """The library's ASGI side of a server: `handle_request`, inside `async with manager.run()`."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    logging.getLogger("mcp.server.streamable_http").addFilter(_not_a_disconnect)  # added once, however often called
    return StreamableHTTPSessionManager(
        server, max_request_body_size=body, max_sessions=sessions, session_idle_timeout=idle
    )


def _not_a_disconnect(record: logging.LogRecord) -> bool:
    """False for what mcp 1 logs, with a traceback, when a client ends its session and the streams are closed."""
    from anyio import BrokenResourceError, ClosedResourceError

    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, BrokenResourceError | ClosedResourceError)


# --- a client ---


@dataclass(frozen=True, slots=True)
class Session:
    """A connection to a server: requests and results are dictionaries."""

    library: Any
    capabilities: Mapping[str, Any]

    async def ask(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its result as it came, with the fields that the library does not know."""
        from mcp import types
        from pydantic import RootModel

        request: Any = types.Request[dict[str, Any], str](method=method, params=dict(parameters))
        found: dict[str, Any] = (await self.library.send_request(request, RootModel[dict[str, Any]])).root
        return found


@asynccontextmanager
async def connected(transport: Any, hear: Any) -> AsyncIterator[Session]:
    """Connect over a transport and shake hands; `hear` gets every line that could not be read, as an exception."""
    from mcp import ClientSession

    async with transport as streams, ClientSession(streams[0], streams[1], message_handler=hear) as session:
        given: Any = await session.initialize()
        yield Session(session, given.capabilities.model_dump(by_alias=True, exclude_none=True))


def stdio_transport(command: tuple[str, ...], environment: Mapping[str, str], errors: TextIO) -> Any:
    """The transport to a program that is started for it."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    program, *arguments = command
    started = StdioServerParameters(command=program, args=arguments, env=dict(environment))
    return stdio_client(started, errlog=errors)


@asynccontextmanager
async def http_transport(
    address: str, headers: Mapping[str, str], seconds: float, note: Callable[[Any], Awaitable[None]]
) -> AsyncIterator[Any]:
    """Streamable HTTP; an answer may be of any size and take any time. `note` sees every response."""
    from mcp.client.streamable_http import streamable_http_client

    http: Any = http_library()
    settings: dict[str, Any] = {"timeout": http.Timeout(seconds, read=None), "event_hooks": {"response": [note]}}
    more: dict[str, Any] = {"max_sse_event_size": None} if _second() else {}
    async with (
        http.AsyncClient(headers=dict(headers), **settings) as client,
        streamable_http_client(address, http_client=client, **more) as streams,
    ):
        yield streams


def http_library() -> Any:
    """The HTTP client that the library uses."""
    if _second():
        import httpx2

        return httpx2
    import httpx

    return httpx


def failures() -> tuple[type[BaseException], ...]:
    """What a request can fail with on the way."""
    from anyio import BrokenResourceError, ClosedResourceError
    from mcp.shared import exceptions
    from pydantic import ValidationError

    name = "MCPError" if _second() else "McpError"
    http = http_library()
    lost = (BrokenResourceError, ClosedResourceError, http.HTTPError, http.InvalidURL, RuntimeError)
    return (getattr(exceptions, name), TimeoutError, OSError, ValidationError, ExceptionGroup, *lost)


def message_of(error: BaseException) -> str:
    """What an error says; that of a connection which is gone is `CLOSED`."""
    from anyio import BrokenResourceError, ClosedResourceError

    if isinstance(error, BrokenResourceError | ClosedResourceError):
        return CLOSED
    told = getattr(getattr(error, "error", error), "message", None)
    return told if isinstance(told, str) else str(error)


def unreadable(message: Any) -> str:
    """The line that is no message of MCP, out of the error that says so; empty where there is none."""
    errors = getattr(message, "errors", None)
    if not isinstance(message, Exception) or not callable(errors):
        return ""
    found = errors()[0].get("input")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=str)
