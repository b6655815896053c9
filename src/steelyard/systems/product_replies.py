"""Replies of products, whole or as a stream of events, read as the description of a product says."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from steelyard.errors import InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.costs import number_of
from steelyard.io.outputs import record_of
from steelyard.io.records import parse_json
from steelyard.net.replies import SYSTEM, decode_reply, excerpt
from steelyard.net.retry import RetryableFailure
from steelyard.systems.base import Reply
from steelyard.systems.products import ContextPlaces, Places, Product, shipped
from steelyard.systems.templates import NAME, nothing_at, path_of
from steelyard.text.marks import cited
from steelyard.text.reading import without_thinking

ERROR: Final = "systems.product_error"
"""The code of a failure that a product reports in a reply with status 200."""
_LOGGED: Final = ("response", "reply", "body")  # fields of a log that have a reply whole
_PARTS: Final = (*_LOGGED, "data", "choices", "metadata", "code", "retcode")
"""Fields of which every reply of a product has one, and not as a text."""
_LONGEST: Final = 200  # characters of the sentence of a product
_STARTS: Final = (b"data:", b"event:", b"id:", b":")
_LINE: Final = re.compile(r"\r\n|\r|\n")
# RAGFlow: @@page<TAB>x0<TAB>x1<TAB>top<TAB>bottom##, of a chunk over two pages @@3-4<TAB>…
_TAG: Final = re.compile(r"@@(\d{1,6})(?:-(\d{1,6}))?\t[\d.\t]{1,80}##")

Json = dict[str, Any]


class Body(NamedTuple):
    """A reply: one value, or the events of a stream."""

    values: Sequence[Any]
    is_stream: bool = False


def body_of(content: bytes, party: Message) -> Body:
    """Return what a server sent: JSON, or events as lines `data:`."""
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(_STARTS):
        return Body(list(_events(start.decode("utf-8", "replace"))), is_stream=True)
    return Body([decode_reply(content, party)])


def _events(text: str) -> Iterator[Any]:
    """Yield the events of a stream; what is no JSON is kept as text, and a list gets the name of its event."""
    name, pieces = "", []
    for line in _LINE.split(text):
        field, colon, rest = line.partition(":")
        if colon and field == "data":
            pieces.append((name, [rest]))
        elif colon and field == "event":
            name = rest.strip()
        elif pieces and field not in ("", "id", "retry"):
            pieces[-1][1].append(line)  # JSON over several lines
    for event, lines in pieces:
        piece = "\n".join(lines).strip()
        try:
            value = parse_json(piece, "")
        except InputError:
            value = piece
        yield {event: value} if isinstance(value, list) else value


def reply_in(product: Product, body: Body) -> Reply:
    """Return the reply of a product; raise a failure with its own sentence where it reports an error."""
    values = body.values
    for value in values:
        check(product, value)
    if not body.is_stream:
        answer = _answer(product, values[0])
    elif any(end.holds(value) for value in values for end in product.stream.ends):
        answer = _streamed(product, values)
    else:
        raise RetryableFailure(Message("systems.product_torn", product=product.name))
    mark = product.errors.answer
    if mark and answer.lstrip().startswith(mark):
        raise _failure(product, mark.strip("*"), answer.partition(mark)[2].lstrip(" :"), may_pass=True)
    contexts, called = _contexts(product, values)
    citations = _cited(answer, called, product.first)
    record = record_of({"answer": answer, "citations": citations, "contexts": contexts})
    tokens = _total(values, product.tokens) or 0
    # FastGPT says 1 where it does not know
    return Reply(record, tokens=int(tokens) if tokens > 1 else None, cost=_total(values, product.cost))


def recorded_reply(record: Mapping[str, Any], where: str) -> Reply | None:
    """Return the reply in a record of a log of a product, whole or in a field; None if it is of no product."""
    given = [record[name] for name in _PARTS if name in record]
    if all(isinstance(value, str) and not _is_raw(value) for value in given):  # most records are of no product
        return None
    found = [record[name] for name in _LOGGED if name in record]
    body = body_of(found[0].encode(), SYSTEM) if found and _is_raw(found[0]) else Body([*found, record][:1])
    product = next((each for each in shipped().values() if _fits(each, body)), None)
    if product is None:
        return None
    try:
        return reply_in(product, body)
    except SystemFailure as failure:  # asking again changes nothing
        raise SystemFailure(failure.message, where=where) from None


def _is_raw(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("data:", "event:"))


def _fits(product: Product, body: Body) -> bool:
    """Return whether a reply has the form of a product, and its answer, if it has one, where the product has it."""
    for value in body.values:
        is_other = isinstance(value, Mapping) and "answer" in value and not product.answer.find(value)
        if not is_other and any(places.find(value) is not None for places in product.fits):
            return True
    return False


def check(product: Product, value: Any) -> None:
    """Raise a failure where a reply or an event has a code that is not one of success."""
    errors = product.errors
    code = errors.code.first(value, object)
    if code is not None and code not in errors.fine:
        text = errors.message.first(value, str) or ""
        raise _failure(product, str(code), text, may_pass=code in errors.retry)


def _failure(product: Product, code: str, text: str, *, may_pass: bool) -> SystemFailure:
    message = Message(ERROR, product=product.name, code=excerpt(code), text=excerpt(text, _LONGEST))
    return RetryableFailure(message) if may_pass else SystemFailure(message)


def _answer(product: Product, value: Any) -> str:
    """Return the answer; empty for a product without answers."""
    if product.answer == Places():
        return ""
    answer: str | None = product.answer.first(value, str)
    if answer is None and "" not in (product.answer.find(value) or ()):
        raise nothing_at(value, path_of(product.answer.text))
    return answer or ""


def _streamed(product: Product, events: Iterable[Any]) -> str:
    """Return the answer of a stream: its pieces joined, or the last where each repeats the one before."""
    stream = product.stream
    pieces: list[str] = []
    for event in events:
        for tag, thinks in zip(("<think>", "</think>"), stream.think, strict=False):
            pieces += [tag] if thinks.holds(event) else []
        whole = stream.whole.first(event, str)
        piece = whole or product.answer.first(event, str)
        if piece and (whole or any(each.holds(event) for each in stream.replaces)):
            pieces = [piece]
        elif piece:
            pieces.append(piece)
    is_cumulative = len(pieces) > 1 and all(map(str.startswith, pieces[1:], pieces))
    return pieces[-1] if is_cumulative else "".join(pieces)


def _last(values: Sequence[Any], places: Places) -> list[Any]:
    """Return what the last value that has anything at these places has there."""
    for value in reversed(values):
        if found := places.find(value):
            return found
    return []


def _total(values: Sequence[Any], places: Places) -> float | None:
    numbers = [number_of(each) for each in _last(values, places)]
    return sum(each or 0 for each in numbers) if numbers else None


def _contexts(product: Product, values: Sequence[Any]) -> tuple[list[Json], dict[str, list[Json]]]:
    """Return the contexts, and the same by what a mark calls them: source, name among the others, or id."""
    contexts: list[Json] = []
    called: dict[str, list[Json]] = {}
    for item in _last(values, product.contexts):
        for each in _spread(item, product.each) if isinstance(item, Mapping) else ():
            context = _context(product.context, each)
            contexts.append(context)
            source = product.context.source.first(each, str)
            name = source or each.get(NAME) or context.get("id") or f"#{len(contexts)}"
            called.setdefault(str(name), []).append(context)
    return contexts, called


def _spread(item: Mapping[str, Any], names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """Yield an object for each place of its lists of these names, which run in parallel."""
    lists = {name: item[name] for name in names if isinstance(item.get(name), list)}
    for parts in zip(*lists.values(), strict=False):
        yield {**item, **dict(zip(lists, parts, strict=True))}
    if not names:
        yield item


def _context(places: ContextPlaces, item: Mapping[str, Any]) -> Json:
    """Return the parts of a context that are there; tags of positions are not text."""
    raw = "\n".join(each for each in places.text.find(item) or () if isinstance(each, str) and each)
    tagged = [page for tag in _TAG.finditer(raw) for page in tag.groups()]
    page = _page(places.page.find(item) or tagged)
    context = {
        "id": places.id.first(item, (str, int)),
        "text": _TAG.sub("", raw),
        "page": page,
        "document": places.document.first(item, str),
        "score": places.score.first(item, (int, float)),
    }
    return {name: value for name, value in context.items() if value is not None}


def _page(pages: Iterable[Any]) -> int | str | None:
    """Return the page of a passage, or the first and the last of a passage over several."""
    numbers = sorted({int(page) for page in pages if str(page).isdecimal()})
    if not numbers:
        return None
    return numbers[0] if numbers[0] == numbers[-1] else f"{numbers[0]}-{numbers[-1]}"


def _cited(answer: str, called: Mapping[str, list[Json]], first: int) -> list[Json]:
    """Return the contexts that the marks of the answer cite; the mark of a source cites all contexts of it."""
    names = list(called)
    found = [called[names[index]] for index in cited(without_thinking(answer), names, first=first)]
    return [{name: each[name] for name in each if name not in ("id", "score")} for of in found for each in of]
