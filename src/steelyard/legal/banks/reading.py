"""Reading banks of questions: entries with named fields as text, each with its place in the file.

In Markdown a question is a section that begins with a heading (`## 3. title`) or after a rule (`---`); its fields stand
after headings in bold (**问题**：…). In a table (.xlsx, CSV, JSONL) it is a row; columns name the fields.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import read_text
from steelyard.errors import Problem
from steelyard.i18n import Message
from steelyard.io.records import format_suffix, read_records
from steelyard.lexicon import lexicon

MARKDOWN: Final = (".md", ".markdown")
BANK_KINDS: Final = (*MARKDOWN, ".xlsx", ".csv", ".jsonl", ".ndjson")
WORDS: Final = lexicon("banks")
_SECTION: Final = re.compile(r"^(?=#{1,6}\s)|^-{3,} *$", re.MULTILINE)
_NUMBER: Final = re.compile(r"#{1,6}\s+\D{0,3}(\d{1,6})")
_LABEL: Final = re.compile(r"^ {0,3}\*\*([^*\n]{1,30}?)(?:[:：]\*\*|\*\* *[:：])", re.MULTILINE)
_NOT_OF_NAME: Final = re.compile(r"[(（][^()（）]*[)）]|[\s_]")


class Entry(NamedTuple):
    """A question of a bank; `group` is the name of its file or sheet, `number` that of its heading or row.

    The fields from `id` on are those of the bank, "" where it does not give them.
    """

    path: Path
    where: str
    group: str
    number: int
    id: str = ""
    question: str = ""
    answer: str = ""
    type: str = ""
    evidence: str = ""
    location: str = ""
    notes: str = ""
    document: str = ""


_NAMES: Final = {word: kind for kind in Entry._field_defaults for word in WORDS.words(f"field_{kind}")}


def read_bank(path: Path, problems: list[Problem]) -> Iterator[Entry]:
    """Yield the questions of a file; problems are headings that are unknown, or have no question and answer."""
    return _markdown(path, problems) if format_suffix(path) in MARKDOWN else _table(path, problems)


def _markdown(path: Path, problems: list[Problem]) -> Iterator[Entry]:
    text, _ = read_text(path)
    line = 1
    for section in _SECTION.split(text):
        heading = _NUMBER.match(section)
        _, *pieces = _LABEL.split(section)
        entry = Entry(path, f"{path}:{line}", path.name, int(heading[1]) if heading else line)
        named = zip(pieces[::2], pieces[1::2], strict=True)
        yield from _filled(entry, named, problems)
        line += section.count("\n")


def _table(path: Path, problems: list[Problem]) -> Iterator[Entry]:
    for record in read_records(path)[0]:
        entry = Entry(path, record.where, Path(record.name).name, record.number)
        yield from _filled(entry, record.fields.items(), problems)


def _filled(entry: Entry, named: Iterable[tuple[str, Any]], problems: list[Problem]) -> Iterator[Entry]:
    """Yield an entry with its fields, if it has a question and an answer; fields of one name are joined.

    Of a table, a heading that is unknown is said once.
    """
    fields: dict[str, Any] = {}
    for name, value in named:
        kind = _NAMES.get(_NOT_OF_NAME.sub("", name).lower())
        unknown = Message("banks.unknown_field", name=name)
        if kind:
            fields[kind] = f"{fields.get(kind, '')}\n{_text(value)}".strip()
        elif name and all(unknown != problem.message for problem in problems):
            problems.append(Problem(entry.where, unknown))
    if fields.get("question") and fields.get("answer"):
        yield entry._replace(**fields)
    elif fields:
        problems.append(Problem(entry.where, Message("banks.incomplete")))


def _text(value: Any) -> str:
    """Return a value of a table as text: of a list one line each, a day without a time."""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value).strip().removesuffix(" 00:00:00")
