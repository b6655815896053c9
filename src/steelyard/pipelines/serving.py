"""One of our servers, offered to others over MCP: standard input and output, or streamable HTTP."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from steelyard.errors import ConfigError, SteelyardError, SystemFailure, UnknownName, nearest_only
from steelyard.i18n import Message
from steelyard.pipelines.calls import Calls
from steelyard.pipelines.hosts import is_loopback
from steelyard.pipelines.offers import write_offer
from steelyard.pipelines.protocol import Asked, Handlers, Refusal, check_library, make_server, run_stdio
from steelyard.pipelines.schemas import input_schema, takes_null, takes_text, type_name
from steelyard.pipelines.server import NOTICES, Kind, Server, Tool, hearing

if TYPE_CHECKING:
    from steelyard.pipelines.http_limits import Limits

__all__ = ["is_loopback", "protocol_of", "serve_http", "serve_stdio"]

PURPOSE = Message("words.speaking_mcp")
_KINDS: Mapping[Kind, Message] = {"tool": Message("words.tool"), "prompt": Message("words.prompt")}
BUILD_SCHEMA = {
    "type": "object",
    "properties": {"parameter_file": {"type": "string", "description": "the server's parameter.yaml"}},
    "required": ["parameter_file"],
}
BUILD_NOTE = "Write server.yaml beside the parameter file: what each tool takes and gives."


def serve_stdio(server: Server, calls: Calls | None = None) -> None:
    """Answer on standard input and output until the input ends."""
    check_library(PURPOSE)
    import anyio

    with _standard_streams() as (source, target):
        made = protocol_of(server, calls or Calls())
        anyio.run(run_stdio, made, anyio.wrap_file(source), anyio.wrap_file(target))


def serve_http(  # noqa: PLR0917 - what is served, where, to whom, within what
    server: Server,
    host: str,
    port: int,
    token: str | None,
    started: Callable[[str], None],
    limits: "Limits | None" = None,
    calls: Calls | None = None,
) -> None:
    """Answer on http://host:port/mcp until interrupted; with a token, only to those who bring it."""
    check_library(PURPOSE)
    from steelyard.pipelines.http_limits import Limits
    from steelyard.pipelines.http_server import listen

    calls = calls or Calls()
    listen(protocol_of(server, calls), host, port, token, started, limits or Limits(), calls)


def protocol_of(server: Server, calls: Calls) -> Any:
    """The MCP side of a server: its tools and prompts listed, called, and their errors told."""
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
    """Standard input and output for messages alone: what a tool prints goes to standard error, and it reads nothing."""
    sys.stdout.flush()
    read, write = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2 if _is_open(2) else nothing, 1)
    os.close(nothing)
    try:
        # the threads that read and write may outlive us: their descriptors are never closed under them
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
    build = {"name": "build", "description": BUILD_NOTE, "inputSchema": BUILD_SCHEMA}
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": input_schema(tool),
            "annotations": {"output": tool.note},
            "_meta": {"output": tool.note},
        }
        for tool in server.tools.values()
        if tool.kind == "tool"
    ]
    return {"tools": [build, *tools]}


async def _call_tool(
    server: Server, calls: Calls, name: str, arguments: Mapping[str, Any], asked: Asked
) -> Mapping[str, Any]:
    """The result of a tool as one JSON object, in text and as structured content; a mistake is told as an error."""

    def work() -> Mapping[str, Any]:
        if name == "build":
            write_offer(server, arguments)
            return {"content": [], "structuredContent": {"result": None}, "isError": False}
        notices: list[str] = []
        with hearing(said=lambda notice: notices.append(str(notice))):
            given = _checked(server, name, "tool", arguments).function(**arguments)
        structured = given if isinstance(given, Mapping) else {"result": given}
        content = [{"type": "text", "text": json.dumps(structured, ensure_ascii=False)}]
        told = {"_meta": {NOTICES: notices}} if notices else {}
        return {"content": content, "structuredContent": dict(structured), "isError": False, **told}

    try:
        found: Mapping[str, Any] = await calls.run(name, work, asked)
    except SteelyardError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    return found


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
        {"name": name, "description": found.get("description"), "required": name in schema["required"]}
        for name, found in schema["properties"].items()
    ]


async def _get_prompt(
    server: Server, calls: Calls, name: str, texts: Mapping[str, str], asked: Asked
) -> Mapping[str, Any]:
    """The texts that a prompt makes, as messages of the user."""

    def work() -> Any:
        arguments = _unpacked(server, name, texts)
        return _checked(server, name, "prompt", arguments).function(**arguments)

    try:
        made = await calls.run(name, work, asked)
        if not isinstance(made, list) or not all(isinstance(text, str) for text in made):
            raise SystemFailure(Message("pipelines.gave_no_list_texts", name=name))
    except SteelyardError as error:
        raise Refusal(str(error)) from None
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}} for text in made]}


def _unpacked(server: Server, prompt: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Arguments of prompts come as text: as it is where the argument is text, as JSON where it is anything else.

    `null` is none where the argument may be none: so the client of fastmcp, which is UltraRAG's, sends it.
    """
    known = input_schema(server.tools[prompt])["properties"] if prompt in server.tools else {}
    return {name: _unpack(text, known.get(name, {})) for name, text in texts.items()}


def _unpack(text: str, schema: Mapping[str, Any]) -> Any:
    if text == "null" and takes_null(schema):
        return None
    if takes_text(schema):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _checked(server: Server, name: str, kind: Kind, arguments: Mapping[str, Any]) -> Tool:
    """The tool of that name, if the arguments are what it takes."""
    from jsonschema import Draft202012Validator

    offered = {each: tool for each, tool in server.tools.items() if tool.kind == kind}
    if name not in offered:
        raise UnknownName.of(_KINDS[kind], name, offered)
    schema = input_schema(offered[name])
    required = ", ".join(schema["required"]) or Message("words.none")
    hint = Message("pipelines.arguments_of_tool", names=", ".join(schema["properties"]), required=required)
    for argument in arguments.keys() - schema["properties"].keys():
        close = nearest_only(argument, schema["properties"])
        raise ConfigError(
            Message("pipelines.no_argument_2", name=name, argument=_short(repr(argument))), hint=close or hint
        )
    for problem in Draft202012Validator(schema).iter_errors(dict(arguments)):
        if problem.absolute_path:
            argument = str(problem.absolute_path[0])
            wrong = _short(repr(arguments[argument]))
            raise ConfigError(
                Message(
                    "pipelines.argument_type",
                    name=name,
                    argument=argument,
                    offered=type_name(offered[name], argument),
                    wrong=wrong,
                ),
                hint=hint,
            )
        raise ConfigError(f"{name}: {_short(problem.message)}", hint=hint)
    return offered[name]


def _short(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:150]} … {message[-140:]}"
