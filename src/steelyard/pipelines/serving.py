"""One of our servers, offered to others over MCP: standard input and output, or streamable HTTP."""

import hmac
import ipaddress
import json
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from steelyard.errors import ConfigError, MissingExtra, SteelyardError, SystemFailure
from steelyard.pipelines.offers import write_offer
from steelyard.pipelines.schemas import input_schema, takes_text, type_name
from steelyard.pipelines.server import Server, Tool, hearing

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server as Protocol

TICK_SECONDS = 1.0
LARGEST_REQUEST = 1 << 30
BUILD_SCHEMA = {
    "type": "object",
    "properties": {"parameter_file": {"type": "string", "description": "the server's parameter.yaml"}},
    "required": ["parameter_file"],
}
BUILD_NOTE = "Write server.yaml beside the parameter file: what each tool takes and gives."

Scope = dict[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]


def serve_stdio(server: Server) -> None:
    """Answer on standard input and output until the input ends."""
    anyio = _library()
    anyio.run(_stdio, protocol_of(server))


def serve_http(server: Server, host: str, port: int, token: str | None, started: Callable[[str], None]) -> None:
    """Answer on http://host:port/mcp until interrupted; with a token, only to those who bring it."""
    _library()
    import uvicorn

    application: Application = protocol_of(server).streamable_http_app(host=host, max_request_body_size=LARGEST_REQUEST)
    guarded = _Guard(application, token) if token else application
    config = uvicorn.Config(guarded, log_level="warning", timeout_graceful_shutdown=2)
    with _listening(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        started(f"http://{shown}:{listening.getsockname()[1]}/mcp")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}", where="--http") from None


def is_loopback(host: str) -> bool:
    """Whether an address is that of this machine and of no other."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def protocol_of(server: Server) -> "Protocol[Any]":
    """The MCP side of a server: its tools and prompts listed, called, and their errors told."""
    from mcp.server.lowlevel import Server as Protocol

    import steelyard

    return Protocol(
        server.name,
        version=steelyard.__version__,
        instructions=server.about,
        on_list_tools=partial(_list_tools, server),
        on_call_tool=partial(_call_tool, server),
        on_list_prompts=partial(_list_prompts, server),
        on_get_prompt=partial(_get_prompt, server),
    )


async def _stdio(protocol: "Protocol[Any]") -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await protocol.run(read, _Annotated(write), protocol.create_initialization_options())


async def _list_tools(server: Server, context: "ServerRequestContext[Any]", parameters: Any) -> Any:
    from mcp import types

    build = types.Tool(name="build", description=BUILD_NOTE, input_schema=BUILD_SCHEMA)
    tools = [
        types.Tool(
            name=tool.name, description=tool.description, input_schema=input_schema(tool), _meta={"output": tool.note}
        )
        for tool in server.tools.values()
        if tool.kind == "tool"
    ]
    return types.ListToolsResult(tools=[build, *tools])


async def _call_tool(server: Server, context: "ServerRequestContext[Any]", parameters: Any) -> Any:
    from mcp import types

    arguments: dict[str, Any] = parameters.arguments or {}
    try:
        if parameters.name == "build":
            write_offer(server, arguments)
            return types.CallToolResult(content=[], structured_content={"result": None})
        tool = _checked(server, parameters.name, "tool", arguments)
        given = await _worked(tool, arguments, context)
    except SteelyardError as error:
        return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
    structured = given if isinstance(given, Mapping) else {"result": given}
    text = json.dumps(structured, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=dict(structured)
    )


async def _list_prompts(server: Server, context: "ServerRequestContext[Any]", parameters: Any) -> Any:
    from mcp import types

    return types.ListPromptsResult(
        prompts=[
            types.Prompt(name=tool.name, description=tool.description, arguments=_prompt_arguments(tool))
            for tool in server.tools.values()
            if tool.kind == "prompt"
        ]
    )


def _prompt_arguments(tool: Tool) -> list[Any]:
    from mcp import types

    schema = input_schema(tool)
    return [
        types.PromptArgument(name=name, description=found.get("description"), required=name in schema["required"])
        for name, found in schema["properties"].items()
    ]


async def _get_prompt(server: Server, context: "ServerRequestContext[Any]", parameters: Any) -> Any:
    from mcp import MCPError, types

    try:
        arguments = _unpacked(server, parameters.name, parameters.arguments or {})
        tool = _checked(server, parameters.name, "prompt", arguments)
        texts = await _worked(tool, arguments, context)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise SystemFailure(f"{tool.name} gave no list of texts")
    except SteelyardError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from None
    contents = [types.TextContent(type="text", text=text) for text in texts]
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in contents])


def _unpacked(server: Server, prompt: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Arguments of prompts come as text: as it is where the argument is text, as JSON where it is anything else."""
    known = input_schema(server.tools[prompt])["properties"] if prompt in server.tools else {}
    return {name: text if takes_text(known.get(name, {})) else _json(text) for name, text in texts.items()}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _checked(server: Server, name: str, kind: str, arguments: Mapping[str, Any]) -> Tool:
    """The tool of that name, if the arguments are what it takes."""
    from jsonschema import Draft202012Validator

    from steelyard.errors import UnknownName

    offered = {each: tool for each, tool in server.tools.items() if tool.kind == kind}
    if name not in offered:
        raise UnknownName.of(kind, name, offered)
    schema = input_schema(offered[name])
    hint = f"arguments: {', '.join(schema['properties'])}; required: {', '.join(schema['required']) or 'none'}"
    for problem in Draft202012Validator(schema).iter_errors(dict(arguments)):
        if problem.absolute_path:
            argument = str(problem.absolute_path[0])
            wrong = _short(repr(arguments[argument]))
            raise ConfigError(
                f"{name}: {argument} must be {type_name(offered[name], argument)}, not {wrong}", hint=hint
            )
        raise ConfigError(f"{name}: {_short(problem.message)}", hint=hint)
    return offered[name]


