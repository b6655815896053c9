"""`steelyard serve NAME`: serve one of our servers over MCP."""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.cli.log import notify
from steelyard.cli.options import add_language_option, positive, seconds
from steelyard.errors import ConfigError, InputError, UnknownName, nearest
from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.pipelines.calls import CallRunner
    from steelyard.pipelines.http_limits import Limits
    from steelyard.pipelines.server import Server

TOKEN_VARIABLE = "STEELYARD_TOKEN"
TOKEN_HINT = Message("cli.serve_token_hint")
ADDRESS_HINT = Message("cli.serve_address_hint")


def add_command(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "serve",
        help="help.serve",
        description="help.serve_about",
    )
    parser.add_argument("name", metavar="NAME", help="help.serve_name")
    parser.add_argument("--http", metavar="HOST:PORT", help="help.serve_http")
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help="help.serve_token",
    )
    _add_limits(parser)
    add_language_option(parser)
    parser.set_defaults(run=run_serve, handles_signals=True)  # ends at once, also during a call


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """The limits of `CallRunner` and `Limits`; the help repeats their defaults."""
    options = (
        ("--call-timeout", seconds, "S", "help.call_timeout"),
        ("--max-calls", positive, "N", "help.max_calls"),
        ("--max-body", positive, "MB", "help.max_body"),
        ("--max-sessions", positive, "N", "help.max_sessions"),
        ("--session-timeout", seconds, "S", "help.session_timeout"),
        ("--read-timeout", seconds, "S", "help.read_timeout"),
    )
    group = parser.add_argument_group("help.group_limits")
    for name, value_type, metavar, description in options:
        group.add_argument(name, type=value_type, metavar=metavar, help=description)


def limits_of(arguments: argparse.Namespace) -> "tuple[Limits, CallRunner]":
    """The limits of the options, or their defaults."""
    from steelyard.pipelines.calls import CallRunner
    from steelyard.pipelines.http_limits import MEGABYTE, Limits

    body = arguments.max_body * MEGABYTE if arguments.max_body else None
    http = {"max_body": body, "max_sessions": arguments.max_sessions}
    http |= {"session_timeout": arguments.session_timeout, "read_timeout": arguments.read_timeout}
    calls = {"timeout": arguments.call_timeout, "max_calls": arguments.max_calls}
    return Limits(**_given(http)), CallRunner(**_given(calls))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve until the input ends, or until interrupted."""
    from steelyard.pipelines.http_limits import is_loopback
    from steelyard.pipelines.serve import serve_http, serve_stdio

    server, (limits, calls) = _server(arguments.name), limits_of(arguments)
    if arguments.http is None:
        serve_stdio(server, calls)
        return 0
    host, port = _address(arguments.http)
    token = arguments.token or os.environ.get(TOKEN_VARIABLE)
    if not token and not is_loopback(host):
        raise ConfigError(Message("pipelines.token_needed", host=host), where="--http", hint=TOKEN_HINT)
    on_start = partial(_print_address, server.name)
    serve_http(server, host, port, token, on_start, limits, calls)
    return 0


def _server(name: str) -> "Server":
    from steelyard.pipelines.load import load_program
    from steelyard.pipelines.locate import bundled_servers, nearest_server, server_names

    folder = Path(name) if os.sep in name or (Path(name) / "src").is_dir() else bundled_servers() / name
    program = folder / "src" / f"{folder.name}.py"
    if not program.is_file():
        beside = nearest_server(folder) if os.sep in name else None
        hint = beside or nearest(name, server_names(bundled_servers()))
        raise UnknownName(Message("cli.no_server", name=name), hint=hint)
    return load_program(program, name)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    host = host.strip("[]")
    if not (colon and host and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 65536):
        raise InputError(Message("cli.serve_address", text=text), where="--http", hint=ADDRESS_HINT)
    return host, int(port)


def _print_address(name: str, address: str) -> None:
    notify(Message("cli.serving", name=name, address=address))
