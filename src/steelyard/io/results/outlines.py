"""What a list of results shows of a file, read from its headers and footers without the items between them.

A footer has the summary of its items and the number of bytes before it, so that a file is read from its end: a footer,
the header that it leads to, and the footer before that. A file that this does not fit in every detail (of an older
version, unfinished, modified) is left to `load_all`, which reads and checks every line. So does whoever opens a result:
a summary that its items contradict is stated there.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from steelyard import __version__
from steelyard.errors import SteelyardError
from steelyard.io.records import parse_json
from steelyard.io.results.checks import check_characters, contradictions
from steelyard.io.results.lines import Footer, Header, summary_json
from steelyard.io.results.reading import HEAD, RESULT_HEADER
from steelyard.table import Signature, Table

Json = dict[str, Any]

_BLOCK: Final = 1 << 12
_OTHER_LINES: Final = frozenset(("id", "scores", "footer"))
"""Keys of items and footers; a line with these and those of a header may be either."""
_SHOWN: Final = frozenset(
    ("mean", "ci95", "scored", "unscored", "errors", "interval", "scope", "scopes", "average", "sum")
)
_SCOPES: Final = ("items", "documents")


@dataclass(frozen=True, slots=True)
class Outline:
    """A result without its items; `summaries` are as in `MetricSummary.as_dict`, and `errors` counts failed items."""

    kind: str
    name: str
    signature: Signature
    sums: Sequence[str]
    items: int
    errors: int
    summaries: dict[str, Json]
    complete: bool
    created: str
    main: str

    @classmethod
    def of(cls, table: Table) -> Self:
        """Return the outline of a table."""
        summary = summary_json(table)
        return cls(
            kind=table.kind,
            name=table.name,
            signature=table.signature,
            sums=table.sums,
            items=len(table),
            errors=summary["errors"],
            summaries=summary["metrics"],
            complete=table.complete,
            created=table.created or "",
            main=table.main,
        )


class _NotFitting(Exception):
    """Header, footer and bytes do not belong together as this program writes them."""


def read_outlines(path: Path) -> list[Outline] | None:
    """Return the results of a file by their headers and footers; None if it has to be read whole."""
    try:
        with open(path, "rb") as file:
            return _outlines(file, path)
    except (_NotFitting, SteelyardError, OSError, ValueError, RecursionError):
        return None


def _outlines(file: BinaryIO, path: Path) -> list[Outline] | None:
    found: list[Outline] = []
    end = os.fstat(file.fileno()).st_size
    while end > 0:
        line = _last_line(file, end)
        footer = _footer(_json(line, path), path)
        end -= len(line) + footer[1]
        found.append(_outline(_header(file, end, path), footer[0], footer[1]))
    return found[::-1] or None


def _last_line(file: BinaryIO, end: int) -> bytes:
    """Return the line whose line break is the byte before `end`, with it."""
    size = _BLOCK
    while True:
        begin = max(end - size, 0)
        block = _bytes(file, begin, end)
        if not block.endswith(b"\n"):
            raise _NotFitting
        cut = block.rfind(b"\n", 0, -1) + 1
        if cut or begin == 0:
            return block[cut:]
        if size >= HEAD:
            raise _NotFitting
        size *= 4


def _bytes(file: BinaryIO, begin: int, end: int) -> bytes:
    file.seek(begin)
    return file.read(end - begin)


def _json(line: bytes, path: Path) -> Any:
    text = line.decode("utf-8")
    value = parse_json(text, str(path), 1)
    check_characters(text, value, str(path))
    return value


def _footer(line: Any, path: Path) -> tuple[Footer, int]:
    """Return the footer in a line, and its size."""
    if not isinstance(line, dict) or line.keys() != {"footer"}:
        raise _NotFitting
    footer = Footer.parse(line["footer"], None, str(path))
    if not footer.size:
        raise _NotFitting
    return footer, footer.size


def _header(file: BinaryIO, begin: int, path: Path) -> Header:
    """Return the header in the line that begins at this byte."""
    if begin < 0 or (begin > 0 and _bytes(file, begin - 1, begin) != b"\n"):
        raise _NotFitting
    file.seek(begin)
    line = _json(file.readline(HEAD), path)
    if not isinstance(line, dict) or not line.keys() >= RESULT_HEADER or line.keys() & _OTHER_LINES:
        raise _NotFitting
    return Header.parse(line, str(path))


def _outline(header: Header, footer: Footer, size: int) -> Outline:
    summary = footer.summary
    if summary is None or summary["steelyard"] != __version__ or list(summary["metrics"]) != list(header.metrics):
        raise _NotFitting
    items, errors = footer.items, summary["errors"]
    if items is None or not errors <= items < size:
        raise _NotFitting
    means = {metric: float("nan") if of["mean"] is None else of["mean"] for metric, of in summary["metrics"].items()}
    if contradictions(footer.means, means) or not all(_fits(of, items) for of in summary["metrics"].values()):
        raise _NotFitting
    return Outline(
        kind=header.kind,
        name=header.name,
        signature=header.signature,
        sums=[metric for metric in header.metrics if metric in (header.sums or ())],
        items=items,
        errors=errors,
        summaries=summary["metrics"],
        complete=True,
        created=header.created,
        main=header.main,
    )


def _fits(summary: Json, items: int) -> bool:
    """Whether the summary of a metric has the fields that this program writes, and counts every item once."""
    ranges = [summary["ci95"], *(each["ci95"] for each in summary["scopes"])]
    names = [summary["scope"], *(each["scope"] for each in summary["scopes"])]
    return (
        summary.keys() <= _SHOWN
        and all(len(each) == 2 for each in ranges)
        and all(name in _SCOPES for name in names)
        and summary["scored"] + summary["unscored"] + summary["errors"] == items
    )