def _short(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:150]} … {message[-140:]}"


async def _worked(tool: Tool, arguments: Mapping[str, Any], context: "ServerRequestContext[Any]") -> Any:
    """Run a tool in a thread, and pass on how far it is, at least every second."""
    import anyio
    from anyio import to_thread

    said: list[tuple[int, int | None]] = [(0, None)]

    def work() -> Any:
        # an error is carried out of the group, which would wrap it
        with hearing(told=lambda done, total: said.append((done, total))):
            try:
                return tool.function(**arguments)
            except SteelyardError as error:
                return error
            except Exception as error:  # a bug of a tool is told to the caller, and the server lives on
                logging.getLogger(__name__).exception("%s failed", tool.name)
                return SystemFailure(f"{type(error).__name__}: {error}")

    async def tick() -> None:
        for seconds in count(1):
            await anyio.sleep(TICK_SECONDS)
            done, total = said[-1]
            del said[:-1]
            # what is sent must grow: a tool that does not count is heard by its seconds
            share = f"{tool.name}: {done} of {total}" if total else f"{tool.name}: at work for {seconds} s"
            await context.session.report_progress(seconds * TICK_SECONDS, None, share)

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        given = await to_thread.run_sync(work)
        group.cancel_scope.cancel()
    if isinstance(given, SteelyardError):
        raise given
    return given


class _Annotated:
    """A stream that adds to every listed tool the annotation that UltraRAG's clients look for.

    The protocol's own model of a tool has no such field, and the library leaves out what it has not.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def send(self, item: Any) -> None:
        result = getattr(item.message, "result", None)
        for tool in result.get("tools", ()) if isinstance(result, dict) else ():
            if isinstance(tool, dict) and "output" in (tool.get("_meta") or {}):
                tool["annotations"] = {**(tool.get("annotations") or {}), "output": tool["_meta"]["output"]}
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "_Annotated":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *about: Any) -> None:
        await self._stream.__aexit__(*about)


class _Guard:
    """Lets in who brings the token, and tells everybody else so."""

    def __init__(self, application: Application, token: str) -> None:
        self._application = application
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._knows(scope):
            head = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 401, "headers": head})
            await send({"type": "http.response.body", "body": b"a bearer token is needed\n"})
            return
        await self._application(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        brought = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(brought) == 1 and hmac.compare_digest(brought[0], self._expected)


def _library() -> Any:
    """The event loop of MCP's library, or the error that says how to get it."""
    try:
        import anyio
        import mcp  # noqa: F401
    except ImportError:
        raise MissingExtra.of("mcp", "mcp", purpose="speaking MCP") from None
    return anyio
