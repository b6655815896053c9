"""The MCP server: one of our servers over standard input and output, or over streamable HTTP."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TextIO

from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName, nearest_only
from steelyard.i18n import Message
from steelyard.pipelines.calls import CallRunner
from steelyard.pipelines.http_limits import Limits
from steelyard.pipelines.manifest import write_manifest
from steelyard.pipelines.protocol import Handlers, ProtocolError, Request, check_library, make_server, run_stdio
from steelyard.pipelines.schemas import accepts_null, accepts_only_text, input_schema, type_name
from steelyard.pipelines.server import Notice, Server, Tool, ToolKind, callbacks
from steelyard.pipelines.wire import error_to_json, notices_to_json

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
    import anyio

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
    """The server object of the MCP library, with the tools and prompts of a server."""
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
    """Streams for messages only: tools print to standard error instead, and their standard input is empty."""
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
    """The result of a tool as one JSON object, as text and as structured content, or its error."""

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
    """The texts of a prompt, as messages of the user."""

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
    """The arguments of a prompt, which MCP sends as texts: JSON unless the argument is a text.

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
    """The tool of that name; raise an error if the arguments do not match its schema."""
    tools = {tool.name: tool for tool in server.tools.values() if tool.kind == kind}
    if name not in tools:
        raise UnknownName.of(_KIND_NAMES[kind], name, tools)
    schema = input_schema(tools[name])
    required = ", ".join(schema["required"]) or Message("words.none")
    hint = Message("pipelines.tool_arguments", names=", ".join(schema["properties"]), required=required)
    for argument in arguments.keys() - schema["properties"].keys():
        message = Message("pipelines.unknown_argument", name=name, argument=_shorten(repr(argument)))
        raise ConfigError(message, hint=nearest_only(argument, schema["properties"]) or hint)
    _check_schema(tools[name], schema, arguments, hint)
    return tools[name]


def _check_schema(tool: Tool, schema: Mapping[str, Any], arguments: Mapping[str, Any], hint: Message) -> None:
    from jsonschema import Draft202012Validator

    for problem in Draft202012Validator(schema).iter_errors(dict(arguments)):
        if not problem.absolute_path:
            raise ConfigError(_shorten(problem.message), where=tool.name, hint=hint)
        argument = str(problem.absolute_path[0])
        value = _shorten(repr(arguments[argument]))
        message = Message("pipelines.argument_type", argument=argument, expected=type_name(tool, argument), value=value)
        raise ConfigError(message, where=tool.name, hint=hint, parameter=argument)


def _shorten(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:150]} … {text[-140:]}"
