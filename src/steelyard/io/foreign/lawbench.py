"""LawBench: one object of the outputs of a model for a task, which the name of the file has (`3-4.json`)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import TEXT, Plain
from steelyard.io.shapes import Fields as Shape

NAME: Final = "lawbench"
TITLE: Final = "LawBench"

_ROW: Final = Shape(
    {
        "origin_prompt": Plain(Message("words.text_or_list"), lambda value: isinstance(value, str | list)),
        "prediction": TEXT,
        "refr": TEXT,
    },
    frozenset(("origin_prompt", "prediction", "refr")),
)
_TASK: Final = re.compile(r"(?<!\d)([123]-\d{1,2})(?=\.\w+)")
NO_ENTITY: Final = "无"
"""What an empty reference says: those of 2-6 are lists of entities."""
# what a reference has around its answer; one of 3-8 is compared with its mark
_AROUND: Final = {
    "1-1": "答案:", "1-2": "正确答案：|。$", "2-2": "争议焦点类别：|。$", "2-3": "类别:|。$", "2-5": "回答:",
    "2-8": r"\[正确答案\]|<eoa>$", "3-1": "法条:", "3-3": "罪名:", "3-4": "刑期:", "3-5": "刑期:",
    "3-6": "正确答案:|。$", "3-7": "上文涉及到的犯罪金额:|。$",
}  # fmt: skip


def recognises(container: Container) -> bool:
    """Whether a document has numbered rows with a prompt, a prediction and a reference."""
    row = container.first.get("0") if container.kind == "document" else None
    return isinstance(row, dict) and {"origin_prompt", "prediction", "refr"} <= row.keys()


def read(container: Container) -> Iterator[Record]:
    """Yield the rows in their order, with the task as a tag; a reference is without the words around its answer."""
    task = named[1] if (named := _TASK.search(container.path.name)) else ""
    for number, (identifier, row) in enumerate(container.first.items()):
        rows.check(row, _ROW, f"{container.name}#/{identifier}", TITLE)
        yield Record(container.name, number, _fields(identifier, row, task), "{}#/{}")


def bare_reference(text: str, task: str) -> str:
    """Return a reference without the words around its answer."""
    return re.sub(_AROUND[task], "", text) if task in _AROUND else text


def _fields(identifier: str, row: Mapping[str, Any], task: str) -> Fields:
    fields = {
        rows.ID: identifier,
        rows.QUESTION: _prompt(row["origin_prompt"]),
        rows.PREDICTION: row["prediction"],
        rows.REFERENCES: bare_reference(row["refr"], task) or NO_ENTITY,
        rows.TAGS: {"task": task} if task else {},
    }
    return rows.with_extra(rows.present(fields), rows.others(row, _ROW.members), NAME)


def _prompt(given: Any) -> str:
    """Return the last question of a prompt, which is a text or a list of turns."""
    turns = [given] if isinstance(given, str) else [turn.get("prompt") for turn in given if isinstance(turn, dict)]
    return next((text for text in reversed(turns) if isinstance(text, str)), "")
