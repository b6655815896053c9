"""Replies of products, whole or as a stream of events, read as the description of a product says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from steelyard.documents.ocr import TAG
from steelyard.errors import SystemFailure
from steelyard.i18n import Message
from steelyard.io.costs import number_of
from steelyard.io.outputs import ANSWER, citation_of, record_of
from steelyard.io.records import json_or_text
from steelyard.net.replies import decode_reply, excerpt
from steelyard.net.retry import RetryableFailure
from steelyard.systems.base import Reply
from steelyard.systems.products import Fields, Product, shipped
from steelyard.systems.templates import EVERY, Places, find, first_at, listed, nothing_at, path_of, values_at
from steelyard.text.marks import cited
from steelyard.text.reading import without_thinking

ERROR: Final = "systems.product_error"
"""The code of a failure that a product reports in a reply with status 200."""
_LOGGED: Final = ("response", "reply", "body")  # fields of a log that have a reply whole
_PARTS: Final = frozenset(("data", "choices", "metadata", "flowResponses", "code", "retcode"))
"""Fields of which every reply of a product has one."""
_LONGEST: Final = 200  # characters of the sentence of a product
_STREAM: Final = re.compile(rb"\s*(?:data|event|id|):")
_END: Final = "[DONE]"
_PAGE: Final = re.compile(r"\d{1,9}")

Named = tuple[str, Fields]
"""A context with what marks call it."""


def events_of(content: bytes, party: Message) -> list[Any]:
    """Return the events of a stream, which are lines `data:`; JSON alone is a stream of one event."""
    if _STREAM.match(content):
        return list(_events(content)) or [None]
    return [decode_reply(content, party), _END]


def _events(content: bytes) -> Iterator[Any]:
    """Yield the events of a stream; what is no JSON is kept as text, and a list gets the name of its event."""
    name = ""
    for line in content.splitlines():
        field, _, rest = line.partition(b":")
        text = rest.decode("utf-8", "replace").strip()
        if field == b"event":
            name = text
        elif field == b"data":
            value = json_or_text(text)
            yield {name: value} if isinstance(value, list) else value


def reply_in(product: Product, events: Sequence[Any]) -> Reply:
    """Return the reply of a product; raise a failure with its own sentence where it reports an error."""
    for event in events:
        check(product, event)
    ends = product.stream.get("ends", {})
    if _END not in events and not any(_holds(event, ends) for event in events):
        raise RetryableFailure(Message("systems.product_torn", product=product.name))
    answer = _answer(product, events)
    mark = product.errors.get("answer")
    if mark and answer.lstrip().startswith(mark):
        raise _failure(product, mark.strip("*"), answer.partition(mark)[2].lstrip(" :"), may_pass=True)
    named = _contexts(product, events)
    contexts = [context for _, context in named]
    citations = _cited(without_thinking(answer), named, product.first)
    record = record_of({"answer": answer, "citations": citations, "contexts": contexts})
    tokens = _total(events, product.tokens) or 0
    # FastGPT says 1 where it does not know
    return Reply(record, tokens=int(tokens) if tokens > 1 else None, cost=_total(events, product.cost))


def recorded_reply(record: Mapping[str, Any], where: str) -> Reply | None:
    """Return the reply in a record of a log of a product, whole or in a field; None if it is of no product."""
    logged: Any = next((record[name] for name in _LOGGED if name in record), record)
    events = list(_events(logged.encode("utf-8", "replace"))) if isinstance(logged, str) else [logged, _END]
    known = [event for event in events if isinstance(event, Mapping) and not _PARTS.isdisjoint(event)]
    if not known:  # most records are of no product
        return None
    product = next((each for each in shipped().values() if any(_fits(each, event) for event in known)), None)
    if product is None:
        return None
    try:
        return reply_in(product, events)
    except SystemFailure as failure:  # asking again changes nothing
        raise SystemFailure(failure.message, where=where) from None


def _fits(product: Product, event: Any) -> bool:
    """Return whether an event has the form of a product, and no other answer than one where the product has it."""
    if not values_at(event, product.fits):
        return False
    return bool(values_at(event, product.answer)) or set(ANSWER).isdisjoint(event)


def check(product: Product, event: Any) -> None:
    """Raise a failure where an event has a code that is not one of success."""
    errors = product.errors
    code = first_at(event, errors.get("code"))
    if code is not None and code not in errors.get("fine", ()):
        text = first_at(event, errors.get("message"))
        raise _failure(product, code, str(text or ""), may_pass=code in errors.get("retry", ()))


def _failure(product: Product, code: Any, text: str, *, may_pass: bool) -> SystemFailure:
    shown = code if isinstance(code, int) else excerpt(str(code))
    message = Message(ERROR, product=product.name, code=shown, text=excerpt(text, _LONGEST))
    return RetryableFailure(message) if may_pass else SystemFailure(message)


def _holds(event: Any, conditions: Mapping[str, Any]) -> bool:
    """Return whether one of these paths leads to its value, or to any where that is `*`."""
    for path, value in conditions.items():
        found = values_at(event, path)
        if value in found or (found and value == EVERY):
            return True
    return False


def _answer(product: Product, events: Sequence[Any]) -> str:
    """Return the answer: its pieces joined, or the last where each repeats the one before."""
    stream = product.stream
    pieces: list[str] = []
    is_there = not product.answer
    for event in events:
        pieces += [tag for path, tag in stream.get("thinks", {}).items() if _holds(event, {path: True})]
        found = _texts_at(event, product.answer)
        is_there = is_there or bool(found)
        if any(found) and _holds(event, stream.get("replaces", {})):
            pieces = []
        pieces += filter(None, found)
    if not is_there:
        raise nothing_at(events[0], path_of(listed(product.answer)[0]))
    is_cumulative = len(pieces) > 1 and all(map(str.startswith, pieces[1:], pieces))
    return pieces[-1] if is_cumulative else "".join(pieces)


def _last(events: Sequence[Any], places: Places) -> list[Any]:
    """Return what the last event that has anything at these places has there."""
    for event in reversed(events):
        if found := values_at(event, places):
            return found
    return []


def _total(events: Sequence[Any], places: Places) -> float | None:
    numbers = [number_of(each) for each in _last(events, places)]
    return sum(each or 0 for each in numbers) if numbers else None


def _cited(answer: str, named: Sequence[Named], first: int) -> list[Fields]:
    """Return the contexts that the marks of the answer cite; the mark of a source cites all contexts of it."""
    names = list(dict.fromkeys(name for name, _ in named))
    marked = [names[at] for at in cited(answer, names, first)]
    return [citation_of(context) for mark in marked for name, context in named if name == mark]


def _contexts(product: Product, events: Sequence[Any]) -> list[Named]:
    """Return the contexts, each with what a mark calls it: its source, or its id."""
    named: list[Named] = []
    for item in _last(events, product.contexts):
        for each in _rows(item, product.each):
            context = _context(product.context, each)
            source = first_at(each, product.context.get("source"))
            name = source or context.get("id") or f"#{len(named)}"
            named.append((str(name), context))
    return named


def _rows(item: Any, names: Sequence[str]) -> list[Fields]:
    """Return an object for each place of its lists of these names, which run in parallel."""
    if not isinstance(item, Mapping):
        return []
    if not names:
        return [dict(item)]
    lists = [find(item, (name, EVERY)) or [] for name in names]
    return [{**item, **dict(zip(names, parts, strict=True))} for parts in zip_longest(*lists)]


def _context(places: Fields, item: Fields) -> Fields:
    """Return the parts of a context that are there; tags of positions are not text."""
    text = "\n".join(filter(None, _texts_at(item, places["text"])))
    context = {name: first_at(item, places.get(name)) for name in ("id", "document", "score")}
    context["text"] = TAG.sub("", text)
    context["page"] = _page(values_at(item, places.get("page")) or _tagged(text))
    return {name: value for name, value in context.items() if value is not None}


def _texts_at(value: Any, places: Places) -> list[str]:
    return [each for each in values_at(value, places) if isinstance(each, str)]


def _tagged(text: str) -> list[str]:
    return [page for tag in TAG.finditer(text) for page in tag[1].split("-")]


def _page(pages: Sequence[Any]) -> int | str | None:
    """Return the page of a passage, or the first and the last of a passage over several."""
    numbers = sorted({int(page) for page in pages if _PAGE.fullmatch(str(page))})
    if not numbers:
        return None
    first, last = numbers[0], numbers[-1]
    return first if first == last else f"{first}-{last}"
