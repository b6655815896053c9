"""Models behind judges: their options, limits and journals, and the second tier of `answers` and `bench`."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.cli import options
from steelyard.cli.console import notify, proportion
from steelyard.cli.options import Group, argument, flag
from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message, words_of
from steelyard.io.results import utc_now
from steelyard.io.reviews import Judgement
from steelyard.judges.calls import Caller, ChatModel, Endpoint, Spending
from steelyard.judges.journal import SUFFIX, VERSION, Journal
from steelyard.judges.run import Source, spent
from steelyard.judges.spec import Judge, judge_to_run
from steelyard.judges.tasks import default_metrics
from steelyard.judges.tier import metric_of, second_tier
from steelyard.stats.review import with_reviews
from steelyard.systems.ask import AskSettings
from steelyard.table import Table

KEY: Final = "OPENAI_API_KEY"
"""The variable of the environment that has the key of a model."""
MOST_FAILED: Final = 0.05
_TIER: Final = AskSettings(timeout=120.0, retries=4)
"""How the second tier asks: as `judge run` does by default."""
_REFUSED: Final[Mapping[int | None, str]] = {
    None: "judges.unreachable_hint",
    HTTPStatus.UNAUTHORIZED: "judges.refused_key_hint",
    HTTPStatus.FORBIDDEN: "judges.refused_key_hint",
    HTTPStatus.NOT_FOUND: "judges.not_found_hint",
}
"""Status of a reply → what to do about it; without a status, nobody answered."""


def model_name(spec: str | None) -> str:
    """Return the name of the model of a SPEC; its address is no part of the judge."""
    return "" if spec is None else Endpoint.parse(spec).model


def journal_header(
    judge: Judge, source: Source | None, endpoint: Endpoint, metrics: Sequence[str], name: str | None = None
) -> dict[str, Any]:
    """Return the first line of a journal; without a source, the result can only be made again by its own command."""
    return {
        "journal": VERSION,
        "judge": judge.as_dict(),
        "hash": judge.hash,
        "model": endpoint.model,
        "endpoint": endpoint.public,
        "source": None if source is None else source.as_dict(),
        "metrics": list(metrics),
        "name": name,
        "created": utc_now(),
    }


def spending_of(arguments: argparse.Namespace) -> Spending:
    """Return the limits of a command."""
    limits = {name: getattr(arguments, f"max_{name}") for name in ("calls", "tokens", "cost")}
    given = {f"most_{name}": value for name, value in limits.items() if value is not None}
    if arguments.max_cost is not None and arguments.prices is None:
        raise ConfigError(Message("judges.no_prices"), hint=Message("judges.prices_hint"))
    return Spending(**given, prices=arguments.prices or (0.0, 0.0))


def chat_model(judge: Judge, endpoint: Endpoint, arguments: argparse.Namespace) -> ChatModel:
    """Return the model of a command; the key is that of the environment."""
    settings = AskSettings(
        concurrency=arguments.concurrency, timeout=arguments.timeout, retries=arguments.retries, rate=arguments.rate
    )
    return ChatModel(judge, endpoint, key=os.environ.get(KEY), settings=settings, spending=spending_of(arguments))


def with_limits(caller: Caller, arguments: argparse.Namespace) -> Caller:
    """Return a caller for a command; if calls are limited, few rows are begun before others are complete."""
    limits = (arguments.max_calls, arguments.max_tokens, arguments.max_cost)
    together = caller.together if limits == (None,) * len(limits) else arguments.concurrency
    return replace(caller, together=together, asks_again=getattr(arguments, "ask_again", False))


@contextmanager
def notice_when_stopped(journal: Journal) -> Iterator[None]:
    """Say how to go on when a run is stopped by Ctrl-C or SIGTERM: the journal has all replies."""
    try:
        yield
    except KeyboardInterrupt:
        hint = Message("core.hint", hint=Message("judges.stopped_hint", path=journal.path))
        notify(Message("judges.stopped", calls=len(journal.replies)), hint)
        raise


def notify_spent(spending: Spending, journal: Journal) -> None:
    """Say on standard error what the calls of a run took."""
    tokens = {"sent": f"{spending.sent:,}", "received": f"{spending.received:,}"}
    notify(Message("judges.spent", calls=spending.calls, **tokens, path=journal.path))
    if spending.cost:
        notify(Message("judges.cost", cost=f"{spending.cost:.4g}"))


MAX_ERRORS: Final = argument(
    "--max-errors", type=options.share, default=MOST_FAILED, metavar="SHARE", help="help.judge_max_errors"
)
MODEL: Final = Group(
    "help.group_model",
    [
        argument("--model", metavar="SPEC", help="help.judge_model"),
        argument("--repeats", type=options.positive, metavar="N", help="help.judge_repeats"),
        argument("--journal", metavar="FILE", help="help.judge_journal"),
        flag("--resume", help="help.judge_resume"),
        argument("-j", "--concurrency", type=options.at_a_time, default=4, metavar="N", help="help.judge_concurrency"),
        argument("--timeout", type=options.seconds, default=120.0, metavar="S", help="help.attempt_timeout"),
        argument("--retries", type=options.further_attempts, default=4, metavar="N", help="help.retries"),
        argument("--rate", type=options.rate, metavar="R", help="help.rate"),
        argument("--max-calls", type=options.positive, metavar="N", help="help.judge_max_calls"),
        argument("--max-tokens", type=options.positive, metavar="N", help="help.max_tokens"),
        argument("--max-cost", type=options.amount, metavar="COST", help="help.max_cost"),
        argument("--prices", type=options.prices, metavar="IN,OUT", help="help.prices"),
        MAX_ERRORS,
    ],
)


class SecondTier:
    """The judges of a command that decide what rules call uncertain; all results share its limits of calls and cost."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        if arguments.model is None:
            raise ConfigError(Message("judges.no_model"), hint=Message("judges.model_hint"))
        self._arguments = arguments
        self._endpoint = Endpoint.parse(arguments.model)
        self._judges = [judge_to_run(name).with_model(self._endpoint.model) for name in arguments.judge]
        self._spending = spending_of(arguments)
        self._callers: list[Caller] = []

    def decide(self, table: Table, beside: Path | None) -> tuple[Table, list[Judgement]]:
        """Return a result with the verdicts of the judges on what is uncertain, and these as reviews.

        Journals are those named, else `beside` a results file, one for each judge.
        """
        judgements: list[Judgement] = []
        for judge in self._judges:
            metric_of(table, judge)
            made, calls = self._decided(table, judge, beside)
            judgements += made
            counts = {code: table.counts.get(code, 0) + count for code, count in calls.items()}
            table = replace(with_reviews(table, made) if made else table, counts={**table.counts, **counts})
        return table, judgements

    def check(self) -> None:
        """Raise an error if calls were not made, or more than a few failed; results are written by then."""
        for caller in self._callers:
            check_calls(caller, MOST_FAILED, caller.judge.name)

    def _decided(self, table: Table, judge: Judge, beside: Path | None) -> tuple[list[Judgement], dict[str, int]]:
        suffix = f".{judge.name}{SUFFIX}"
        path = Path("results", suffix.lstrip(".")) if beside is None else beside.with_suffix(suffix)
        header = journal_header(judge, None, self._endpoint, default_metrics(judge))
        model = ChatModel(judge, self._endpoint, key=os.environ.get(KEY), settings=_TIER, spending=self._spending)
        with Journal.open(Path(self._arguments.journal or path), header, resume=True) as journal:
            with proportion(words_of(self._arguments.lang)("cli.progress_calls")) as progress:
                caller = Caller(judge, self._endpoint, journal, model, progress)
                made = second_tier(table, judge, caller, everything=self._arguments.judge_all)
            notify_spent(self._spending, journal)
        self._callers.append(caller)
        return made, spent(caller)


def check_calls(caller: Caller, most: float, name: str) -> None:
    """Raise an error if calls of a judge were not made, or a larger share of them failed than may."""
    path = caller.journal.path
    calls = len(caller.used) + caller.failed
    if caller.failed > most * calls:
        why = next(reversed(caller.journal.failures.values()), "")
        counts = {"failed": caller.failed, "calls": calls}
        message = Message("judges.too_many_failed", **counts, why=why, endpoint=caller.endpoint.public)
        raise SystemFailure(message, where=name, hint=Message(_hint_code(caller), path=path))
    if caller.stopped:
        hint = Message("judges.stopped_hint", path=path)
        raise SystemFailure(Message("judges.stopped", calls=len(caller.used)), where=name, hint=hint)


def _hint_code(caller: Caller) -> str:
    """Return what to do about calls that failed: above all if not one has a reply."""
    refused = caller.asking.refused if isinstance(caller.asking, ChatModel) else 0
    if refused is None and caller.used:
        return "judges.stopped_hint"
    return _REFUSED.get(refused, "judges.stopped_hint")
