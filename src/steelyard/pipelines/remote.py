"""Servers in other processes or on other machines, reached over MCP: started together, ended together."""

import json
import logging
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO, cast

from steelyard.errors import MissingExtra, SystemFailure
from steelyard.pipelines.server import Kind

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

START_SECONDS = 60.0
CALL_SECONDS = 600.0
TAIL = 2000
START = "start"
CLOSED = "Connection closed"  # how MCP's library says that the other end is gone
DEAD_HINT = "run its program by hand to see why"
SLOW_HINT = "give it more time with --timeout"
NOISE_HINT = "only messages of MCP belong there: let the server print to standard error"


class Prompt(str):
    """A text that a prompt made; to a server elsewhere it goes as a message."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server is: the command that starts it, or its address and the headers it wants."""

    name: str
    where: str
    command: tuple[str, ...] = ()
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Link:
    """A server that answers: its client, what it prints to standard error, and what it should not have printed."""

    place: Place
    errors: TextIO
    client: Any = None
    leave: Any = None
    ready: "Future[None]" = field(default_factory=Future)
    noise: list[str] = field(default_factory=list)
    scope: Any = None
    refused: bool = False
    broken: Exception | None = None

    async def hear(self, message: Any) -> None:
        """Take note of a line that is no message, and stop waiting for an answer."""
        line = _line(message) if isinstance(message, Exception) else ""
        if line.strip():
            self.noise.append(line)
            if self.scope is not None:
                self.scope.cancel()


