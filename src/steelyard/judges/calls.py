"""Calls of a judge: answered from the journal, by the model, by a file of a batch, or not at all."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Protocol

from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.addresses import masked_url
from steelyard.io.records import read_records
from steelyard.io.results import dump
from steelyard.io.writing import write_whole
from steelyard.judges.journal import Journal, call_key
from steelyard.judges.prompts import Json, Request, messages_for
from steelyard.judges.replies import Answer, Recorded, read_reply, unscored
from steelyard.judges.spec import Judge
from steelyard.net.http import status_of
from steelyard.net.openai import NO_COMPLETION, completion_of, model_client
from steelyard.net.secrets import public_address
from steelyard.progress import ProgressCallback, no_progress
from steelyard.systems.ask import AskSettings, ask_all
from steelyard.systems.base import Ask, Failure, NothingOpen, Reply
from steelyard.table import Missing
from steelyard.text.normalisation import has_han

MODES: Final = ("json_schema", "json_object", "marker")
"""How an answer is asked for, from the strictest; a model that refuses one is asked by the next."""
NOT_ASKED: Final = unscored("missing.judge_not_asked")
GIVES_UP: Final = 10
"""Failed calls without one reply after which no further call is made."""
TOGETHER: Final = 512
"""Rows whose calls are made together, if nothing limits the calls."""
_SPEC: Final = re.compile(r"openai:(?P<model>.+?)@(?P<url>https?://.+)")
_ADDRESS: Final = re.compile("https?://")
# statuses of servers that do not know a response format
_UNKNOWN_FORMAT: Final = frozenset(
    (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED)
)
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """A request of an item, with what identifies it."""

    key: str
    item: str
    repeat: int
    language: str
    request: Request


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat model behind an OpenAI-compatible interface."""

    model: str
    url: str

    @classmethod
    def parse(cls, spec: str) -> "Endpoint":
        """Read `openai:MODEL@URL`."""
        parts = _SPEC.fullmatch(spec.strip())
        if not parts:
            name, at, url = spec.partition("@")
            shown = f"{name}{at}{masked_url(url)}" if _ADDRESS.match(url) else masked_url(spec)
            raise ConfigError(Message("judges.bad_model", value=shown), hint=Message("judges.model_hint"))
        return cls(parts["model"], parts["url"].rstrip("/"))

    @property
    def public(self) -> str:
        """The address without secrets, as keys and journals have it."""
        return public_address(self.url)


@dataclass(slots=True)
class Spending:
    """Calls, tokens and cost so far, and the most of each; prices are for a million tokens sent and received."""

    most_calls: float = math.inf
    most_tokens: float = math.inf
    most_cost: float = math.inf
    prices: tuple[float, float] = (0.0, 0.0)
    calls: int = 0
    sent: int = 0
    received: int = 0

    @property
    def cost(self) -> float:
        """What the tokens cost by the prices of the user."""
        return (self.sent * self.prices[0] + self.received * self.prices[1]) / _MILLION

    @property
    def is_over(self) -> bool:
        """Whether no further call may be made."""
        return (
            self.calls >= self.most_calls
            or self.sent + self.received >= self.most_tokens
            or self.cost >= self.most_cost
        )

    def add(self, sent: int, received: int) -> None:
        """Count the tokens of a call."""
        self.sent += sent
        self.received += received


class Asking(Protocol):
    """What is done with calls that the journal does not have."""

    def replies(self, calls: Iterable[Call]) -> Iterator[tuple[Call, Recorded | Missing]]:
        """Yield each call with its reply, or why it has none."""


