"""Arguments of commands as tables, those that several commands share, and what their values mean."""

import argparse
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from steelyard import limits
from steelyard.cli.console import add_log_options
from steelyard.errors import ConfigError, InputError
from steelyard.i18n import LANGUAGES, Language, Message
from steelyard.io.addresses import path_of
from steelyard.io.streams import is_folder

if TYPE_CHECKING:
    from steelyard.cli.models import SecondTier
    from steelyard.stats.belief import Calibrations

CHOSEN: Final = ContextVar[Language]("CHOSEN", default="en")
"""The language of the parser that is being built or used."""
LARGEST: Final = 10**12
_LONGEST_NUMBER: Final = 40  # characters


class Argument(NamedTuple):
    """The names and the settings of `add_argument`; texts are codes of the catalogue."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]


class Group(NamedTuple):
    """Arguments under a title of the help; without a title they are with those that have no group."""

    title: str | None
    arguments: Sequence[Argument]


class Command(NamedTuple):
    """A command: the function that runs it, its arguments in the order of its usage, and values without an option."""

    run: Callable[[argparse.Namespace], int]
    arguments: Sequence[Argument | Group]
    defaults: Mapping[str, Any] = {}

    def put_into(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments to the parser of the command."""
        for entry in self.arguments:
            group = entry if isinstance(entry, Group) else Group(None, [entry])
            target = parser if group.title is None else parser.add_argument_group(group.title)
            for names, settings in group.arguments:
                target.add_argument(*names, **settings)
        parser.set_defaults(run=self.run, lang=CHOSEN.get(), **self.defaults)


class Actions(NamedTuple):
    """A command with actions, each with arguments of its own; their texts are `help.NAME_ACTION` and `…_about`."""

    name: str
    actions: Mapping[str, Command]

    def put_into(self, parser: argparse.ArgumentParser) -> None:
        """Add the actions to the parser of the command."""
        actions = parser.add_subparsers(metavar="ACTION", required=True)
        for name, command in self.actions.items():
            code = f"help.{self.name}_{name}"
            action = actions.add_parser(name, help=code, description=f"{code}_about")
            command.put_into(action)
            action.allow_abbrev = False
            add_log_options(action)


def argument(*names: str, **settings: Any) -> Argument:
    """Return an argument with the settings of `ArgumentParser.add_argument`."""
    return Argument(names, settings)


def flag(*names: str, help: str) -> Argument:
    """Return an option without a value."""
    return Argument(names, {"action": "store_true", "help": help})


def repeated(*names: str, **settings: Any) -> Argument:
    """Return an option that may be given several times."""
    return Argument(names, {"action": "append", "default": [], **settings})


def old_spelling(old: str, new: str) -> Argument:
    """Return an old spelling of a flag, which is accepted and not documented."""
    return argument(old, dest=new.lstrip("-").replace("-", "_"), action="store_true", help=argparse.SUPPRESS)


# --- values ---


def refused(code: str, /, **args: Any) -> argparse.ArgumentTypeError:
    """Return the error of a value that an option does not accept, as a message of the catalogue."""
    return argparse.ArgumentTypeError(Message(code, **args).text(CHOSEN.get()))


def cutoffs(text: str) -> list[int]:
    """Read integers of at least 1, separated by commas."""
    return [positive(part) for part in text.split(",")]


def positive(text: str) -> int:
    """Read an integer of at least 1."""
    return _whole(text, least=1)


def natural(text: str) -> int:
    """Read an integer of at least 0."""
    return _whole(text, least=0)


def _whole(text: str, *, least: int) -> int:
    plain = text.strip()
    if not re.fullmatch(r"[+-]?[0-9]+", plain):
        raise refused("cli.must_be_integer", text=text[:40])
    if len(plain) > _LONGEST_NUMBER or not least <= int(plain) <= LARGEST:
        raise refused("cli.must_be_between", low=least, high=f"{LARGEST:,}", text=plain[:40])
    return int(plain)


def _within(number: float, limit: limits.Limit) -> float:
    if number > limit.value:
        raise refused("cli.must_be_at_most", limit=limits.shown(limit.value), hint=limit.hint)
    return number


