"""Contexts of answers on a page: their ids, the beginnings of their texts, and which of them were wanted.

Each text is on the page once, however many answers have it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from steelyard.reports.render.html.kind_page import Json, Mark, as_list, as_text, present

MOST_CONTEXTS: Final = 200
LONGEST_CONTEXT: Final = 4_000
"""So many characters of a context are kept, so that a page does not hold the index a second time."""
MOST_CHARACTERS: Final = 40_000
"""So many characters of the contexts of one answer are kept; of those after them, `SHORTENED` each."""
SHORTENED: Final = 300
MOST_IDS: Final = 50
_LONGEST_ID: Final = 200
_TEXT: Final = ("text", "contents", "content", "page_content", "passage", "body", "snippet", "chunk")
_ID: Final = ("id", "_id", "doc_id", "docid", "passage_id", "context_id", "chunk_id", "pid")


@dataclass(frozen=True, slots=True)
class ShownContext:
    """A context of an answer; `shown` is the part of its text that the page has."""

    text: str
    shown: str
    id: str | None = None


def contexts_in(output: Mapping[str, Any]) -> list[ShownContext]:
    """The contexts of an output, best first; those of which only the id is known have no text."""
    if not output.get("contexts") and not output.get("context_ids"):
        return []
    given, ids = as_list(output.get("contexts")), as_list(output.get("context_ids"))
    members = given or [None] * len(ids)
    names = ids if len(ids) == len(members) else [None] * len(members)
    shown: list[ShownContext] = []
    left = MOST_CHARACTERS
    for member, name in zip(members, names, strict=True):
        text = _text(member)
        part = text[: LONGEST_CONTEXT if left > 0 else SHORTENED]
        left -= len(part)
        shown.append(ShownContext(text, part, _id(_own_id(member) or name)))
    return shown


class ContextTexts:
    """The texts of the contexts of a page, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def as_json(self) -> list[str]:
        """The texts, in the order of their numbers."""
        return list(self._numbers)

    def answer(self, output: Mapping[str, Any], marks: Sequence[Sequence[Mark]]) -> Json:
        """The contexts of an answer with what is marked in them, and the wanted ids that are not among them."""
        contexts = contexts_in(output)
        if not contexts:
            return {}
        wanted, texts = _wanted(output), frozenset(_text(each) for each in as_list(output.get("reference_contexts")))
        found = {each.id for each in contexts}
        missed = [name for name, is_wanted in wanted.items() if is_wanted and name not in found]
        return {
            "contexts": [
                self._entry(context, _relevance(context, wanted, texts), marks[place] if place < len(marks) else ())
                for place, context in enumerate(contexts[:MOST_CONTEXTS])
            ],
            "others": max(0, len(contexts) - MOST_CONTEXTS) or None,
            "missed": missed[:MOST_IDS] if found != {None} else (),
            "unlisted": max(0, len(missed) - MOST_IDS) or None,
        }

    def expected(self, output: Mapping[str, Any]) -> list[Json]:
        """The reference contexts of an item; those of which only the id is known have no text."""
        ids = [name for name, is_wanted in _wanted(output).items() if is_wanted]
        given = {"contexts": output.get("reference_contexts"), "context_ids": ids}
        return [self._entry(context, None, ()) for context in contexts_in(given)[:MOST_CONTEXTS]]

    def _entry(self, context: ShownContext, relevant: bool | None, marks: Sequence[Mark]) -> Json:
        values = {
            "text": self._numbers.setdefault(context.shown, len(self._numbers)) if context.text else None,
            "id": context.id,
            "length": len(context.text) if len(context.text) > len(context.shown) else None,
            "relevant": relevant,
            "marks": marks,
        }
        return present(values)


def _relevance(context: ShownContext, wanted: Mapping[str, bool], texts: frozenset[str]) -> bool | None:
    """Whether a context was wanted: by its id, or because it is a reference context; None if that is not known."""
    if context.id is not None and wanted:
        return wanted.get(context.id, False)
    return True if context.text and context.text in texts else None


def _wanted(output: Mapping[str, Any]) -> dict[str, bool]:
    """The ids of the reference contexts, each with whether it is relevant; a list has only those that are."""
    given = output.get("reference_context_ids")
    if isinstance(given, Mapping):
        return {_id(name) or "": isinstance(grade, int) and grade > 0 for name, grade in given.items()}
    return {name: True for each in as_list(given) if (name := _id(each))}


def _id(value: Any) -> str | None:
    return None if value is None else as_text(value)[:_LONGEST_ID] or None


def _own_id(context: Any) -> Any:
    return _first(context, _ID) if isinstance(context, Mapping) else None


def _text(context: Any) -> str:
    """The text of a retrieved record, whatever its field is called, after its title."""
    if not isinstance(context, Mapping):
        return as_text(context)
    text, title = _first(context, _TEXT), context.get("title")
    if isinstance(title, str) and title.strip():
        return title if text is None else f"{title}\n{as_text(text)}"
    return as_text(text if text is not None or _first(context, _ID) is not None else dict(context))


def _first(context: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((context[name] for name in names if context.get(name) not in (None, "")), None)
