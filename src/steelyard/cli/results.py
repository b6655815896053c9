"""Results files, columns and documents as commands take them from the command line."""

from collections.abc import Sequence
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
    from dataclasses import replace

    from steelyard.io.records import result_name
    from steelyard.io.results import load_all
    from steelyard.reports.content import unique_names

    files = [(path, load_all(path, strict=strict)) for path in paths]
    tables = [table for _, results in files for table in results]
    names = [table.name for table in tables]
    if len(set(names)) < len(names):  # two runs of one system: their files tell which is which
        names = [result_name(path) if len(results) == 1 else table.name for path, results in files for table in results]
    tables = [replace(table, name=name) for table, name in zip(tables, unique_names(names), strict=True)]
    shown = [_only(table, metrics) for table in tables] if metrics else tables
    return list(zip((Path(path).parent for path, results in files for _ in results), shown, strict=True))


def documents_for(
    tables: "Sequence[Table]",
    folder: str | None = None,
    beside: Sequence[Path | None] = (),
    also: Path | None = None,
) -> "DocumentSet":
    """The documents that the items are about, by name: from the folder, or from the benchmark that a result names.

    `beside` are the folders of the results files, one for each table. A folder that the user names must contain some;
    `also` is a further folder in which documents may be.
    """
    from steelyard.documents.sets import DocumentSet

    if folder is not None:
        return _documents_in(folder, also)
    places = dict.fromkeys(zip((table.benchmark for table in tables), beside or [None] * len(tables), strict=True))
    named = [(benchmark, place) for benchmark, place in places if benchmark]
    if not named:  # most results have no benchmark, and need not load its code
        return DocumentSet()
    from steelyard.legal.benchmark.loading import documents_of

    return DocumentSet.of(documents_of(benchmark, beside=place, also=also) for benchmark, place in named)


def _documents_in(folder: str, also: Path | None) -> "DocumentSet":
    from steelyard.errors import ConfigError, InputError
    from steelyard.legal.benchmark.loading import documents_of

    if not Path(folder).is_dir():
        raise ConfigError(Message("cli.no_folder", folder=folder), hint=BENCHMARK_HINT)
    documents = documents_of(str(Path(folder).resolve()), also=also)
    if not documents.found:
        raise InputError.of(documents.missing, hint=BENCHMARK_HINT)
    return documents


def _only(table: "Table", names: Sequence[str]) -> "Table":
    """The table with the named columns, in any spelling."""
    from steelyard.errors import UnknownName
    from steelyard.registry.names import columns_called

    wanted = columns_called(names, table.columns) or []
    for name in wanted:
        if name not in table.columns:
            raise UnknownName.of(Message("words.metric"), name, table.metrics, where=table.name)
    return table.only(wanted)
