"""DeepEval: goldens and test cases as JSON, JSONL or CSV, with names in snake_case or camelCase.

`context` is the ideal context, `retrieval_context` what was found. In CSV, and in JSONL as DeepEval writes it, passages
are joined by `|`. A passage with a source is `deepeval_source=SOURCE,deepeval_context=TEXT`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.io import shapes
from steelyard.io.foreign import rows
from steelyard.io.foreign.containers import CELLS, Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record

NAME: Final = "deepeval"
TITLE: Final = "DeepEval goldens"
# fields that stand in the metadata, since a golden has no other place for them, and what they are
_IN_METADATA: Final = {
    rows.ID: str | int,
    rows.RETRIEVED_IDS: list,
    rows.REFERENCE_IDS: list,
    rows.SYSTEM: str,
    rows.REPEAT: int,
}
CARRIES: Final = rows.TEXTS_AND_IDS | {rows.TAGS, *_IN_METADATA}
CONTEXT_KEYS: Final = frozenset(("id", "text", "document"))

_SOURCE: Final = re.compile(r"deepeval_source=(?P<document>.*?),deepeval_context=(?P<text>.*)", re.DOTALL)
_BETWEEN_PASSAGES: Final = "|"
_BETWEEN_TOOLS: Final = ";"
_METADATA: Final = "additional_metadata"
_COLUMNS: Final = "custom_column_key_values"
_PASSAGES: Final = ("retrieval_context", "context")
_TOOLS: Final = ("tools_called", "expected_tools")
_TEXTS: Final = {"input": rows.QUESTION, "actual_output": rows.PREDICTION}
# fmt: off
_GOLDEN: Final = (
    "input", "actual_output", "expected_output", "retrieval_context", "context", "name", "comments", "source_file",
    "tools_called", "expected_tools", "token_cost", "input_token_count", "output_token_count", _METADATA, _COLUMNS,
    "expectations",
)
# fmt: on
_PARSED: Final = frozenset((*_TOOLS, "turns", "persona", _METADATA, _COLUMNS, "expectations", "token_cost"))
_COUNTS: Final = frozenset(("input_token_count", "output_token_count"))
_OF_A_GOLDEN: Final = ("actual_output", "expected_output", "retrieval_context", "expected_tools")

_TURN: Final = shapes.Fields({"role": shapes.TEXT, "content": shapes.TEXT})
SHAPE: Final = shapes.Fields(
    {
        "input": shapes.TEXT,
        "actual_output": shapes.TEXT,
        "expected_output": shapes.TEXT,
        "retrieval_context": rows.PASSAGES,
        "context": rows.PASSAGES,
        "turns": shapes.ListOf(_TURN),
        _METADATA: shapes.MapOf(shapes.ANYTHING),
        _COLUMNS: shapes.MapOf(shapes.ANYTHING),
    }
)


def recognises(container: Container) -> bool:
    """Whether rows have `input` beside another field of a golden, or the scenario of a conversation."""
    if container.kind != "rows":
        return False
    names = {snake(name) for name in container.first}
    is_single = "input" in names and not names.isdisjoint(_OF_A_GOLDEN)
    return is_single or ("scenario" in names and not names.isdisjoint(("turns", "expected_outcome")))


def read(container: Container) -> Iterator[Record]:
    """Yield the goldens."""
    for record in container.records():
        original = {snake(name): value for name, value in record.fields.items()}
        if container.cells:
            original = {name: _cell(name, value) for name, value in original.items()}
        golden = {name: _separated(name, value) for name, value in original.items() if value is not None}
        yield record._replace(fields=rows.with_extra(fields_of(golden, record.where), _extra(golden), NAME))


def write(content: Iterable[Fields], path: Path) -> None:
    """Write goldens as DeepEval reads them: a JSON array, JSONL with lists, or CSV if no passage contains `|`."""
    written = ({**dict.fromkeys(_GOLDEN), **_written(row)} for row in content)
    if path.suffix.lower() in CELLS:
        written = ({name: _joined(name, value, path) for name, value in row.items()} for row in written)
    rows.write_rows(written, path)


def fields_of(golden: Fields, where: str) -> Fields:
    """Return the fields of a golden or test case whose names are in snake_case."""
    shapes.check_shape(golden, SHAPE, "", where)
    metadata = golden.get(_METADATA) or {}
    fields: Fields = {
        name: metadata[name] for name, kind in _IN_METADATA.items() if isinstance(metadata.get(name), kind)
    }
    if golden.get("turns") is not None or "scenario" in golden:
        fields |= _conversation(golden)
    fields |= {name: golden[key] for key, name in _TEXTS.items() if golden.get(key) is not None}
    if golden.get("expected_output") is not None:
        fields[rows.REFERENCES] = _texts(metadata.get(rows.REFERENCES)) or [golden["expected_output"]]
    for key, name in (("retrieval_context", rows.CONTEXTS), ("context", rows.REFERENCE_CONTEXTS)):
        if golden.get(key) is not None:
            fields[name] = [_passage(each) for each in golden[key]]
    tags = {name: value for name, value in {**metadata, **(golden.get(_COLUMNS) or {})}.items() if _is_tag(name, value)}
    return fields | rows.present({rows.TAGS: tags})


def snake(name: str) -> str:
    """Return a name in snake_case."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: "_" + match[0].lower(), name)


