"""`steelyard serve NAME`: one of our servers for others, over MCP."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.options import add_language_option, positive, seconds
from steelyard.errors import ConfigError, InputError, UnknownName, nearest
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.pipelines.calls import Calls
    from steelyard.pipelines.http_limits import Limits
    from steelyard.pipelines.server import Server

TOKEN_VARIABLE = "STEELYARD_TOKEN"
TOKEN_HINT = Message("cli.set_steelyard_token_long_random")
ADDRESS_HINT = Message("cli.example_http_127_0_0")


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "serve",
        help="run one server over MCP",
        description="Run one MCP server over standard input and output, or over streamable HTTP.",
    )
    parser.add_argument(
        "name", metavar="NAME", help="a built-in server (evaluation, retriever, …), or the folder of a server"
    )
    parser.add_argument("--http", metavar="HOST:PORT", help="streamable HTTP instead of standard input and output")
    parser.add_argument(
        "--token", help=f"bearer token required of clients; mandatory beyond this machine (or set {TOKEN_VARIABLE})"
    )
    _add_limits(parser)
    add_language_option(parser)
    parser.set_defaults(run=run_serve)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """The limits of `Calls` and `Limits`, whose defaults the help repeats."""
    options = (
        ("--call-timeout", seconds, "S", "timeout of one call in seconds (600)"),
        ("--max-calls", positive, "N", "concurrent calls (16)"),
        ("--max-body", positive, "MB", "largest HTTP request in megabytes (256)"),
        ("--max-sessions", positive, "N", "number of HTTP sessions (256)"),
        ("--session-timeout", seconds, "S", "timeout of an idle HTTP session in seconds (600)"),
        ("--read-timeout", seconds, "S", "timeout for slow clients in seconds (30)"),
    )
    group = parser.add_argument_group("limits")
    for name, kind, shown, words in options:
        group.add_argument(name, type=kind, metavar=shown, help=words)


def limits_of(arguments: argparse.Namespace) -> "tuple[Limits, Calls]":
    """The limits that the options say, and the defaults where they say nothing."""
    from steelyard.pipelines.calls import Calls
    from steelyard.pipelines.http_limits import MEGABYTE, Limits

    body = arguments.max_body * MEGABYTE if arguments.max_body else None
    http = {"body": body, "sessions": arguments.max_sessions}
    http |= {"idle": arguments.session_timeout, "patience": arguments.read_timeout}
    calls = {"seconds": arguments.call_timeout, "most": arguments.max_calls}
    return Limits(**_said(http)), Calls(**_said(calls))


def _said(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until the input ends or somebody interrupts."""
    from steelyard.pipelines.serving import is_loopback, serve_http, serve_stdio

    server, (limits, calls) = _server(arguments.name), limits_of(arguments)
    if arguments.http is None:
        serve_stdio(server, calls)
        return 0
    host, port = _address(arguments.http)
    token = arguments.token or os.environ.get(TOKEN_VARIABLE)
    if not token and not is_loopback(host):
        raise ConfigError(Message("pipelines.token_needed", host=host), where="--http", hint=TOKEN_HINT)
    started = partial(_tell, f"serving {server.name} on ")
    serve_http(server, host, port, token, started, limits, calls)
    return 0


def _server(name: str) -> "Server":
    from steelyard.pipelines.homes import bundled_servers, nearest_server, server_names
    from steelyard.pipelines.loading import load_program

    folder = Path(name) if os.sep in name or (Path(name) / "src").is_dir() else bundled_servers() / name
    program = folder / "src" / f"{folder.name}.py"
    if not program.is_file():
        beside = nearest_server(folder) if os.sep in name else None
        hint = beside or nearest(name, server_names(bundled_servers()))
        raise UnknownName(Message("cli.no_server_called", name=name), hint=hint)
    return load_program(program, name)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not (colon and host and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536):
        raise InputError(Message("cli.address_host_port_not", text=text), where="--http", hint=ADDRESS_HINT)
    return host, int(port)


def _tell(words: str, address: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{words}{address}\n")
        sys.stderr.flush()