class Offline:
    """Nothing is asked; the calls are kept, to be counted or written to a file for a batch."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def replies(self, calls: Iterable[Call]) -> Iterator[tuple[Call, Recorded | Missing]]:
        """Yield each call without a reply."""
        for call in calls:
            self.calls.append(call)
            yield call, NOT_ASKED


class Recordings:
    """Nothing is asked: what failed when a journal was written fails again."""

    def __init__(self, journal: Journal) -> None:
        self._failures = dict(journal.failures)

    def replies(self, calls: Iterable[Call]) -> Iterator[tuple[Call, Recorded | Missing]]:
        """Yield each call with the failure that was recorded, if there is one."""
        for call in calls:
            yield call, _failed(self._failures[call.key]) if call.key in self._failures else NOT_ASKED


class ChatModel(NothingOpen):
    """Asks a model; the first mode that it accepts is used for all further calls."""

    def __init__(
        self,
        judge: Judge,
        endpoint: Endpoint,
        *,
        key: str | None = None,
        settings: AskSettings | None = None,
        spending: Spending | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.name = endpoint.model
        self.spending = spending or Spending()
        self.settings = settings or AskSettings()
        self._judge = judge
        self._address = endpoint.public
        self._client = model_client(
            endpoint.url, "/chat/completions", key=key, timeout=self.settings.timeout, headers=headers
        )
        self._calls: dict[str, Call] = {}
        self._mode = 0
        self._failed: float = 0  # calls before the first reply
        self.refused: int | None = None  # the status of the last reply that was none

    def replies(self, calls: Iterable[Call]) -> Iterator[tuple[Call, Recorded | Missing]]:
        """Yield each call with its reply as soon as there is one, or why it failed; stop within the limits."""
        left = iter(calls)
        with closing(ask_all(self, self._asks(left), self.settings)) as answers:
            for ask, answer in answers:
                call = self._calls.pop(ask.id)
                yield call, self._outcome(call, answer)
        yield from ((call, NOT_ASKED) for call in left)

    @property
    def is_over(self) -> bool:
        """Whether no further call may be made: the limits are reached, or all calls so far failed."""
        return self.spending.is_over or self._failed >= GIVES_UP

    def _asks(self, calls: Iterator[Call]) -> Iterator[Ask]:
        while not self.is_over and (call := next(calls, None)) is not None:
            self.spending.calls += 1
            self._calls[call.key] = call
            yield Ask(call.key, "")

    def _outcome(self, call: Call, answer: Reply | Failure) -> Recorded | Missing:
        if isinstance(answer, Failure):
            self._failed += 1
            return _failed(str(answer.message))
        self._failed = -math.inf
        reply = Recorded(**answer.record)
        sent = reply.sent or tokens_about(self._judge, call)  # of a server that does not count
        self.spending.add(sent, reply.received or _tokens(reply.text or ""))
        return reply

    def ask(self, ask: Ask) -> Reply:
        """Ask once, in the strictest mode that the model accepts."""
        call, mode = self._calls[ask.id], self._mode
        while True:
            try:
                value = self._client.post(body_of(self._judge, call, self.name, MODES[mode]))
            except SystemFailure as failure:
                self.refused = status_of(failure)
                if self.refused not in _UNKNOWN_FORMAT or mode + 1 == len(MODES):
                    raise
                mode += 1
            else:
                if not _has_choices(value):
                    raise SystemFailure(NO_COMPLETION, where=self._address)
                self._mode = max(self._mode, mode)
                return Reply(_recorded(value, MODES[mode]))


def body_of(judge: Judge, call: Call, model: str, mode: str) -> Json:
    """Return the body of a request."""
    schema = {"name": "answer", "strict": True, "schema": call.request.schema}
    formats: dict[str, Json] = {
        "json_schema": {"response_format": {"type": "json_schema", "json_schema": schema}},
        "json_object": {"response_format": {"type": "json_object"}},
        "marker": {},
    }
    messages = messages_for(judge, call.request, call.language, marked=mode == "marker")
    extra = judge.parameters.get("extra_body") or {}
    parameters = {name: value for name, value in judge.parameters.items() if name != "extra_body"}
    return {"model": model, "messages": messages, **parameters, **extra, **formats[mode]}


def recorded_of(value: Any, mode: str = MODES[0]) -> Recorded:
    """Return what a journal keeps of a completion; one of several files of replies may be in any mode."""
    return Recorded(**_recorded(value, mode))


def _recorded(value: Any, mode: str) -> dict[str, Any]:
    found = completion_of(value)
    return {
        "text": found.text,
        "refusal": found.refusal or "",
        "finish": found.finish_reason or "",
        "sent": found.sent or 0,
        "received": found.received or 0,
        "mode": mode,
    }


def _has_choices(value: Any) -> bool:
    """Return whether a reply is a completion; some servers say what failed with status 200."""
    return isinstance(value, Mapping) and isinstance(value.get("choices"), list) and bool(value["choices"])


def _failed(why: str) -> Missing:
    return Missing("error", Message("missing.judge_failed", why=why))


def tokens_about(judge: Judge, call: Call) -> int:
    """Return about how many tokens a request has."""
    return sum(_tokens(message["content"]) for message in messages_for(judge, call.request, call.language))


def _tokens(text: str) -> int:
    """Return about how many tokens a text has: one for a Chinese character, or for four others."""
    return math.ceil(sum(1 if has_han(char) else 0.25 for char in text))


@dataclass(slots=True)
class Caller:
    """Answers of a judge: from the journal where it has them, else by asking, with every reply written down first.

    `progress` is told of each reply, and of the calls that are known so far: a row that is `ahead` takes at least one.
    `asks_again` asks anew where a reply cannot be read. `together` is the
    number of rows whose calls are made together. `failed` counts calls without a reply, and with `stopped` some were
    not made.
    """

    judge: Judge
    endpoint: Endpoint
    journal: Journal
    asking: Asking
    progress: ProgressCallback = no_progress
    used: dict[str, Recorded] = field(default_factory=dict)
    stopped: bool = False
    failed: int = 0
    asks_again: bool = False
    together: int = TOGETHER
    ahead: int = 0
    made: int = 0

    def call(self, item: str, request: Request, language: str, repeat: int) -> Call:
        """Return the call of a request."""
        messages = messages_for(self.judge, request, language)
        identity = (self.endpoint.public, self.endpoint.model, messages, self.judge.parameters, request.schema, repeat)
        return Call(call_key(*identity), item, repeat, language, request)

    def answers(self, calls: Iterable[Call]) -> dict[str, Answer]:
        """Return the answer of each call by its key."""
        wanted = {call.key: call for call in calls}
        missing = [call for call in wanted.values() if not self._has(call)]
        failed: dict[str, Answer] = {}
        known = self.made + len(missing) + self.ahead
        for call, reply in self.asking.replies(missing) if missing else ():
            self.made += 1
            self.progress(self.made, known)
            place = {"item": call.item, "step": call.request.step, "repeat": call.repeat}
            if isinstance(reply, Recorded):
                self.journal.add(call.key, place, reply)
            else:
                failed[call.key] = Answer(None, self._without(call, reply, place))
        return {key: failed.get(key) or self._read(call) for key, call in wanted.items()}

    def _has(self, call: Call) -> bool:
        reply = self.journal.replies.get(call.key)
        if reply is None or not self.asks_again or call.key in self.used:
            return reply is not None
        return read_reply(reply, call.request.schema, self.judge.reading).value is not None

    def _without(self, call: Call, why: Missing, place: Json) -> Missing:
        """Return why a call has no reply; what fails for another reason than before is written down."""
        if why == NOT_ASKED:
            self.stopped = True
            return why
        self.failed += 1
        if self.journal.failures.get(call.key) != why.reason.args["why"]:
            self.journal.fail(call.key, place, why.reason.args["why"])
        return why

    def _read(self, call: Call) -> Answer:
        reply = self.journal.replies[call.key]
        self.used[call.key] = reply
        return read_reply(reply, call.request.schema, self.judge.reading)


# --- files of batches ---


def write_calls(path: Path, judge: Judge, endpoint: Endpoint, calls: Sequence[Call], *, overwrite: bool) -> None:
    """Write calls as lines `{"custom_id", "method", "url", "body"}`; the id is the key of the journal."""
    fixed = {"method": "POST", "url": "/v1/chat/completions"}
    lines = (
        {"custom_id": call.key, **fixed, "body": body_of(judge, call, endpoint.model, "json_schema")} for call in calls
    )
    write_whole(path, "".join(dump(line) + "\n" for line in lines), overwrite=overwrite)


def read_replies(path: Path, journal: Journal) -> tuple[set[str], int]:
    """Append the replies of a batch to the journal; return their keys, and how many calls of the batch failed."""
    records, _ = read_records(path)
    found: dict[str, Recorded] = {}
    failed = 0
    for record in records:
        match record.fields:
            case {"custom_id": str(key), "response": {"status_code": 200, "body": body}} if _has_choices(body):
                reply = recorded_of(body)
                if found.setdefault(key, reply) != reply:
                    raise InputError(Message("judges.batch_contradicts", key=key), where=record.where)
                if journal.replies.get(key) != reply:
                    journal.add(key, {"item": "", "step": "batch", "repeat": 0}, reply)
            case {"custom_id": str(), "response": _} | {"custom_id": str(), "error": _}:
                failed += 1
            case _:
                hint = Message("judges.batch_hint")
                raise InputError(Message("judges.not_a_batch"), where=record.where, hint=hint)
    return set(found), failed