def _texts(value: Any) -> list[str]:
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else []


def _extra(golden: Mapping[str, Any]) -> Fields:
    """Return what is no part of a row: other fields, and what is neither a tag nor a field in the metadata."""
    metadata = golden.get(_METADATA) or {}
    kept = [name for name, kind in _IN_METADATA.items() if isinstance(metadata.get(name), kind)]
    others = {name: value for name, value in metadata.items() if name not in (*kept, rows.REFERENCES)}
    untagged = {name: value for name, value in others.items() if not _is_tag(name, value)}
    rest = rows.others(golden, (*_TEXTS, "expected_output", *_PASSAGES, _METADATA, _COLUMNS))
    return {**rest, **rows.present({_METADATA: untagged})}


def _is_tag(name: str, value: Any) -> bool:
    return name not in _IN_METADATA and isinstance(value, str)


def _conversation(golden: Mapping[str, Any]) -> Fields:
    """Return the last question of a conversation, or its scenario, and the last answer."""
    turns = golden.get("turns") or []
    asked = [each.get("content") for each in turns if each.get("role") == "user"]
    found = {rows.QUESTION: asked[-1] if asked else golden.get("scenario")}
    if turns and turns[-1].get("role") == "assistant":
        found[rows.PREDICTION] = turns[-1].get("content")
    return rows.present(found)


def _passage(value: Any) -> Any:
    """Return a passage as text, or as an object with its document where it has a source."""
    if isinstance(value, dict):
        others = {name: each for name, each in value.items() if name not in ("context", "source")}
        return {**rows.present({"document": value.get("source"), "text": value.get("context")}), **others}
    match = _SOURCE.fullmatch(value)
    return value if match is None else match.groupdict()


def _cell(name: str, text: str) -> Any:
    """Return the value of a cell of CSV."""
    if not text:
        return None
    if name in _TOOLS and not text.lstrip().startswith("["):
        return text.split(_BETWEEN_TOOLS)
    return rows.parsed_cell(text) if name in _PARSED | _COUNTS else text


def _separated(name: str, value: Any) -> Any:
    """Passages as a list; an empty list is written as an empty text in JSONL."""
    if name not in _PASSAGES or not isinstance(value, str):
        return value
    return value.split(_BETWEEN_PASSAGES) if value else []


def _joined(name: str, value: Any, path: Path) -> Any:
    """Return a value as the text of a cell."""
    if name in _PASSAGES and isinstance(value, list):
        if any(_BETWEEN_PASSAGES in each for each in value):
            message = Message("formats.separator_in_passage", separator=_BETWEEN_PASSAGES, title=TITLE)
            raise ConfigError(message, where=str(path), hint=Message("formats.write_json_instead"))
        return _BETWEEN_PASSAGES.join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _written(row: Mapping[str, Any]) -> Fields:
    """Return a row as a golden; what has no place in it stands in its metadata."""
    references = row.get(rows.REFERENCES)
    several = [references] if isinstance(references, str) else references or []
    known = {**row, rows.RETRIEVED_IDS: row.get(rows.RETRIEVED_IDS) or rows.ids_of(row.get(rows.CONTEXTS) or [])}
    metadata = {name: known[name] for name in _IN_METADATA if known.get(name) not in (None, [])}
    metadata |= row.get(rows.TAGS) or {}
    metadata |= {rows.REFERENCES: several} if len(several) > 1 else {}
    found = {key: row.get(name) for key, name in _TEXTS.items()}
    found |= {"expected_output": several[0] if several else None, _METADATA: metadata or None}
    for key, name in (("retrieval_context", rows.CONTEXTS), ("context", rows.REFERENCE_CONTEXTS)):
        found[key] = None if row.get(name) is None else [_marked(each) for each in row[name]]
    return {name: value for name, value in found.items() if value is not None}


def _marked(context: Any) -> str:
    text = rows.text_of(context)
    source = context.get("document") if isinstance(context, Mapping) else None
    return text if source is None else f"deepeval_source={source},deepeval_context={text}"
