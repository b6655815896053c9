"""Results files, columns and documents as commands take them from the command line."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.i18n import Message

if TYPE_CHECKING:
    from steelyard.documents.sets import DocumentSet
    from steelyard.table import Table

BENCHMARK_HINT = Message("cli.benchmark_hint")


def read_placed(
    paths: Sequence[str], metrics: Sequence[str] | None = None, *, strict: bool = False
) -> "list[tuple[Path, Table]]":
    """Every result of the files with the folder of its file; results have different names, and only these metrics.

    With `strict`, a result whose items contradict its footer is refused.
    """
    from steelyard.io.results import load_all

    files = [(path, load_all(path, strict=strict)) for path in paths]
    tables = with_distinct_names(files)
    shown = [_only(table, metrics) for table in tables] if metrics else tables
    return list(zip((folder_of(path) for path, results in files for _ in results), shown, strict=True))


def chosen(placed: "list[tuple[Path, Table]]", arguments: argparse.Namespace) -> "list[tuple[Path, Table]]":
    """The results that --systems names, in its order, or all; that of --baseline first."""
    from steelyard.errors import UnknownName

    named = {table.name: (folder, table) for folder, table in placed}
    given: list[str] = arguments.systems or []
    systems = [name for text in given for name in ([text] if text in named else map(str.strip, text.split(",")))]
    wanted = dict.fromkeys([*([arguments.baseline] if arguments.baseline else []), *(systems or named)])
    for name in wanted:
        if name not in named:
            raise UnknownName.of(Message("words.result"), name, named)
    return [named[name] for name in wanted]


def folder_of(path: str) -> Path:
    """The folder of a file; that of the command for an object at an address."""
    from steelyard.io.addresses import Address, path_of

    found = path_of(path)
    return Path() if isinstance(found, Address) else found.parent


def with_distinct_names(files: "Sequence[tuple[str, Sequence[Table]]]") -> "list[Table]":
    """The results of all files with different names.

    If two names are equal, as of two runs of one system, results that are alone in their file are named after it; names
    that are still equal get a number.
    """
    from steelyard.io.records import result_name, unique_names

    tables = [table for _, results in files for table in results]
    names = [table.name for table in tables]
    if len(set(names)) < len(names):
        names = [result_name(path) if len(results) == 1 else table.name for path, results in files for table in results]
    return [replace(table, name=name) for table, name in zip(tables, unique_names(names), strict=True)]


def load_documents(
    tables: "Sequence[Table]",
    folder: str | None = None,
    beside: Sequence[Path | None] = (),
    also: Path | None = None,
) -> "DocumentSet":
    """The documents that the items are about, by name: from the folder, or from the benchmark that a result names.

    `beside` are the folders of the results files, one for each table. A folder that the user names must contain some;
    `also` is a further folder in which documents may be.
    """
    from steelyard.errors import ConfigError, InputError
    from steelyard.reports.kinds import documents_for

    if folder is None:
        return documents_for(tables, beside, also=also)
    if not Path(folder).is_dir():
        raise ConfigError(Message("cli.no_folder", folder=folder), hint=BENCHMARK_HINT)
    benchmark = str(Path(folder).resolve())
    documents = documents_for([replace(table, benchmark=benchmark) for table in tables], also=also)
    if documents.missing and not documents.found:
        raise InputError.of(documents.missing, hint=BENCHMARK_HINT)
    return documents


def _only(table: "Table", names: Sequence[str]) -> "Table":
    """The table with the named columns, in any spelling."""
    from steelyard.errors import UnknownName
    from steelyard.registry.names import callable_names, columns_called

    wanted = columns_called(names, table.columns) or []
    for name in wanted:
        if name not in table.columns:
            raise UnknownName.of(Message("words.metric"), name, callable_names(table.metrics), where=table.name)
    return table.only(wanted)
