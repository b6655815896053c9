"""Results files as Tables: lines to sections, one for each result, and a section to a Table."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard import __version__, limits
from steelyard.errors import InputError, UnknownName
from steelyard.i18n import Message
from steelyard.io.addresses import Address, addressed
from steelyard.io.costs import with_costs
from steelyard.io.foreign.tables import load_scores
from steelyard.io.records import LINES, format_suffix, parse_json, parse_json_file
from steelyard.io.results.checks import CONTRADICTION_HINT, check_characters, contradictions, summary_contradictions
from steelyard.io.results.lines import Footer, Header, Item, summary_json
from steelyard.io.streams import Stream, byte_blocks, check_encoding, decode, is_folder, open_stream, read_once
from steelyard.registry.judged import RENAMED
from steelyard.registry.kinds import kind_of
from steelyard.table import Column, FloatArray, IntArray, Missing, Table

HEAD: Final = 1 << 20
"""The most bytes that are read for the header line."""
RESULT_HEADER: Final = frozenset(("kind", "signature", "metrics"))
"""Keys by which the header of a result is known."""
UNFINISHED: Final = "counts.items_before_cut"
RENAMED_COLUMNS: Final = "counts.metrics_renamed"
CONTRADICTED: Final = "counts.means_contradicted"
DISAGREEING: Final = "counts.scores_disagreeing"
SUMMARIES_CONTRADICTED: Final = "counts.summaries_contradicted"


def load(path: str | Path, *, strict: bool = False, system: str | None = None) -> Table:
    """Return the one result in a file, or the one of this name.

    `strict` refuses one whose items contradict its footer.
    """
    path = addressed(path)
    tables = load_all(path, strict=strict)
    if system is not None:
        return _named(tables, system, path)
    if len(tables) != 1:
        raise not_one([table.name for table in tables], path)
    return tables[0]


def _named(tables: Sequence[Table], name: str, path: str | Path) -> Table:
    named = [table for table in tables if table.name == name]
    if not named:
        raise UnknownName.of(Message("words.result"), name, [table.name for table in tables], where=str(path))
    if len(named) > 1:
        raise not_one([table.name for table in tables], path)
    return named[0]


def load_all(path: str | Path, *, strict: bool = False) -> list[Table]:
    """Every result in a file, in order; with `strict`, none whose items contradict its footer.

    A file of scores of another tool, or of rows with an id and columns of numbers, gives a table for each system. A
    footer gives the mean of every metric, and the score of a legal item is what its parts come to. Without `strict`
    a table of which that is not true has the counts CONTRADICTED and DISAGREEING. The JSON of a step of a pipeline
    gives the results that the step wrote beside it. What replies cost, as outputs say it, is in further columns.
    """
    path = addressed(path)
    if is_folder(path) or (not read_once(path) and not begins_with_header(path)):
        beside = results_beside(path)
        return load_scores(path) if beside is None else load_all(beside, strict=strict)
    sections = read_sections(path)
    if not sections:
        hint = Message("formats.header_line_hint")
        raise InputError(Message("formats.no_result"), where=str(path), hint=hint)
    return [with_costs(_renamed(_checked(table_of(section), section, strict=strict))) for section in sections]


def _renamed(table: Table) -> Table:
    """Return the table with the columns of earlier versions under their names of today, and how many these are."""
    old = [name for name in table.columns if RENAMED.get(name, name) not in table.columns]
    if not old:
        return table
    columns = {RENAMED[name] if name in old else name: column for name, column in table.columns.items()}
    counts = {**table.counts, RENAMED_COLUMNS: len(old)}
    return replace(table, columns=columns, main=RENAMED.get(table.main, table.main), counts=counts)


def not_one(names: Sequence[str], path: str | Path) -> InputError:
    """Return the error about a file with other than one result."""
    message = Message("formats.several_results", tables=len(names), names=", ".join(names))
    return InputError(message, where=str(path), hint=Message("formats.one_result_hint"))


def results_beside(path: str | Path) -> Path | None:
    """Return the results file that an evaluating step of a pipeline wrote beside its JSON.

    None for every other file.
    """
    if isinstance(path, Address):
        return None
    beside = Path(path).with_suffix(".jsonl")
    if Path(path).suffix != ".json" or not beside.is_file():
        return None
    with suppress(ValueError, RecursionError):
        header = _first_line(beside)
        return beside if _is_header(header) and _is_of_step(_document(path), header) else None
    return None


def _document(path: str | Path) -> Any:
    with closing(open_stream(path)) as stream:
        return parse_json_file(decode(stream.read_all(limits.FILE_BYTES), stream.name), stream.name)


def _is_of_step(result: Any, header: dict[str, Any]) -> bool:
    """Whether a step that wrote this header has this result: the same signature, legal scores, or pairs of means."""
    if not isinstance(result, dict):
        return False
    if "signature" in result:
        return bool(result["signature"] == header["signature"])
    if header["kind"] == "legal":
        return "avg_legal" in result
    are_pairs = all(isinstance(each, dict) and {"A_mean", "B_mean"} <= each.keys() for each in result.values())
    return header["kind"] == "retrieval" and are_pairs


def begins_with_header(path: str | Path) -> bool:
    """Whether the first line is the header of a result; a file of no line, or whose first line is not JSON, may be."""
    try:
        return _is_header(_first_line(path))
    except (ValueError, RecursionError):
        return format_suffix(path) in LINES


def _first_line(path: str | Path) -> Any:
    """Return the first line as JSON; ValueError or RecursionError if it is none."""
    with closing(open_stream(path)) as stream:
        first = b""
        while b"\n" not in first and len(first) < HEAD and (piece := stream.read(1 << 16)):
            first += piece
    return json.loads(first.partition(b"\n")[0])


def _is_header(line: Any) -> bool:
    return isinstance(line, dict) and line.keys() >= RESULT_HEADER


@dataclass(slots=True)
class Section:
    """One result in a file: items by id, where each line is, and the byte at which its last whole line ends."""

    header: Header
    items: dict[str, Item] = field(default_factory=dict)
    locations: dict[str, str] = field(default_factory=dict)
    footer: Footer | None = None
    footer_location: str = ""
    end: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether a footer closes it, or it has a line for every item; with failed items it is left without footer."""
        has_every_item = len(self.items) == self.header.items
        return self.footer is not None or (has_every_item and any(item.error for item in self.items.values()))

    def add(self, item: Item, where: str) -> None:
        """Add an item; a question that failed may be asked again when a run is resumed, and its last line counts."""
        before = self.items.get(item.id)
        if before is not None and not before.error:
            line = self.locations[item.id].rpartition(":")[2]
            message = Message("formats.duplicate_item", identifier=item.id, line=line)
            raise InputError(message, where=where)
        self.items.pop(item.id, None)
        self.items[item.id], self.locations[item.id] = item, where

    def inconsistent(self) -> list[str]:
        """Return the ids of the items whose score is not what their parts come to, as far as their kind can tell."""
        checks = kind_of(self.header.kind).load_checks()
        if checks is None:
            return []
        return [
            name
            for name, item in self.items.items()
            if not checks.is_consistent(item.scores, item.parts, failed=bool(item.error))
        ]

    def check_scores(self) -> None:
        """Refuse a result with an item whose score is not what its parts come to."""
        for name in self.inconsistent()[:1]:
            message = Message("formats.score_contradicts_parts", identifier=name)
            raise InputError(message, where=self.locations[name], hint=CONTRADICTION_HINT)


