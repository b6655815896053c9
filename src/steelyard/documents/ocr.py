"""Documents in JSON: a list of pages, or what an OCR tool gives, with pages and boxes.

The tools are PaddleOCR-VL and PP-StructureV3, MinerU, Docling and RAGFlow. Each form has one function, which yields
nothing for content of another shape. Field names are those of PaddleX 3, MinerU 1 to 3 (content_list.json),
DoclingDocument 1 and the HTTP API of RAGFlow.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from steelyard.documents.sheets import Block, Box, Sheet, clean
from steelyard.errors import MOST_PROBLEMS, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.located import SourceMap, located_json

PAGES_HINT = Message("formats.json_document_hint")

_OUTSIDE: Final = {
    *("number", "page_number", "header", "page_header", "header_image"),
    *("footer", "page_footer", "footer_image", "image", "discarded"),
}
"""Labels of blocks that are not text of the page: page numbers, running heads and feet, pictures."""
_WRAPPERS: Final = ("result", "res", "data", "document", "json_content", "layoutParsingResults", "chunks")
"""Keys of replies of services, below which the output is."""
_MINERU_TEXTS: Final = (
    *("image_caption", "img_caption", "table_caption", "chart_caption", "code_caption"),
    *("text", "list_items", "table_body", "code_body"),
    *("image_footnote", "img_footnote", "table_footnote", "chart_footnote", "code_footnote"),
)
"""Fields of MinerU that hold text, in the order of the page; names with img_ are those before 2.0."""
# of a chunk of RAGFlow: @@page\tx0\tx1\ttop\tbottom## stands after the text that it is about; a page may be 3-4
TAG: Final = re.compile(r"@@([0-9]{1,9}(?:-[0-9]{1,9})*)((?:\t-?[0-9]{1,9}(?:\.[0-9]{1,9})?){4})##")
_CELL = re.compile(r"</t[dh]>\s*<t[dh]\b[^<>]*>", re.IGNORECASE)
_ROW = re.compile(r"</tr>|<br\s*/?>|<table\b[^<>]*>", re.IGNORECASE)
_MARKUP = re.compile(r"<!--[^<>]*-->|</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BREAK = re.compile(r"\n\s+")


class _Piece(NamedTuple):
    """A block of text; without a page it goes on with the page before it. `place` is that of an entry for a page."""

    page: Any
    text: str
    box: Box | None = None
    place: str = ""


def json_sheets(text: str, name: str, warnings: list[Problem]) -> list[Sheet]:
    """Return the pages of a JSON document."""
    if not text.strip():
        raise InputError(Message("formats.empty_file"), where=name)
    sheets = known_sheets(*located_json(text, name), warnings)
    if sheets is None:
        raise InputError(Message("formats.unknown_json_document"), where=name, hint=Message("formats.ocr_forms_hint"))
    return sheets


def known_sheets(content: Any, source_map: SourceMap, warnings: list[Problem]) -> list[Sheet] | None:
    """Return the pages of JSON content; None if it is of no known form."""
    match content:
        case {"pages": [*pages]}:
            return _listed_sheets(pages, source_map)
    content = _unwrapped(content)
    for read in (_paddle, _mineru, _docling, _ragflow):
        try:
            pieces = list(read(content))
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            continue  # nearly of this form
        if pieces:
            return _grouped(pieces, source_map.name, warnings)
    return None


def text_of_markup(text: str) -> str:
    """Return the text without HTML: rows of tables as lines, cells separated by |."""
    rows = _MARKUP.sub("", _ROW.sub("\n", _CELL.sub(" | ", text)))
    return html.unescape(rows if rows == text else _BREAK.sub("\n", rows))


def _listed_sheets(pages: Sequence[Any], source_map: SourceMap) -> list[Sheet]:
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for index, page in enumerate(pages):
        read = _json_sheet(page, source_map, index)
        if isinstance(read, Problem):
            problems.append(read)
        else:
            sheets.append(read)
    if problems:
        raise InputError.of(problems[:MOST_PROBLEMS], hint=PAGES_HINT)
    return sheets


def _json_sheet(page: Any, source_map: SourceMap, index: int) -> Sheet | Problem:
    where = source_map.location(f"/pages/{index}")
    if not isinstance(page, dict):
        return Problem(where, Message("formats.page_not_object"))
    for key in ("page", "text"):
        if key not in page:
            return Problem(where, Message("formats.field_missing", key=key))
    number, text = page["page"], page["text"]
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        message = Message("formats.invalid_page_number", number=number)
        return Problem(source_map.location(f"/pages/{index}/page"), message)
    if not isinstance(text, str):
        message = Message("formats.page_text_not_text", number=number)
        return Problem(source_map.location(f"/pages/{index}/text"), message)
    return Sheet(where, number, clean(text))


def _unwrapped(content: Any) -> Any:
    """Return the output inside the reply of a service."""
    while isinstance(content, dict):
        inner = [content[key] for key in _WRAPPERS if isinstance(content.get(key), dict | list)]
        if not inner:
            break
        content = inner[0]
    return content


def _grouped(pieces: Sequence[_Piece], name: str, warnings: list[Problem]) -> list[Sheet]:
    """Return a sheet for each page; two entries for one page become two sheets, which is found to be an error."""
    page = next((piece.page for piece in pieces if piece.page is not None), None)
    if page is None:
        warnings.append(Problem(name, Message("formats.no_page_marks")))
    placed = []
    for piece in pieces:
        page = page if piece.page is None else piece.page
        if page is not None and (type(page) is not int or page < 1):
            raise InputError(Message("formats.invalid_page_number", number=page), where=name)
        placed.append(piece._replace(page=page or 1))
    placed.sort(key=lambda piece: piece.page)
    pages = groupby(placed, key=lambda piece: (piece.page, piece.place or f"page={piece.page}"))
    return [_sheet(f"{name}#{place}", number, group) for (number, place), group in pages]


def _sheet(where: str, number: int, pieces: Iterable[_Piece]) -> Sheet:
    """Return the blocks of a page one under the other."""
    text, blocks = "", []
    for piece in pieces:
        inner = clean(piece.text)
        start = len(text) + (text != "")
        text = f"{text}\n{inner}" if text and inner else text or inner
        if piece.box and inner:
            blocks.append(Block(start, len(text), piece.box))
    return Sheet(where, number, text, blocks)


def _paddle(content: Any) -> Iterator[_Piece]:
    """Read PaddleOCR-VL or PP-StructureV3: an entry for each page, as it is saved or as a service replies."""
    for index, entry in enumerate(content if isinstance(content, list) else [content]):
        match entry:
            case {"prunedResult": {"parsing_res_list": [*blocks]} as page} | ({"parsing_res_list": [*blocks]} as page):
                counted = page.get("page_index")
                number = 1 + (counted if isinstance(counted, int) else index)
                yield _Piece(number, "", place=f"/{index}")
                for block in _objects(blocks):
                    text = _text_of(block.get("block_label"), block.get("block_content"))
                    yield _Piece(number, text, _box(block.get("block_bbox")), f"/{index}")


def _mineru(content: Any) -> Iterator[_Piece]:
    """Read a content_list.json of MinerU: blocks in reading order, whose pages count from 0."""
    for entry in _objects(content):
        match entry:
            case {"type": kind, "page_idx": page}:
                kind = "picture" if kind == "image" else kind  # its caption is text
                texts = [_text_of(kind, entry.get(name)) for name in _MINERU_TEXTS]
                page = page + 1 if isinstance(page, int) else page
                yield _Piece(page, "\n".join(filter(None, texts)), _box(entry.get("bbox")))


def _docling(content: Any) -> Iterator[_Piece]:
    """Read a DoclingDocument: texts and tables in the order of its body, a text on each page of its `prov`."""
    match content:
        case {"texts": [*texts]}:
            ordered = list(_walked(content, "#/body")) if "body" in content else []
            for item in _objects(ordered or [*texts, *content.get("tables", ())]):
                if item.get("content_layer") in (None, "body"):
                    yield from _docling_pieces(item)


def _walked(content: Any, pointer: str) -> Iterator[Any]:
    """Yield texts and tables below an item; of a picture only its caption."""
    _, kind, *index = pointer.split("/")
    item = content[kind][int(index[0])] if index else content[kind]
    if kind in ("texts", "tables"):
        yield item
    for child in item.get("captions" if kind == "pictures" else "children", ()):
        yield from _walked(content, child.get("$ref") or child["cref"])


def _docling_pieces(item: Mapping[str, Any]) -> Iterator[_Piece]:
    match item:
        case {"data": {"table_cells": [*cells]}}:
            rows = groupby(_objects(cells), key=lambda cell: cell.get("start_row_offset_idx"))
            text = "\n".join(" | ".join(str(cell.get("text", "")) for cell in row) for _, row in rows)
        case {"marker": str(marker)} if any(map(str.isalnum, marker)):
            text = f"{marker} {item.get('text', '')}"
        case _:
            text = item.get("text", "")
    text = _text_of(item.get("label"), text)
    places = _objects(item.get("prov"))
    for place in places or [{}]:
        box = place.get("bbox") or {}
        start, end = place.get("charspan", (0, None)) if len(places) > 1 else (0, None)
        yield _Piece(place.get("page_no"), text[start:end], _box([box.get(side) for side in "ltrb"]))


def _ragflow(content: Any) -> Iterator[_Piece]:
    """Read chunks of RAGFlow; one that touches several pages stands on each, unless tags part its text."""
    for chunk in _objects(content):
        text = chunk.get("content", chunk.get("content_with_weight"))
        places = chunk.get("positions", chunk.get("position_int"))
        if not isinstance(text, str):
            continue
        end = 0
        for tag in TAG.finditer(text):
            box = _ragflow_box(map(float, tag[2].split()))
            for page in tag[1].split("-"):
                yield _Piece(int(page), text_of_markup(text[end : tag.start()]), box)
            end = tag.end()
        pages = {place[0]: _ragflow_box(place[1:]) for place in places or () if isinstance(place, list) and place}
        if end or places is not None:
            for page, box in ({None: None} if end or not pages else pages).items():
                yield _Piece(page, text_of_markup(text[end:]), box)


def _ragflow_box(sides: Iterable[Any]) -> Box | None:
    match list(sides):
        case [left, right, top, bottom]:
            return _box([left, top, right, bottom])
    return None


def _box(sides: Any) -> Box | None:
    match sides:
        case [int() | float() as left, int() | float() as top, int() | float() as right, int() | float() as bottom]:
            return (left, top, right, bottom)
    return None


def _text_of(label: Any, text: Any) -> str:
    """Return the text of a block; nothing if its label says that it is none, or if it is figures in the margin."""
    given = "\n".join(map(str, text)) if isinstance(text, list) else text
    plain = text_of_markup(given) if isinstance(given, str) else ""
    is_margin = label == "aside_text" and not any(map(str.isalpha, plain))
    return "" if label in _OUTSIDE or is_margin else plain


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
