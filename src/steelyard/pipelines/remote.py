"""Servers in other processes or on other machines, reached over MCP: started together, ended together."""

import json
import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO, cast

from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.net.secrets import public_address
from steelyard.pipelines.protocol import (
    CLOSED,
    Session,
    check_library,
    connected,
    failures,
    http_transport,
    message_of,
    stdio_transport,
    unreadable,
)
from steelyard.pipelines.server import NOTICES, Kind, Notice

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

START_SECONDS = 60.0
CALL_SECONDS = 600.0
TAIL = 2000
START = "start"
PURPOSE = Message("words.servers_in_processes_of_their_own")
DEAD_HINT = Message("pipelines.run_by_hand")
SLOW_HINT = Message("pipelines.give_more_time_timeout")
DOWN_HINT = Message("pipelines.running_address_right_one_ours")
TOKEN_HINT = Message("pipelines.name_token_pipeline_under_headers")
DENIED = (401, 403)
NOISE_HINT = Message("pipelines.only_messages_mcp_belong_let")


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
    """A server that answers: its session, what it prints to standard error, and what it should not have printed."""

    place: Place
    errors: TextIO
    session: Session | None = None
    leave: Any = None
    gone: Any = None
    ready: "Future[None]" = field(default_factory=Future)
    noise: str = ""
    warned: bool = False
    refused: int | None = None  # the status of the answer that refused a request
    broken: Exception | None = None

    async def hear(self, message: Any) -> None:
        """Keep the first line that is no message, to warn of it."""
        self.noise = self.noise or unreadable(message).strip()


class Fleet:
    """The servers of a run that live elsewhere; `notify` is told of what is tolerated."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        timeout: float = CALL_SECONDS,
        notify: Callable[[Notice], None] = lambda notice: None,
    ) -> None:
        self.environment = dict(environment)
        self._timeout = timeout
        self._notify = notify
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._links: dict[str, _Link] = {}

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *about: Any) -> None:
        """End all servers; an error or an interrupt does not wait for those that are still starting."""
        for link in self._links.values():
            if link.session is not None and self._portal is not None:
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
        sent = {argument: _as_sent(value) for argument, value in arguments.items()}
        given = self._ask(name, tool, "tools/call", {"name": tool, "arguments": sent})
        texts = _texts(given.get("content"))
        if given.get("isError"):
            raise SystemFailure(texts[0] if texts else Message("pipelines.server_says_failed"))
        for words in _notices(given):
            self._notify(words)
        if not texts:
            return given.get("structuredContent")
        try:
            return json.loads(texts[0])
        except (ValueError, RecursionError):
            raise SystemFailure(Message("pipelines.answered_text_not_json", texts=_short(texts[0]))) from None

    def prompt(self, name: str, prompt: str, arguments: Mapping[str, Any]) -> list[Prompt]:
        """The texts of a prompt; what is no text is sent as JSON, as MCP has it, and texts of prompts as messages."""
        sent = {argument: _as_text(_as_sent(value)) for argument, value in arguments.items() if value is not None}
        given = self._ask(name, prompt, "prompts/get", {"name": prompt, "arguments": sent})
        messages = given.get("messages")
        contents = [each.get("content") for each in messages or () if isinstance(each, dict)]
        return [Prompt(text) for text in _texts(contents)]

    def listing(self, name: str) -> list[dict[str, Any]]:
        """The tools as a server lists them, with the fields that the protocol does not know."""
        return self._pages(name, "tools")

    def prompts(self, name: str) -> list[Any]:
        """The prompts that a server lists; none where it knows of no such thing."""
        from mcp import types

        session = self._links[name].session
        if session is None or "prompts" not in session.capabilities:
            return []
        return [types.Prompt.model_validate(each) for each in self._pages(name, "prompts")]

    def _pages(self, name: str, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self._ask(name, f"{kind}/list", f"{kind}/list", cursor)
            found += page[kind]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}

    def _open(self) -> "BlockingPortal":
        if self._portal is None:
            check_library(PURPOSE)
            from anyio.from_thread import start_blocking_portal

            logging.getLogger("mcp").addHandler(logging.NullHandler())
            self._portal = self._stack.enter_context(start_blocking_portal())
        return self._portal

    def _link(self, place: Place) -> _Link:
        file = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed with the fleet
        return _Link(place, cast(TextIO, self._stack.enter_context(file)))

    def _ask(self, name: str, what: str, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Ask, and give up when time is over; what a server prints in between is passed over, with one warning."""
        link = self._links[name]

        with _explained(link, what):
            given: dict[str, Any] = self._open().call(_asked, link, method, parameters, self._timeout)
        if link.noise and not link.warned:
            link.warned = True
            code = "pipelines.server_printed_passed_over"
            self._notify(Message(code, name=name, noise=_short(link.noise), hint=NOISE_HINT))
        return given