def prices(text: str) -> tuple[float, float]:
    """Read the prices of a million tokens, sent and received: 0.5,1.5."""
    parts = text.split(",")
    try:
        sent, received = (float(part) for part in parts)
    except ValueError:
        raise refused("judges.bad_prices", text=text) from None
    if not (math.isfinite(sent + received) and min(sent, received) >= 0):
        raise refused("judges.bad_prices", text=text)
    return sent, received


def at_a_time(text: str) -> int:
    """Read a number of concurrent questions or threads."""
    return int(_within(positive(text), limits.CONCURRENCY))


def processes(text: str) -> int:
    """Read a number of processes."""
    return int(_within(positive(text), limits.PROCESSES))


def further_attempts(text: str) -> int:
    """Read a number of retries."""
    return int(_within(natural(text), limits.RETRIES))


def resamples(text: str) -> int:
    """Read a number of resamples."""
    return int(_within(positive(text), limits.RESAMPLES))


def seconds(text: str) -> float:
    """Read a time above 0."""
    return _within(_above_0(text, "cli.must_be_seconds"), limits.TIMEOUT_SECONDS)


def amount(text: str) -> float:
    """Read an amount above 0."""
    return _above_0(text, "cli.must_be_above_0")


def rate(text: str) -> float:
    """Read a number per second above 0, within the limit for the time between two attempts."""
    number = _above_0(text, "cli.must_be_above_0")
    if 1 / number > (longest := limits.INTERVAL_SECONDS.value):
        raise refused("cli.rate_too_low", longest=longest, hint=limits.INTERVAL_SECONDS.hint)
    return number


