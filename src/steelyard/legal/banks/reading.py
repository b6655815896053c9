"""Reading banks of questions: entries with named fields as text, each with its place in the file.

In Markdown a question is a section that begins with a heading (`## 3. title`) or after a rule (`---`); its fields stand
after headings in bold (**问题**：…). In a table (.xlsx, CSV, TSV, JSON, JSONL) it is a row; columns name the fields.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.documents.pages import read_text
from steelyard.errors import InputError, Problem
from steelyard.i18n import Message
from steelyard.io.records import format_suffix, read_records
from steelyard.lexicon import lexicon

MARKDOWN: Final = (".md", ".markdown")
TABLES: Final = (".xlsx", ".csv", ".tsv", ".jsonl", ".ndjson")
WORDS: Final = lexicon("banks")
_FIELDS: Final = (
    *("id", "question", "answer", "type", "evidence", "page", "location", "notes"),
    *("difficulty", "document"),
)
_NAMES: Final = {word: kind for kind in _FIELDS for word in WORDS.words(f"field_{kind}")}
_NAMED: Final = "问题, 答案, 证据原文, 位置, 页码, 说明, 类型, 编号, 难度, 文件"
_ALIKE: Final = 0.5  # two of four characters
_NOT_OF_NAME: Final = re.compile(r"[(（][^()（）]*[)）]|[\s_]")
_SECTION: Final = re.compile(r"^(?=#{1,6}\s)|^(?:-{3,}|\*{3,})[ \t\r]*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"#{1,6}\s+\D{0,3}(\d{1,6})(?!\d)")
_LABEL: Final = re.compile(r"^ {0,3}([-*+] +)?\*\*([^*\n]{1,30}?)(?:[:：]\*\*|\*\* *[:：])", re.MULTILINE)


class Entry(NamedTuple):
    """A question of a bank; `group` is the name of its file or sheet, `number` that of its heading or row."""

    path: Path
    where: str
    group: str
    number: int
    fields: Mapping[str, str]

    def text(self, name: str) -> str:
        """Return a field; "" where it is missing, or says that there is nothing, as 无; for an answer that is one."""
        text = self.fields.get(name, "").strip()
        is_empty = name != "answer" and WORDS["nothing"].fullmatch(text.strip("`"))
        return "" if is_empty else text


def read_bank(path: Path) -> Iterator[Entry | Problem]:
    """Yield the questions of a file, and a problem for each heading that is unknown or has no question."""
    if format_suffix(path) not in (*MARKDOWN, *TABLES, ".json"):
        raise InputError(Message("banks.no_bank"), where=str(path), hint=Message("banks.kinds_hint"))
    return _markdown(path) if format_suffix(path) in MARKDOWN else _table(path)


def _markdown(path: Path) -> Iterator[Entry | Problem]:
    text, _ = read_text(path)
    line = 1
    for section in _SECTION.split(text):
        yield from _section(section, path, line)
        line += section.count("\n")


def _section(text: str, path: Path, first: int) -> Iterator[Entry | Problem]:
    """Yield the question of a section that begins at a line; a second question needs no heading of its own."""
    heading = _NUMBER.match(text)
    number = int(heading[1]) if heading else first
    fields: dict[str, str] = {}
    where = f"{path}:{first}"
    labels = [label for label in _LABEL.finditer(text) if not label[1] or _field(label[2])]
    for label, following in zip_longest(labels, labels[1:]):
        line = first + text.count("\n", 0, label.start())
        place, kind = f"{path}:{line}", _field(label[2])
        if kind is None:
            yield _unknown(label[2], place)
            continue
        if kind == "question" and kind in fields:
            yield Entry(path, where, path.stem, number, fields)
            where, number, fields = place, number + 1, {}
        end = following.start() if following else len(text)
        fields.setdefault(kind, text[label.end() : end])
    if "question" in fields:
        yield Entry(path, where, path.stem, number, fields)
    elif fields or heading:
        yield Problem(where, Message("banks.no_question"))


def _table(path: Path) -> Iterator[Entry | Problem]:
    known: set[str] = set()
    for record in read_records(path)[0]:
        for name in record.fields.keys() - known:
            if name and _field(name) is None:
                yield _unknown(name, record.where)
        known |= record.fields.keys()
        fields = {kind: _text(value) for name, value in record.fields.items() if (kind := _field(name))}
        if fields.get("question"):
            yield Entry(path, record.where, f"{path.stem} {record.name.rpartition('#')[2]}", record.number, fields)
        else:
            yield Problem(record.where, Message("banks.no_question"))


def _field(name: str) -> str | None:
    """Return the field that a heading names."""
    return _NAMES.get(_NOT_OF_NAME.sub("", name).lower())


def _unknown(name: str, where: str) -> Problem:
    """Return the problem of a heading that names no field, with the nearest one: 问体 is 问题, not 问."""
    long = [known for known in _NAMES if len(known) > 1]
    close = get_close_matches(name, long, n=1, cutoff=_ALIKE) or [_NAMED]
    return Problem(where, Message("banks.unknown_field", name=name, nearest=close[0]))


def _text(value: Any) -> str:
    """Return a value of a table as text: a list as a Markdown list, a passage by its text, a day without a time."""
    match value:
        case None:
            return ""
        case list():
            return "\n".join(f"- {_text(item)}" for item in value)
        case {"text": str(text)}:
            return text
    return str(value).strip().removesuffix(" 00:00:00")
