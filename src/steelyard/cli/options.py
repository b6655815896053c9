"""Options that several commands share."""

import argparse
import math
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard import limits
from steelyard.cli.language import chosen_language, refused
from steelyard.cli.log import OPTIONS as LOG_OPTIONS
from steelyard.i18n import LANGUAGES, Message
from steelyard.io.addresses import path_of

if TYPE_CHECKING:
    from steelyard.engines.base import Engine
    from steelyard.stats.compare import ComparisonSettings
    from steelyard.stats.rules import Rule
    from steelyard.table import Table

TESTS = ("permutation", "t", "wilcoxon", "sign", "bootstrap")
UNITS = ("auto", "items", "documents")
CORRECTIONS = ("holm", "bh", "bonferroni", "none")
LARGEST = 10**12
# options that the results of parts do not depend on
_OF_OUTPUT = ("output", "plot", "overwrite", "json", "per_item", "lang")
_OF_ENGINES = ("engine", "address", "retries", "resume", "concurrency")
_OF_TESTS = ("test", "resamples", "correction", "alpha", "seed", "units")
_NO_SETTINGS = frozenset(("run", *_OF_OUTPUT, *_OF_ENGINES, *_OF_TESTS, *LOG_OPTIONS))
_LONGEST_NUMBER = 40  # characters


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """-m, -k and --metrics-from."""
    group = parser.add_argument_group("help.group_metrics")
    group.add_argument("-m", "--metric", action="append", metavar="NAME", help="help.metric")
    group.add_argument("-k", "--cutoffs", type=cutoffs, metavar="1,5,10", help="help.cutoffs")
    group.add_argument("--metrics-from", action="append", default=[], metavar="MODULE", help="help.metrics_from")


PLOTTED = ("means", "differences", "cutoffs", "precision-recall", "items")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """-o, --json, -q and the language."""
    group = parser.add_argument_group("help.group_output")
    group.add_argument(
        "-o",
        "--output",
        action="append",
        type=path_of,
        default=[],
        metavar="FILE",
        help="help.output",
    )
    group.add_argument("--plot", choices=PLOTTED, help="help.plot")
    add_overwrite_option(group)
    group.add_argument("--json", action="store_true", help="help.json")
    group.add_argument("-q", "--per-item", action="store_true", help="help.per_item")
    add_language_option(group)


def add_overwrite_option(parser: Any) -> None:
    """--overwrite, required to replace results files and reviews."""
    parser.add_argument("--overwrite", action="store_true", help="help.overwrite")


def add_language_option(parser: Any) -> None:
    """--lang; the default is the language of the locale."""
    parser.add_argument("--lang", choices=LANGUAGES, default=chosen_language(), help="help.lang")


def add_test_options(parser: argparse.ArgumentParser) -> None:
    """The options of significance tests."""
    group = parser.add_argument_group("help.group_comparison")
    group.add_argument("--test", choices=TESTS, default="permutation", help="help.test")
    group.add_argument("--resamples", type=resamples, default=10_000, metavar="N", help="help.resamples")
    group.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default="holm",
        help="help.correction",
    )
    group.add_argument("--alpha", type=fraction, default=0.05, metavar="A", help="help.alpha")
    group.add_argument("--seed", type=natural, default=42, metavar="N", help="help.seed")
    add_units_option(group)


def add_choice_options(parser: Any) -> None:
    """--systems and --baseline: which results of the files, and which of them the others are compared with."""
    parser.add_argument("--systems", action="append", metavar="NAME", help="help.systems")
    parser.add_argument("--baseline", metavar="NAME", help="help.baseline")


def add_direction_option(parser: Any) -> None:
    """The option that declares of which metrics less is better."""
    parser.add_argument("--lower-is-better", action="append", default=[], metavar="NAME", help="help.lower_is_better")


def declare_directions(arguments: argparse.Namespace) -> None:
    """Declare what the option says."""
    from steelyard.stats.direction import lower_is_better

    lower_is_better(*arguments.lower_is_better)


def add_units_option(parser: Any) -> None:
    """--units: which scope decides."""
    parser.add_argument("--units", choices=UNITS, default="auto", help="help.units")


def add_engine_options(parser: argparse.ArgumentParser, *, parts: bool = True) -> None:
    """--engine and --address; with `parts`, also --retries and --resume, which other commands have for questions."""
    group = parser.add_argument_group("help.group_engine")
    group.add_argument("--engine", choices=("local", "ray", "dask"), help="help.engine")
    group.add_argument("--address", metavar="ADDRESS", help="help.address")
    if parts:
        group.add_argument("--retries", type=further_attempts, metavar="N", help="help.part_retries")
        group.add_argument("--resume", action="store_true", help="help.resume_parts")