def read_sections(path: str | Path) -> list[Section]:
    """Return the results in a file; a last line without its line break was never finished and is ignored."""
    stream = open_stream(path)
    sections: list[Section] = []
    end = 0
    for number, line in enumerate(_whole_lines(stream), 1):
        end += len(line) + 1
        if line.strip():
            check_encoding(line, stream.name, number)
            _add_line(sections, line.decode("utf-8"), stream.name, number)
        if sections:
            sections[-1].end = end
    return sections


def _whole_lines(stream: Stream) -> Iterator[bytes]:
    size = 0
    for block in byte_blocks(stream):
        size += len(block)
        if size > limits.RESULTS_BYTES.value:
            stream.close()
            raise limits.RESULTS_BYTES.exceeded(
                Message("words.the_content_of_this_file"), error=InputError, where=stream.name
            )
        yield from block.split(b"\n")[:-1]


def _add_line(sections: list[Section], text: str, name: str, number: int) -> None:
    """Add a header, item or footer to the sections that were read before it."""
    line, where = parse_json(text, name, number), f"{name}:{number}"
    check_characters(text, line, where)
    current = sections[-1] if sections and sections[-1].footer is None else None
    match line:
        case {"footer": footer} if current:
            current.footer, current.footer_location = Footer.parse(footer, len(current.items), where), where
        case {"scores": _} | {"id": _} if current:
            current.add(Item.parse(line, current.header, where), where)
        case {"kind": _, "metrics": _, "signature": _}:
            sections.append(Section(Header.parse(line, where)))
        case _ if not sections:
            raise InputError(Message("formats.not_results_file"), where=where)
        case _:
            raise InputError(Message("formats.unknown_line"), where=where)


