"""Inspect: logs of evaluations (format 2) as `.eval` archives, with samples whole or in chunks, or as JSON.

The messages and events of a sample, which record how its answer came about, are not read.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from steelyard.errors import InputError
from steelyard.io import layouts
from steelyard.io.foreign import rows
from steelyard.io.foreign.archives import Archive, opened
from steelyard.io.foreign.containers import Container
from steelyard.io.foreign.rows import Fields
from steelyard.io.records import Record
from steelyard.io.shapes import ANYTHING, SCALAR, TEXT, WHOLE, ListOf, MapOf
from steelyard.io.shapes import Fields as Shape

NAME: Final = "inspect"
TITLE: Final = "Inspect"

_LETTERS: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SAMPLE: Final = Shape(
    {
        "id": SCALAR,
        "epoch": WHOLE,
        "output": Shape({"choices": ListOf(Shape({}))}),
        "scores": MapOf(Shape({"value": ANYTHING}, frozenset(("value",)))),
        "metadata": Shape({}),
        "error": Shape({}),
        "attachments": Shape({}),
    },
    frozenset(("id", "epoch")),
)
_DOCUMENT: Final = Shape({"eval": Shape({}), "samples": ListOf(_SAMPLE)})
_WHOLE: Final = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
_SHELL: Final = re.compile(r"(samples/.+_epoch_\d+)/sample\.json", re.DOTALL)
_CHUNK: Final = re.compile(r"(samples/.+_epoch_\d+)/attachments/(\d+)\.json", re.DOTALL)
_HEADERS: Final = ("header.json", "_journal/start.json")
_PROTOCOL: Final = "attachment://"
_USED: Final = ("id", "epoch", "input", "target", "output", "scores", "metadata", "error")
_LEFT_OUT: Final = ("messages", "message_refs", "events", "events_data", "attachments", "store")


def recognises(container: Container) -> bool:
    """Whether it is an `.eval` archive, or a JSON object with the header of a log."""
    if container.kind == "archive":
        return container.path.suffix.lower() == ".eval" or _has_header(container)
    log = container.first if container.kind == "document" else {}
    return isinstance(log.get("eval"), dict) and "status" in log and "version" in log


def read(container: Container) -> Iterator[Record]:
    """Yield the samples, each epoch a repeat; a score that is NaN was not given."""
    if container.kind == "archive":
        with opened(container.path) as archive:
            yield from _members(archive)
        return
    log = container.document
    rows.check(log, _DOCUMENT, container.name, TITLE)
    for number, sample in enumerate(log.get("samples") or ()):
        fields = _fields(sample, sample.get("attachments") or {}, log.get("eval") or {})
        yield Record(container.name, number, fields, "{}#/samples/{}")


def _has_header(container: Container) -> bool:
    try:
        with opened(container.path) as archive:
            return not archive.members.keys().isdisjoint(_HEADERS)
    except InputError:
        return False


def _members(archive: Archive) -> Iterator[Record]:
    header = next((archive.json(name) for name in _HEADERS if name in archive.members), None)
    about = header.get("eval") if isinstance(header, dict) else None
    chunks = _attachment_chunks(archive.members)
    for number, name in enumerate(archive.members):
        shell = _SHELL.fullmatch(name)
        if not shell and not _WHOLE.fullmatch(name):
            continue
        sample = archive.json(name)
        rows.check(sample, _SAMPLE, f"{archive.name}#/{name}", TITLE)
        if shell:
            _complete(sample, archive, shell[1], chunks.get(shell[1], {}))
        fields = _fields(sample, sample.get("attachments") or {}, about if isinstance(about, dict) else {})
        member = name.replace("{", "{{").replace("}", "}}")
        yield Record(archive.name, number, fields, "{}#/" + member)


def _attachment_chunks(names: Iterable[str]) -> dict[str, dict[int, str]]:
    """Return the members with the attachments of each sample in chunks, by the number of their first text."""
    found: dict[str, dict[int, str]] = {}
    for name in names:
        if chunk := _CHUNK.fullmatch(name):
            found.setdefault(chunk[1], {})[int(chunk[2])] = name
    return found


def _complete(sample: Fields, archive: Archive, folder: str, chunks: Mapping[int, str]) -> None:
    """Put the metadata and the attachments, which are other members, into a sample in chunks."""
    sample["attachments"] = {}
    for start, name in chunks.items():
        texts = archive.json(name)
        rows.check(texts, ListOf(TEXT), f"{archive.name}#/{name}", TITLE)
        sample["attachments"] |= {str(number): text for number, text in enumerate(texts, start)}
    if (name := f"{folder}/metadata.json") in archive.members:
        sample["metadata"] = archive.json(name)
        rows.check(sample, _SAMPLE, f"{archive.name}#/{name}", TITLE)


def _fields(sample: Mapping[str, Any], attachments: Mapping[str, Any], about: Mapping[str, Any]) -> Fields:
    kept = {name: value for name, value in sample.items() if name not in _LEFT_OUT}
    sample = _resolved(kept, attachments) if attachments else kept
    metadata, error = sample.get("metadata") or {}, sample.get("error") or {}
    others = {name: value for name, value in sample.items() if name not in _USED}
    task = {name: about[name] for name in ("task", "model") if name in about}
    untagged = {name: value for name, value in metadata.items() if name not in rows.tags_of(metadata)}
    fields = {
        rows.ID: str(sample["id"]),
        rows.QUESTION: _question(sample.get("input")),
        rows.PREDICTION: _completion(sample.get("output") or {}),
        rows.REFERENCES: _references(sample.get("target")),
        rows.CONTEXTS: _passages(metadata, layouts.CONTEXTS),
        rows.REFERENCE_CONTEXTS: _passages(metadata, layouts.REFERENCE_CONTEXTS),
        rows.TAGS: rows.tags_of(metadata),
        rows.REPEAT: sample["epoch"],
        **_scores(sample.get("scores") or {}),
        rows.ERROR: error.get("message") or ("error" if error else None),
        rows.EXTRA: {NAME: rows.present({**task, **others, "metadata": untagged})},
    }
    return rows.present(fields)


def _resolved(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Return a value with the attachments in the place of the references to them; an unknown reference stays."""
    if isinstance(value, str):
        is_reference = value.startswith(_PROTOCOL)
        return attachments.get(value.removeprefix(_PROTOCOL), value) if is_reference else value
    if isinstance(value, list):
        return [_resolved(each, attachments) for each in value]
    return {key: _resolved(each, attachments) for key, each in value.items()} if isinstance(value, dict) else value


