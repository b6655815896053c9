"""Replies of products, whole or as a stream of events, as the description of a product reads them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from steelyard.errors import InputError, SystemFailure
from steelyard.i18n import Message
from steelyard.io.outputs import record_of
from steelyard.io.records import parse_json
from steelyard.net.replies import decode_reply, excerpt
from steelyard.net.retry import RetryableFailure
from steelyard.systems.base import Reply, price_of
from steelyard.systems.products import Places, Product
from steelyard.systems.templates import NAME, nothing_at
from steelyard.text.marks import cited
from steelyard.text.reading import without_thinking

ERROR: Final = "systems.product_error"
"""The code of a failure that a product reports in a reply with status 200."""
_LONGEST: Final = 200  # characters of the sentence of a product
_STARTS: Final = (b"data:", b"event:", b"id:", b":")
_LINE: Final = re.compile(r"\r\n|\r|\n")
# RAGFlow: @@page<TAB>x0<TAB>x1<TAB>top<TAB>bottom##, of a chunk over two pages @@3-4<TAB>…
_TAG: Final = re.compile(r"@@(\d{1,6})(?:-(\d{1,6}))?\t[\d.\t]{1,80}##")


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


def _events(text: str) -> Iterable[Any]:
    """Yield the events of a stream; what is no JSON is kept as text, and a list gets the name of its event."""
    name, pieces = "", []
    for line in _LINE.split(text):
        field, colon, rest = line.partition(":")
        if colon and field == "data":
            pieces.append([name, rest])
        elif colon and field == "event":
            name = rest.strip()
        elif line and pieces and field not in ("", "id", "retry"):
            pieces[-1][1] += "\n" + line  # JSON over several lines
        name = name if line else ""
    for event, piece in pieces:
        try:
            value = parse_json(piece, "")
        except InputError:
            value = piece.strip()
        yield {event: value} if event and isinstance(value, list) else value


def reply_in(product: Product, body: Body) -> Reply:
    """Return the reply of a product; raise a failure with its own sentence where it reports an error."""
    for value in body.values:
        check(product, value)
    if body.is_stream and not any(end.holds(value) for value in body.values for end in product.stream.ends):
        raise RetryableFailure(Message("systems.product_torn", product=product.name))
    answer = _streamed(product, body.values) if body.is_stream else _answer(product, body.values[0])
    refusal = product.errors.answer
    if refusal and answer.lstrip().startswith(refusal):
        text = excerpt(answer.lstrip().removeprefix(refusal).lstrip(" :"), _LONGEST)
        raise RetryableFailure(Message(ERROR, product=product.name, code=refusal.strip("*"), text=text))
    contexts, names = _contexts(product, body.values)
    record = record_of({"answer": answer, "citations": _cited(product, answer, contexts, names), "contexts": contexts})
    tokens = _total(body.values, product.tokens)
    return Reply(
        record,
        tokens=int(tokens) if tokens and tokens > 1 else None,  # FastGPT has 1 where it does not know
        cost=_total(body.values, product.cost),
    )


def fits(product: Product, value: Any) -> bool:
    """Return whether a recorded reply has the form of this product."""
    return any(places.find(value) is not None for places in product.fits)


def check(product: Product, value: Any) -> None:
    """Raise a failure where a reply or an event has a code that is not one of success."""
    errors = product.errors
    code = next(iter(errors.code.find(value) or ()), None)
    if code is None or code in errors.fine:
        return
    text = next((each for each in errors.message.find(value) or () if isinstance(each, str)), "")
    shown = excerpt(str(code))
    message = Message(ERROR, product=product.name, code=shown, text=excerpt(text, _LONGEST))
    failure = RetryableFailure if code in errors.retry else SystemFailure
    raise failure(message)


def _answer(product: Product, value: Any) -> str:
    if not product.answer.alternatives:
        return ""
    found = [each for each in product.answer.find(value) or () if isinstance(each, str)]
    if not found:
        path = product.answer.alternatives[0][0]
        raise nothing_at(value, path if isinstance(path, tuple) else ())
    return "".join(found)


def _streamed(product: Product, events: Sequence[Any]) -> str:
    """Return the answer of a stream: its pieces joined, or the last where each repeats the one before."""
    pieces: list[str] = []
    for event in events:
        stream = product.stream
        pieces += [text for text, condition in stream.insert if condition.holds(event)]
        whole = _text(stream.whole, event)
        piece = whole or _text(product.answer, event)
        if piece and (whole or any(condition.holds(event) for condition in stream.replaces)):
            pieces = []
        pieces += [piece] if piece else []
    is_cumulative = len(pieces) > 1 and all(map(str.startswith, pieces[1:], pieces))
    return pieces[-1] if is_cumulative else "".join(pieces)


def _text(places: Places, value: Any) -> str:
    return "".join(each for each in places.find(value) or () if isinstance(each, str))


def _last(values: Sequence[Any], places: Places) -> list[Any]:
    """Return what the last value with anything at these places has there."""
    return next((found for value in reversed(values) if (found := places.find(value))), [])


def _total(values: Sequence[Any], places: Places) -> float | None:
    prices = [price for each in _last(values, places) if (price := price_of(each)) is not None]
    return sum(prices) if prices else None


def _contexts(product: Product, values: Sequence[Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the contexts, and what a mark calls each: its source, its name among the others, or its id."""
    contexts, names = [], []
    for item in _last(values, product.contexts):
        for each in _spread(item, product.each) if isinstance(item, Mapping) else ():
            context = _context(product, each)
            contexts.append(context)
            source = next(iter(_last([each], product.context.get("source", Places()))), None)
            names.append(str(source or each.get(NAME) or context.get("id", "")))
    return contexts, names


def _spread(item: Mapping[str, Any], names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return an object for each place of its lists of these names, which run in parallel."""
    lists = {name: item[name] for name in names if isinstance(item.get(name), list)}
    if not names:
        return [item]
    longest = max(map(len, lists.values()), default=0)
    return [
        {**item, **{name: of[number] if number < len(of) else None for name, of in lists.items()}}
        for number in range(longest)
    ]


def _context(product: Product, item: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: places.find(item) or [] for name, places in product.context.items()}
    raw = "\n".join(each for each in found["text"] if isinstance(each, str) and each)
    tagged = [int(page) for tag in _TAG.finditer(raw) for page in tag.groups() if page]
    score = next((each for each in found.get("score", ()) if isinstance(each, int | float)), None)
    context = {
        "id": next((str(each) for each in found.get("id", ()) if isinstance(each, str | int)), None),
        "text": _TAG.sub("", raw),
        "page": _page(found.get("page", [])) or _page(tagged),
        "document": next((each for each in found.get("document", ()) if isinstance(each, str) and each), None),
        "score": score,
    }
    return {name: value for name, value in context.items() if value is not None}


def _page(pages: Iterable[Any]) -> int | str | None:
    """Return the page of a passage, or the first and the last of a passage over several."""
    numbers = sorted({int(page) for page in pages if str(page).isdecimal()})
    if len(numbers) > 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return numbers[0] if numbers else None


def _cited(
    product: Product, answer: str, contexts: Sequence[dict[str, Any]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the contexts that the marks of the answer cite; marks of sources cite all contexts of theirs."""
    groups = list(dict.fromkeys(names)) if "source" in product.context else names
    cited_names = cited(without_thinking(answer), groups, first=product.first)
    if groups is names:
        found = [contexts[index] for index in cited_names]
    else:
        found = [
            each for index in cited_names for each, name in zip(contexts, names, strict=True) if name == groups[index]
        ]
    return [{name: value for name, value in each.items() if name not in ("id", "score")} for each in found]