@contextmanager
def chosen_engine(arguments: argparse.Namespace, default: str | None = None) -> "Iterator[Engine | None]":
    """The engine of --engine, or the default, with the workers of -j; it is closed at the end."""
    from steelyard.engines.base import open_engine

    name = arguments.engine or default or ("local" if arguments.address else None)
    if name is None:
        yield None
        return
    with redirect_stdout(sys.stderr):  # Ray prints what it has to say about lost nodes
        engine = open_engine(name, workers=arguments.concurrency, address=arguments.address, retries=arguments.retries)
        try:
            yield engine
        finally:
            engine.close()


@contextmanager
def checkpoint_engine(
    arguments: argparse.Namespace, inputs: Sequence[str], default: str | None = None
) -> "Iterator[Engine | None]":
    """The same; beside a results file the results of parts are kept until `forget_parts`, for --resume."""
    from steelyard.engines.checkpoints import CheckpointEngine, begin, file_state, parts_folder
    from steelyard.errors import ConfigError

    folder = parts_folder(arguments.output)
    if arguments.resume and folder is None:
        raise ConfigError(Message("cli.nothing_to_resume"), hint=Message("cli.resume_hint"))
    is_local = all(_is_regular(path) for path in inputs)  # stdin, folders and objects may change unnoticed
    if arguments.resume and not is_local:
        raise ConfigError(Message("cli.nothing_to_resume"), hint=Message("engines.only_files"))
    with chosen_engine(arguments, "local" if arguments.resume else default) as engine:
        if engine is None and arguments.retries is not None:
            raise ConfigError(Message("engines.retries_without_engine"), hint=Message("engines.engine_hint"))
        if engine is None or folder is None or not is_local:
            yield engine
            return
        settings = {name: str(value) for name, value in vars(arguments).items() if name not in _NO_SETTINGS}
        begin(folder, resume=arguments.resume)
        kept = CheckpointEngine(engine, folder, [settings, [file_state(path) for path in inputs]])
        with kept.explained():
            yield kept


def _is_regular(path: str) -> bool:
    from steelyard.io.addresses import Address, addressed
    from steelyard.io.streams import STDIN, is_file

    return path != STDIN and not isinstance(addressed(path), Address) and is_file(path)


def allow_same_results(arguments: argparse.Namespace, tables: "Sequence[Table]") -> None:
    """With --resume, a results file that has these results may be written again: the command was stopped after it."""
    from steelyard.io.results import load_all

    def about(tables: "Sequence[Table]") -> list[object]:
        scores = [{name: repr(each.values.tolist()) for name, each in table.columns.items()} for table in tables]
        return [scores, [(table.name, str(table.signature), list(table.ids)) for table in tables]]

    held = [path for path in arguments.output if path.suffix.lower() == ".jsonl" and path.exists()]
    if arguments.resume and not arguments.overwrite and all(about(load_all(path)) == about(tables) for path in held):
        arguments.overwrite = True


def forget_parts(arguments: argparse.Namespace) -> None:
    """Remove the results of parts once the files of the command are written."""
    from steelyard.engines.checkpoints import parts_folder, remove

    folder = parts_folder(arguments.output)
    if folder is not None:
        remove(folder)


def add_documents_option(parser: Any) -> None:
    """--documents: a further folder from which documents may be read."""
    parser.add_argument("--documents", type=Path, metavar="DIR", help="help.documents")


def add_old_spelling(parser: argparse.ArgumentParser, old: str, new: str) -> None:
    """Accept an old spelling of an option without documenting it."""
    parser.add_argument(old, dest=new.lstrip("-").replace("-", "_"), action="store_true", help=argparse.SUPPRESS)


def documents_folder(arguments: argparse.Namespace) -> "Path | None":
    """The folder of --documents; it must exist."""
    from steelyard.errors import InputError
    from steelyard.io.streams import is_folder

    folder: Path | None = arguments.documents
    if folder is not None and not is_folder(folder):
        raise InputError(Message("cli.no_such_folder"), where=str(folder))
    return folder


def comparison_settings(arguments: argparse.Namespace) -> "ComparisonSettings":
    """The settings given by the test options."""
    from steelyard.stats.compare import ComparisonSettings

    return ComparisonSettings(
        arguments.test,
        arguments.resamples,
        arguments.seed,
        arguments.correction,
        arguments.alpha,
        arguments.units,
    )