def _checked(table: Table, section: Section, *, strict: bool) -> Table:
    """Return the table with counts of where scores, parts and footer contradict each other.

    With `strict` that is refused.
    """
    means = {metric: table.mean(metric) for metric in table.metrics}
    wrong = [] if section.footer is None else contradictions(section.footer.means, means)
    if strict:
        section.check_scores()
    if wrong and strict:
        message = Message("formats.footer_mean_differs", wrong=wrong[0])
        raise InputError(message, where=section.footer_location, hint=CONTRADICTION_HINT)
    summaries = 0 if strict else len(set(_other_summaries(table, section.footer)).difference(wrong))
    counts = {CONTRADICTED: len(wrong), DISAGREEING: len(section.inconsistent()), SUMMARIES_CONTRADICTED: summaries}
    return replace(table, counts={**table.counts, **{code: count for code, count in counts.items() if count}})


def _other_summaries(table: Table, footer: Footer | None) -> list[str]:
    """Return the names of which the footer has another summary than the items.

    One of another version is not compared.
    """
    if footer is None or footer.summary is None or footer.summary["steelyard"] != __version__:
        return []
    return summary_contradictions(footer.summary, summary_json(table))


def table_of(section: Section) -> Table:
    """Return the table of one result."""
    header, items = section.header, list(section.items.values())
    tags = dict.fromkeys(chain.from_iterable(item.tags for item in items))
    has_contexts = any((item.output or {}).get("contexts") for item in items)
    further = kind_of(header.kind).of_contexts if has_contexts else ()
    return Table(
        ids=[item.id for item in items],
        columns={metric: _column(header, items, metric) for metric in dict.fromkeys((*header.metrics, *further))},
        kind=header.kind,
        name=header.name,
        signature=header.signature,
        tags={tag: [_tag(item.tags.get(tag, "")) for item in items] for tag in tags},
        outputs=[item.output for item in items] if any(item.output is not None for item in items) else (),
        failures={row: item.error for row, item in enumerate(items) if item.error},
        counts=_counts(section),
        benchmark=header.benchmark,
        complete=section.is_complete,
        created=header.created,
        main=header.main,
    )


def _counts(section: Section) -> dict[str, int]:
    """Return the counts of the header; contradictions are counted anew."""
    derived = (CONTRADICTED, DISAGREEING, SUMMARIES_CONTRADICTED)
    counts = {code: count for code, count in section.header.counts.items() if code not in derived}
    return counts if section.is_complete else {**counts, UNFINISHED: len(section.items)}


def _tag(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _column(header: Header, items: Sequence[Item], metric: str) -> Column:
    values = _floats([item.scores.get(metric) for item in items])
    status, reasons = _missing(items, values, metric)
    return Column(
        values,
        status,
        reasons,
        _parts(items, metric),
        {row: item.notes[metric] for row, item in enumerate(items) if metric in item.notes},
        bounds=header.bounds.get(metric),
        summed=metric in (header.sums or ()),
        geometric=metric in header.geometric,
    )


def _parts(items: Sequence[Item], metric: str) -> dict[str, FloatArray]:
    parts = [item.parts.get(metric, {}) for item in items]
    names = dict.fromkeys(chain.from_iterable(parts))
    return {name: _floats([of_item.get(name) for of_item in parts]) for name in names}


def _missing(items: Sequence[Item], values: FloatArray, metric: str) -> tuple[IntArray, list[Missing]]:
    """Why cells of a metric have no number: a code for each row, and the reasons by code."""
    codes: dict[Missing, int] = {}
    status = np.zeros(len(items), np.int64)
    for row in np.flatnonzero(np.isnan(values)).tolist():
        status[row] = codes.setdefault(items[row].missing(metric), len(codes) + 1)
    return status, list(codes)


def _floats(values: list[float | None]) -> FloatArray:
    return np.array(values, np.float64)  # None becomes NaN
