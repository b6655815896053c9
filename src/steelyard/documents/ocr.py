"""Documents in JSON: a list of pages, or what an OCR tool gives, with pages and boxes.

The tools are PaddleOCR-VL and PP-StructureV3, MinerU, Docling and RAGFlow. Each form has one function, which yields
nothing for content of another shape. Field names are those of PaddleX 3, MinerU 1 to 3 (content_list.json),
DoclingDocument 1 and the HTTP API of RAGFlow.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from steelyard.documents.sheets import Block, Box, Sheet, clean
from steelyard.errors import MOST_PROBLEMS, InputError, Problem
from steelyard.i18n import Message
from steelyard.io.located import SourceMap, located_json

PAGES_HINT = Message("formats.json_document_hint")

_OUTSIDE: Final = (
    *("number", "page_number", "header", "page_header", "header_image"),
    *("footer", "page_footer", "footer_image", "image", "seal", "aside_text", "discarded"),
)
"""Labels of blocks that are not text of the page: page numbers, running heads and feet, margins, pictures."""
_WRAPPERS: Final = ("result", "layoutParsingResults", "document", "json_content", "data", "chunks")
"""Keys of replies of services, below which the output is."""
_MINERU_TEXTS: Final = (
    *("image_caption", "img_caption", "table_caption"),
    *("text", "list_items", "table_body"),
    *("image_footnote", "img_footnote", "table_footnote"),
)
"""Fields of MinerU that hold text, in the order of the page; names with img_ are those before 2.0."""
# of a chunk of RAGFlow: @@page\tx0\tx1\ttop\tbottom## stands after the text that it is about; a page may be 3-4
TAG: Final = re.compile(r"@@([0-9]{1,9}(?:-[0-9]{1,9})*)((?:\t-?[0-9]{1,9}(?:\.[0-9]{1,9})?){4})##")


class _Piece(NamedTuple):
    """A block of text; without a page it goes on with the page before it. `place` is that of an entry for a page."""

    page: Any
    text: str
    label: Any = None
    box: Box | None = None
    place: str = ""


def json_sheets(text: str, name: str, warnings: list[Problem]) -> list[Sheet]:
    """Return the pages of a JSON document."""
    if not text.strip():
        raise InputError(Message("formats.empty_file"), where=name)
    content, source_map = located_json(text, name)
    match content:
        case {"pages": [*pages]}:
            return _listed_sheets(pages, source_map)
    content = _unwrapped(content)
    for read in (_paddle, _mineru, _docling, _ragflow):
        try:
            pieces = list(read(content))
        except (LookupError, TypeError, ValueError, AttributeError):
            continue  # nearly of this form
        if pieces:
            return _grouped(pieces, name, warnings)
    raise InputError(Message("formats.unknown_json_document"), where=name, hint=Message("formats.ocr_forms_hint"))


def _listed_sheets(pages: Sequence[Any], source_map: SourceMap) -> list[Sheet]:
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for index, page in enumerate(pages):
        pointer = f"/pages/{index}"
        fault = _fault(page)
        if fault is None:
            sheets.append(Sheet(source_map.location(pointer), page["page"], clean(page["text"])))
        else:
            field, message = fault
            problems.append(Problem(source_map.location(pointer + field), message))
    if problems:
        raise InputError.of(problems[:MOST_PROBLEMS], hint=PAGES_HINT)
    return sheets


def _fault(page: Any) -> tuple[str, Message] | None:
    """Return what is wrong with a page of a list, and the pointer to it in the page."""
    if not isinstance(page, dict):
        return "", Message("formats.page_not_object")
    for key in ("page", "text"):
        if key not in page:
            return "", Message("formats.field_missing", key=key)
    number = page["page"]
    if type(number) is not int or number < 1:
        return "/page", Message("formats.invalid_page_number", number=number)
    if not isinstance(page["text"], str):
        return "/text", Message("formats.page_text_not_text", number=number)
    return None


def _unwrapped(content: Any) -> Any:
    """Return the output inside the reply of a service."""
    for key in _WRAPPERS:
        if isinstance(content, dict):
            content = content.get(key, content)
    return content


def _grouped(pieces: Sequence[_Piece], name: str, warnings: list[Problem]) -> list[Sheet]:
    """Return a sheet for each page; two entries for one page become two sheets, which is found to be an error."""
    page = next((piece.page for piece in pieces if piece.page is not None), None)
    if page is None:
        warnings.append(Problem(name, Message("formats.no_page_marks")))
        page = 1
    groups: dict[tuple[int, str], list[_Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.page is not None:
            page = piece.page
        if type(page) is not int or page < 1:
            raise InputError(Message("formats.invalid_page_number", number=page), where=name)
        groups[page, piece.place or f"page={page}"].append(piece)
    return [_sheet(f"{name}#{place}", page, groups[page, place]) for page, place in sorted(groups)]


def _sheet(where: str, number: int, pieces: Iterable[_Piece]) -> Sheet:
    """Return the blocks of a page one under the other."""
    lines: list[str] = []
    blocks: list[Block] = []
    start = 0
    for piece in pieces:
        text = clean(piece.text)
        if not text or piece.label in _OUTSIDE:
            continue
        end = start + len(text)
        if piece.box:
            blocks.append(Block(start, end, piece.box))
        lines.append(text)
        start = end + 1
    return Sheet(where, number, "\n".join(lines), blocks)


def _paddle(content: Any) -> Iterator[_Piece]:
    """Read PaddleOCR-VL or PP-StructureV3: an entry for each page, as it is saved or as a service replies."""
    for index, entry in enumerate(content if isinstance(content, list) else [content]):
        page = entry.get("prunedResult", entry)
        counted = page.get("page_index")
        number = 1 + (index if counted is None else counted)
        yield _Piece(number, "", place=f"/{index}")
        for block in page["parsing_res_list"]:
            label, box = block.get("block_label"), _box(block.get("block_bbox"))
            yield _Piece(number, str(block.get("block_content") or ""), label, box, f"/{index}")


def _mineru(content: Any) -> Iterator[_Piece]:
    """Read a content_list.json of MinerU: blocks in reading order, whose pages count from 0."""
    for entry in content:
        label, page = entry["type"], entry["page_idx"]
        lines: list[str] = []
        for name in _MINERU_TEXTS:
            text = entry.get(name) or []
            lines += text if isinstance(text, list) else [text]
        if label == "image":  # its caption is text
            label = None
        yield _Piece(page + 1, "\n".join(lines), label, _box(entry.get("bbox")))


def _docling(content: Any) -> Iterator[_Piece]:
    """Read a DoclingDocument: texts, then tables, on each page of their `prov`."""
    for item in [*content["texts"], *content.get("tables", ())]:
        text, places = _docling_text(item), item.get("prov") or [{}]
        for place in places:
            start, end = place.get("charspan", (0, None)) if len(places) > 1 else (0, None)
            box = place.get("bbox", {})
            sides = [box.get(side) for side in "ltrb"]
            yield _Piece(place.get("page_no"), text[start:end], item.get("label"), _box(sides))


def _docling_text(item: Mapping[str, Any]) -> str:
    """Return the text of an item; that of a table has a line for each row."""
    if "data" not in item:
        return str(item.get("text", ""))
    rows: dict[Any, list[str]] = defaultdict(list)
    for cell in item["data"]["table_cells"]:
        rows[cell["start_row_offset_idx"]].append(cell["text"])
    return "\n".join(map(" | ".join, rows.values()))


def _ragflow(content: Any) -> Iterator[_Piece]:
    """Read chunks of RAGFlow; one that touches several pages stands on each, unless tags part its text."""
    for chunk in content:
        *tagged, rest = TAG.split(chunk["content"])
        for text, page, sides in zip(tagged[::3], tagged[1::3], tagged[2::3], strict=True):
            yield _placed([int(page.split("-")[0]), *map(float, sides.split())], text)
        positions = () if tagged else chunk["positions"]
        places = {place[0]: place for place in positions if place}
        yield from (_placed(place, rest) for place in places.values())
        if not places:
            yield _Piece(None, rest)


def _placed(place: Sequence[Any], text: str) -> _Piece:
    page, left, right, top, bottom = place
    return _Piece(page, text, box=_box([left, top, right, bottom]))


def _box(sides: Any) -> Box | None:
    match sides:
        case [int() | float() as left, int() | float() as top, int() | float() as right, int() | float() as bottom]:
            return (left, top, right, bottom)
    return None
