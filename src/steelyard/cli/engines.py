"""Engines of commands, and the results of parts that `--resume` goes on from."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Final

from steelyard.cli.console import OPTIONS as LOG_OPTIONS
from steelyard.engines.base import Engine, open_engine
from steelyard.engines.checkpoints import CheckpointEngine, begin, file_state, parts_folder, remove
from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.results import load_all
from steelyard.io.streams import STDIN, is_file
from steelyard.table import Table

# options that the results of parts do not depend on
_OF_OUTPUT: Final = ("output", "plot", "overwrite", "json", "per_item", "lang")
_OF_ENGINES: Final = ("engine", "address", "retries", "resume", "concurrency")
_OF_TESTS: Final = ("test", "resamples", "correction", "alpha", "seed", "units", "family")
_NO_SETTINGS: Final = frozenset(("run", *_OF_OUTPUT, *_OF_ENGINES, *_OF_TESTS, *LOG_OPTIONS))


@contextmanager
def chosen_engine(arguments: argparse.Namespace, default: str | None = None) -> Iterator[Engine | None]:
    """Open the engine of --engine, or the default, with the workers of -j; close it at the end."""
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
) -> Iterator[Engine | None]:
    """Open the same; beside a results file, results of parts are stored until `forget_parts`, for --resume."""
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
    return path != STDIN and not isinstance(addressed(path), Address) and is_file(path)


def allow_same_results(arguments: argparse.Namespace, tables: Sequence[Table]) -> None:
    """With --resume, a results file that has these results may be written again: the command was stopped after it."""

    def about(tables: Sequence[Table]) -> list[object]:
        scores = [{name: repr(each.values.tolist()) for name, each in table.columns.items()} for table in tables]
        return [scores, [(table.name, str(table.signature), list(table.ids)) for table in tables]]

    held = [path for path in arguments.output if path.suffix.lower() == ".jsonl" and path.exists()]
    if arguments.resume and not arguments.overwrite and all(about(load_all(path)) == about(tables) for path in held):
        arguments.overwrite = True


def forget_parts(arguments: argparse.Namespace) -> None:
    """Remove the results of parts once the files of the command are written."""
    folder = parts_folder(arguments.output)
    if folder is not None:
        remove(folder)