class Fleet:
    """The servers of a run that live elsewhere."""

    def __init__(self, environment: Mapping[str, str], *, timeout: float = CALL_SECONDS) -> None:
        self.environment = dict(environment)
        self._timeout = timeout
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._links: dict[str, _Link] = {}

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *about: Any) -> None:
        """End all servers; an error or an interrupt does not wait for those that are still starting."""
        for link in self._links.values():
            if link.client is not None and self._portal is not None:
                self._portal.call(link.leave.set)
        self._stack.__exit__(*about)

    def start(self, places: Iterable[Place]) -> None:
        """Start those that do not run yet, all at once; the first that cannot be is an error."""
        waiting = [place for place in places if place.name not in self._links]
        if not waiting:
            return
        portal = self._open()
        for place in waiting:
            self._links[place.name] = self._link(place)
            portal.start_task_soon(_stay, self._links[place.name], self.environment, min(START_SECONDS, self._timeout))
        wait([self._links[place.name].ready for place in waiting])
        for place in waiting:
            with _explained(self._links[place.name], START):
                self._links[place.name].ready.result()

    def caller(self, name: str) -> Callable[[Kind, str], Callable[..., Any]]:
        """For a server, what makes the functions that call its tools and prompts."""

        def bound(kind: Kind, tool: str) -> Callable[..., Any]:
            ask = self.prompt if kind == "prompt" else self.call
            return lambda **arguments: ask(name, tool, arguments)

        return bound

    def call(self, name: str, tool: str, arguments: Mapping[str, Any]) -> Any:
        """What a tool gives: the JSON object in the first text of its answer; None where there is no text."""
        link = self._links[name]
        sent = {argument: _as_sent(value) for argument, value in arguments.items()}
        given = self._ask(link, tool, link.client.call_tool, tool, sent, self._timeout)
        texts = [each.text for each in given.content if each.type == "text"]
        if given.is_error:
            raise SystemFailure(texts[0] if texts else "the server says that it failed")
        if not texts:
            return given.structured_content
        try:
            return json.loads(texts[0])
        except ValueError:
            raise SystemFailure(f"it answered with text that is not JSON: {_short(texts[0])!r}") from None

    def prompt(self, name: str, prompt: str, arguments: Mapping[str, Any]) -> list[Prompt]:
        """The texts of a prompt; what is no text is sent as JSON, as MCP has it."""
        link = self._links[name]
        sent = {argument: _as_text(value) for argument, value in arguments.items() if value is not None}
        given = self._ask(link, prompt, link.client.get_prompt, prompt, sent)
        return [Prompt(message.content.text) for message in given.messages if message.content.type == "text"]

    def listing(self, name: str) -> list[dict[str, Any]]:
        """The tools as a server lists them, page by page, with the fields that the protocol does not know."""
        from mcp import types
        from pydantic import TypeAdapter

        link, kind = self._links[name], TypeAdapter(dict[str, Any])
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            asked = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
            page = self._ask(link, "tools/list", link.client.session.send_request, asked, kind)
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools

    def prompts(self, name: str) -> list[Any]:
        """The prompts that a server lists, page by page; none where it knows of no such thing."""
        link = self._links[name]
        if link.client.server_capabilities.prompts is None:
            return []
        prompts: list[Any] = []
        cursor: str | None = None
        while True:
            page = self._ask(link, "prompts/list", partial(link.client.list_prompts, cursor=cursor))
            prompts += page.prompts
            cursor = page.next_cursor
            if not cursor:
                return prompts

    def _open(self) -> "BlockingPortal":
        if self._portal is None:
            try:
                import mcp  # noqa: F401
                from anyio.from_thread import start_blocking_portal
            except ImportError:
                raise MissingExtra.of("mcp", "mcp", purpose="servers in processes of their own") from None
            logging.getLogger("mcp").addHandler(logging.NullHandler())
            self._portal = self._stack.enter_context(start_blocking_portal())
        return self._portal

    def _link(self, place: Place) -> _Link:
        file = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed with the fleet
        return _Link(place, cast(TextIO, self._stack.enter_context(file)))

    def _ask(self, link: _Link, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Ask, and give up when time is over or as soon as the server prints what is no message."""

        async def asked() -> Any:
            import anyio

            with anyio.fail_after(self._timeout) as link.scope:
                return await function(*arguments)

        with _explained(link, what):
            if link.broken is not None:
                raise ExceptionGroup("the connection broke", [link.broken])
            given = self._open().call(asked)
        if link.noise:
            raise SystemFailure(_noisy(link), hint=NOISE_HINT)
        return given


async def _stay(link: _Link, environment: Mapping[str, str], patience: float) -> None:
    """Shake hands with a server and stay with it until it is time to leave; what fails before is told to who waits."""
    import anyio
    from mcp import Client

    link.leave = anyio.Event()
    transport = _transport(link, environment)
    try:
        async with Client(
            transport, mode="legacy", read_timeout_seconds=patience, message_handler=link.hear
        ) as link.client:
            link.ready.set_result(None)
            await link.leave.wait()
    except Exception as error:  # whatever it is, the thread that waits for the server, or asks it next, tells it
        link.broken = error
        if not link.ready.done():
            link.client = None
            link.ready.set_exception(error)


def _transport(link: _Link, environment: Mapping[str, str]) -> Any:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    if link.place.address:
        return _over_http(link)
    program, *arguments = link.place.command
    started = StdioServerParameters(command=program, args=arguments, env=dict(environment))
    return stdio_client(started, errlog=link.errors)


@asynccontextmanager
async def _over_http(link: _Link) -> AsyncIterator[Any]:
    """Streamable HTTP; an answer may be of any size, and take its time. A status that refuses is remembered."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def note(response: Any) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            link.errors.write(f"HTTP {response.status_code} {response.reason_phrase}\n")
            link.refused = True

    settings: dict[str, Any] = {
        "timeout": httpx2.Timeout(START_SECONDS, read=None),
        "event_hooks": {"response": [note]},
    }
    async with (
        httpx2.AsyncClient(headers=dict(link.place.headers), **settings) as http,
        streamable_http_client(link.place.address, http_client=http, max_sse_event_size=None) as streams,
    ):
        yield streams


@contextmanager
def _explained(link: _Link, what: str) -> Iterator[None]:
    """Whatever goes wrong on the way is a failure of that server, told with what it printed last."""
    from mcp import MCPError
    from pydantic import ValidationError

    try:
        yield
    except (TimeoutError, MCPError, OSError, ValidationError, ExceptionGroup) as error:
        # a step says itself where it stands
        where = link.place.where if what == START else None
        if link.noise:
            raise SystemFailure(_noisy(link), where=where, hint=NOISE_HINT) from None
        message, hint = _failure(link, what, _first(error))
        raise SystemFailure(message, where=where, hint=hint) from None


def _first(error: BaseException) -> BaseException:
    """What is inside a group of errors."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _failure(link: _Link, what: str, error: BaseException) -> tuple[str, str | None]:
    """What to say of a failure, and what to do."""
    from mcp.types import REQUEST_TIMEOUT

    name, code, said = link.place.name, getattr(error, "code", None), getattr(error, "message", str(error))
    if isinstance(error, TimeoutError) or code == REQUEST_TIMEOUT:
        return f"the server {name!r} did not answer in time ({what})", SLOW_HINT
    if said == CLOSED:
        return f"the server {name!r} ended before it answered ({what}): {_last_words(link)}", DEAD_HINT
    return f"the server {name!r} failed ({what}): {_last_words(link) if link.refused else _short(said)}", None


def _last_words(link: _Link) -> str:
    """The last line that a server printed to standard error."""
    link.errors.flush()
    link.errors.seek(0)
    lines = [line.strip() for line in link.errors.read()[-TAIL:].splitlines() if line.strip()]
    return _short(lines[-1]) if lines else "it said nothing"


def _noisy(link: _Link) -> str:
    return f"the server {link.place.name!r} printed to its standard output: {_short(link.noise[0])!r}"


def _line(error: Exception) -> str:
    """The line that could not be read, out of the error that says so."""
    errors = getattr(error, "errors", None)
    found = errors()[0].get("input") if callable(errors) else None
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=str)


def _as_sent(value: Any) -> Any:
    """A value as JSON; texts of prompts as messages."""
    if isinstance(value, Prompt):
        return {"role": "user", "content": {"type": "text", "text": str(value)}}
    return [_as_sent(each) for each in value] if isinstance(value, list) else value


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"