def _question(given: Any) -> str:
    """Return the question: the input, or the last message of a user in it."""
    if not isinstance(given, list):
        return "" if given is None else str(given)
    users = [each for each in given if isinstance(each, dict) and each.get("role") == "user"]
    return _content(users[-1].get("content")) if users else ""


def _content(content: Any) -> str:
    """Return the text of a message."""
    if not isinstance(content, list):
        return "" if content is None else str(content)
    return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _completion(output: Mapping[str, Any]) -> str | None:
    choices = output.get("choices") or []
    if not choices:
        return output.get("completion") or None
    message = choices[0].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return str(output["completion"]) if output.get("completion") else _content(content)


def _references(target: Any) -> list[str]:
    return [str(each) for each in target] if isinstance(target, list) else [str(target)] if target else []


def _passages(metadata: Mapping[str, Any], names: Iterable[str]) -> list[Any] | None:
    """Return the first list of passages that has one of these names; other values stay in the metadata."""
    lists = (metadata[name] for name in names if isinstance(metadata.get(name), list))
    return next((each for each in lists if all(isinstance(passage, str | dict) for passage in each)), None)


def _scores(given: Mapping[str, Any]) -> Fields:
    """Return the scores, one for each key of a value that is an object or a list, with reasons and explanations."""
    scores: dict[str, float | None] = {}
    reasons, notes = {}, {}
    for scorer, found in given.items():
        for metric, value in _flat(scorer, found["value"]):
            scores[metric] = _number(value)
            if scores[metric] is None:
                reasons[metric] = str(found.get("explanation") or _reason(value))
            elif found.get("explanation"):
                notes[metric] = str(found["explanation"])
    return {rows.SCORES: scores, rows.UNSCORED: reasons, rows.NOTES: notes}


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        yield name, value
        return
    for key, each in parts:
        yield from _flat(f"{name}/{key}", each)


def _number(value: Any) -> float | None:
    """Return a value as Inspect makes a number of it; None for NaN and for text that is no number."""
    if rows.is_score(value):
        return rows.score(value)
    text = str(value)
    if text in _LETTERS or text.lower() in _LETTERS:
        return _LETTERS.get(text, _LETTERS.get(text.lower()))
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _reason(value: Any) -> str:
    return "NaN" if isinstance(value, float) else f"no number: {value!r}"