def _above_0(text: str, code: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise refused(code, text=text[:40])
    return number


def share(text: str) -> float:
    """Read a share as a number from 0 to 1, or in percent: 0.05 or 5%."""
    number, is_percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        value = float(number) / (100 if is_percent else 1)
    except ValueError:
        raise refused("cli.must_be_share", text=text) from None
    if not 0 <= value <= 1:
        raise refused("cli.share_out_of_range", text=text)
    return value


def fraction(text: str) -> float:
    """Read a number between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        raise refused("cli.must_be_number", text=text) from None
    if not 0 < number < 1:
        raise refused("cli.must_be_between", low=0, high=1, text=text)
    return number


def name_of_result(text: str) -> str:
    """Read a name that is not blank."""
    if not text.strip():
        raise refused("cli.must_not_be_blank")
    return text.strip()


def field_name(text: str) -> tuple[str, str]:
    """Read FIELD=NAME as a pair."""
    field, equals, name = text.partition("=")
    if not (field and equals and name):
        raise refused("cli.must_be_field", text=text)
    return field, name


# --- arguments that several commands have ---

LANGUAGE: Final = argument("--lang", choices=LANGUAGES, help="help.lang")
JSON: Final = flag("--json", help="help.json")
MASK: Final = flag("--mask", help="help.mask")
OVERWRITE: Final = flag("--overwrite", help="help.overwrite")
DOCUMENTS: Final = argument("--documents", type=Path, metavar="DIR", help="help.documents")
BENCHMARK: Final = argument("--benchmark", metavar="DIR", help="help.benchmark")
UNITS: Final = argument("--units", choices=("auto", "items", "documents"), default="auto", help="help.units")
LOWER_IS_BETTER: Final = repeated("--lower-is-better", metavar="NAME", help="help.lower_is_better")
NAME: Final = repeated("--name", type=name_of_result, metavar="NAME", help="help.result_name")
METRICS_FROM: Final = repeated("--metrics-from", metavar="MODULE", help="help.metrics_from")
SEED: Final = argument("--seed", type=natural, default=42, metavar="N", help="help.seed")
SYSTEMS: Final = argument("--systems", action="append", metavar="NAME", help="help.systems")
BASELINE: Final = argument("--baseline", metavar="NAME", help="help.baseline")
ENGINE: Final = argument("--engine", choices=("local", "ray", "dask"), help="help.engine")
ADDRESS: Final = argument("--address", metavar="ADDRESS", help="help.address")

ENGINES: Final = Group(
    "help.group_engine",
    [
        ENGINE,
        ADDRESS,
        argument("--retries", type=further_attempts, metavar="N", help="help.part_retries"),
        flag("--resume", help="help.resume_parts"),
    ],
)
TIER: Final = Group(
    "help.group_tier",
    [
        repeated("--judge", metavar="JUDGE", help="help.tier_judge"),
        argument("--model", metavar="SPEC", help="help.judge_model"),
        flag("--judge-all", help="help.judge_all"),
        argument("--journal", metavar="FILE", help="help.judge_journal"),
        argument("--max-calls", type=positive, metavar="N", help="help.judge_max_calls"),
        argument("--max-tokens", type=positive, metavar="N", help="help.max_tokens"),
        argument("--max-cost", type=amount, metavar="COST", help="help.max_cost"),
        argument("--prices", type=prices, metavar="IN,OUT", help="help.prices"),
    ],
)
TESTS: Final = Group(
    "help.group_comparison",
    [
        argument(
            "--test",
            choices=("permutation", "t", "wilcoxon", "sign", "bootstrap"),
            default="permutation",
            help="help.test",
        ),
        argument("--resamples", type=resamples, metavar="N", help="help.resamples"),
        argument("--correction", choices=("holm", "bh", "bonferroni", "none"), default="holm", help="help.correction"),
        argument("--family", choices=("all", "metric"), default="all", help="help.family"),
        argument("--alpha", type=fraction, default=0.05, metavar="A", help="help.alpha"),
        SEED,
        UNITS,
    ],
)
LEAST_KAPPA: Final = argument("--least-kappa", type=share, metavar="K", help="help.least_kappa")
CALIBRATIONS: Final = (repeated("--calibration", metavar="FILE", help="help.calibration"), LEAST_KAPPA)
PLOTTED: Final = ("means", "differences", "cutoffs", "precision-recall", "items", "costs")
OUTPUT: Final = Group(
    "help.group_output",
    [
        repeated("-o", "--output", type=path_of, metavar="FILE", help="help.output"),
        argument("--plot", choices=PLOTTED, help="help.plot"),
        OVERWRITE,
        JSON,
        flag("-q", "--per-item", help="help.per_item"),
        LANGUAGE,
    ],
)


# --- what the values are used for ---


def second_tier(arguments: argparse.Namespace) -> "SecondTier | None":
    """Return the judges of the command, if it has some."""
    if not arguments.judge:
        if arguments.model is not None:
            raise ConfigError(Message("judges.model_without_judge"), hint=Message("judges.model_without_judge_hint"))
        return None
    from steelyard.cli.models import SecondTier

    return SecondTier(arguments)


def calibrations_of(arguments: argparse.Namespace) -> "Calibrations":
    """Read the calibrations of judges."""
    from steelyard.stats.belief import Calibrations
    from steelyard.stats.calibration import LEAST_KAPPA, read_calibration

    least = LEAST_KAPPA if arguments.least_kappa is None else arguments.least_kappa
    return Calibrations([read_calibration(path) for path in arguments.calibration], least)


def documents_folder(arguments: argparse.Namespace) -> Path | None:
    """Return the folder of --documents; it must exist."""
    folder: Path | None = arguments.documents
    if folder is not None and not is_folder(folder):
        raise InputError(Message("cli.no_such_folder"), where=str(folder))
    return folder


def mapping_of(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return fields and their columns, each field once."""
    columns: dict[str, str] = {}
    for field, name in pairs:
        if columns.setdefault(field, name) != name:
            raise ConfigError(Message("cli.duplicate_mapping", field=field, found=columns[field], name=name))
    return columns


def result_names(paths: Sequence[str], given: Sequence[str] = ()) -> list[str]:
    """Return the names of results: those given, else file names without folders and extensions; made unique."""
    from steelyard.io.records import result_name, unique_names

    if given and len(given) != len(paths):
        raise ConfigError(Message("cli.names_differ", names=len(given), files=len(paths)))
    return unique_names(given or [result_name(path) for path in paths])