def read_rules(texts: Sequence[str], types: Sequence[str] = ()) -> "list[Rule]":
    """The rules that are written out, then those about types whose items may not fall."""
    from steelyard.stats.rules import NoRegression, Target, parse_rule

    return [*map(parse_rule, texts), *(NoRegression(Target(name)) for name in types)]


def cutoffs(text: str) -> list[int]:
    """Integers of at least 1, separated by commas."""
    return [positive(part) for part in text.split(",")]


def positive(text: str) -> int:
    """An integer of at least 1."""
    return _whole(text, least=1)


def natural(text: str) -> int:
    """An integer of at least 0."""
    return _whole(text, least=0)


def seconds(text: str) -> float:
    """A time above 0."""
    number = _number(text)
    if not 0 < number < math.inf:
        raise refused("cli.must_be_seconds", text=text[:40])
    return _within(number, limits.TIMEOUT_SECONDS)


def rate(text: str) -> float:
    """A number per second above 0, within the limit for the time between two attempts."""
    number = _number(text)
    if not 0 < number < math.inf:
        raise refused("cli.must_be_above_0", text=text[:40])
    if 1 / number > (longest := limits.INTERVAL_SECONDS.value):
        raise refused("cli.rate_too_low", longest=longest, hint=limits.INTERVAL_SECONDS.hint)
    return number


def at_a_time(text: str) -> int:
    """A number of concurrent questions or threads."""
    return int(_within(positive(text), limits.CONCURRENCY))


def processes(text: str) -> int:
    """A number of processes."""
    return int(_within(positive(text), limits.PROCESSES))


def further_attempts(text: str) -> int:
    """A number of retries."""
    return int(_within(natural(text), limits.RETRIES))


def resamples(text: str) -> int:
    """A number of resamples."""
    return int(_within(positive(text), limits.RESAMPLES))


def _within(number: float, limit: limits.Limit) -> float:
    if number > limit.value:
        raise refused("cli.must_be_at_most", limit=limits.shown(limit.value), hint=limit.hint)
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def share(text: str) -> float:
    """A share as a number from 0 to 1, or in percent: 0.05 or 5%."""
    number, is_percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        value = float(number) / (100 if is_percent else 1)
    except ValueError:
        raise refused("cli.must_be_share", text=text) from None
    if not 0 <= value <= 1:
        raise refused("cli.share_out_of_range", text=text)
    return value


def fraction(text: str) -> float:
    """A number between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        raise refused("cli.must_be_number", text=text) from None
    if not 0 < number < 1:
        raise refused("cli.must_be_between", low=0, high=1, text=text)
    return number


def name_of_result(text: str) -> str:
    """A name that is not blank."""
    if not text.strip():
        raise refused("cli.must_not_be_blank")
    return text.strip()


def mapping_of(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Fields and their columns, each field once."""
    from steelyard.errors import ConfigError

    columns: dict[str, str] = {}
    for field, name in pairs:
        if columns.setdefault(field, name) != name:
            raise ConfigError(Message("cli.duplicate_mapping", field=field, found=columns[field], name=name))
    return columns


def field_name(text: str) -> tuple[str, str]:
    """FIELD=NAME as a pair."""
    field, equals, name = text.partition("=")
    if not (field and equals and name):
        raise refused("cli.must_be_field", text=text)
    return field, name


def add_name_option(parser: Any) -> None:
    """The option for the names of the results of files."""
    parser.add_argument(
        "--name", action="append", default=[], type=name_of_result, metavar="NAME", help="help.result_name"
    )


def result_names(paths: Sequence[str], given: Sequence[str] = ()) -> list[str]:
    """The names of results: those given, else file names without folders and extensions; made unique."""
    from steelyard.errors import ConfigError
    from steelyard.io.records import result_name, unique_names

    if given and len(given) != len(paths):
        raise ConfigError(Message("cli.names_differ", names=len(given), files=len(paths)))
    return unique_names(given or [result_name(path) for path in paths])


def _whole(text: str, *, least: int) -> int:
    plain = text.strip()
    if not re.fullmatch(r"[+-]?[0-9]+", plain):
        raise refused("cli.must_be_integer", text=text[:40])
    if len(plain) > _LONGEST_NUMBER or not least <= int(plain) <= LARGEST:
        raise refused("cli.must_be_between", low=least, high=f"{LARGEST:,}", text=plain[:40])
    return int(plain)