async def _asked(link: _Link, method: str, parameters: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The result of a request; when the connection breaks nobody answers any more, and the library may not say so."""
    import anyio

    given: dict[str, Any] | None = None
    with anyio.fail_after(seconds):
        async with anyio.create_task_group() as group:

            async def give_up() -> None:
                await link.gone.wait()
                group.cancel_scope.cancel()

            group.start_soon(give_up)
            if link.session is not None and link.broken is None:
                given = await link.session.ask(method, parameters)
            group.cancel_scope.cancel()
    if given is None:
        raise link.broken or ConnectionError(CLOSED)
    return given


async def _stay(link: _Link, environment: Mapping[str, str], patience: float) -> None:
    """Connect to a server and keep the session open; a connection error is raised in the thread that waits."""
    import anyio

    link.leave, link.gone = anyio.Event(), anyio.Event()
    try:
        with anyio.fail_after(patience) as scope:
            async with connected(_transport(link, environment), link.hear) as link.session:
                scope.deadline = float("inf")
                link.ready.set_result(None)
                await link.leave.wait()
    except Exception as error:  # whatever it is, the thread that waits for the server, or asks it next, tells it
        link.broken = error
        link.gone.set()
        if not link.ready.done():
            link.session = None
            link.ready.set_exception(error)


def _transport(link: _Link, environment: Mapping[str, str]) -> Any:
    if not link.place.address:
        return stdio_transport(link.place.command, environment, link.errors)

    async def note(response: Any) -> None:
        if response.status_code >= 400 and response.request.method == "POST":
            link.errors.write(f"HTTP {response.status_code} {response.reason_phrase}\n")
            link.refused = response.status_code

    return http_transport(link.place.address, link.place.headers, START_SECONDS, note)


@contextmanager
def _explained(link: _Link, what: str) -> Iterator[None]:
    """Whatever goes wrong on the way is a failure of that server, told with what it printed last."""
    try:
        yield
    except failures() as error:
        # a step says itself where it stands
        where = link.place.where if what == START else None
        message, hint = _failure(link, what, _first(error))
        raise SystemFailure(message, where=where, hint=hint) from None


def _first(error: BaseException) -> BaseException:
    """What is inside a group of errors."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _failure(link: _Link, what: str, error: BaseException) -> tuple[Message, Message | None]:
    """What to say of a failure, and what to do."""
    name, said = link.place.name, message_of(error)
    if isinstance(error, TimeoutError) and link.noise:
        code = "pipelines.server_printed_no_answer"
        return Message(code, name=name, noise=_short(link.noise), what=what), NOISE_HINT
    if isinstance(error, TimeoutError):
        return Message("pipelines.server_did_not_answer_time", name=name, what=what), SLOW_HINT
    if said == CLOSED:
        code = "pipelines.server_ended_before_answered"
        return Message(code, name=name, what=what, said=_last_words(link)), DEAD_HINT
    if link.refused is not None:
        hint = TOKEN_HINT if link.refused in DENIED else None
        return Message("pipelines.server_failed", name=name, what=what, said=_last_words(link)), hint
    if what == START and link.place.address and _is_unreachable(error):
        address = public_address(link.place.address)
        return Message("pipelines.server_cannot_reached", name=name, address=address, said=_short(said)), DOWN_HINT
    return Message("pipelines.server_failed", name=name, what=what, said=_short(said)), None


def _is_unreachable(error: BaseException) -> bool:
    """Whether no connection was made; both majors of the library bring httpx, or its successor."""
    return isinstance(error, ConnectionError) or type(error).__name__ in ("ConnectError", "ConnectTimeout")


def _last_words(link: _Link) -> Message | str:
    """The last line that a server printed to standard error."""
    link.errors.flush()
    link.errors.seek(0)
    lines = [line.strip() for line in link.errors.read()[-TAIL:].splitlines() if line.strip()]
    return _short(lines[-1]) if lines else Message("pipelines.said_nothing")


def _texts(contents: Any) -> list[str]:
    """The texts among the contents of an answer."""
    found = [each for each in contents if isinstance(each, dict)] if isinstance(contents, list) else []
    return [each["text"] for each in found if each.get("type") == "text" and isinstance(each.get("text"), str)]


def _notices(given: Mapping[str, Any]) -> list[str]:
    """What a server of ours says beside its result."""
    meta = given.get("_meta")
    found = meta.get(NOTICES) if isinstance(meta, dict) else None
    return [_short(each, TAIL) for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _as_sent(value: Any) -> Any:
    """A value as JSON; texts of prompts as messages."""
    if isinstance(value, Prompt):
        return {"role": "user", "content": {"type": "text", "text": str(value)}}
    return [_as_sent(each) for each in value] if isinstance(value, list) else value


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
