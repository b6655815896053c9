"""`validate --fix`: wrong pages and lines in question files, put right in the text of the file, where they can be told.

Where the words stand on several other pages, the speaker may decide; else the place is taken that is shifted as most
wrong places of the file are, since an author who counts otherwise does so throughout. What is still open is left.
"""

from collections import Counter
from collections.abc import Sequence

from steelyard.documents.pages import Document
from steelyard.legal.benchmark.checks import LOCATION, Misplaced, misplaced_of, right_lines
from steelyard.legal.benchmark.questions import QuestionFile
from steelyard.legal.evidence.quotes import Source, source_of
from steelyard.legal.model import Fields, place_words, places_of


def with_right_places(file: QuestionFile, text: str, document: Document) -> str:
    """Return the text of a question file with right pages and lines; nothing else of it changes."""
    source = source_of(document)
    pages = _right_pages(file, source)
    edits = {f"{pointer}/page": str(page) for pointer, page in pages.items()}
    for index, question in enumerate(file.questions):
        places, pointer = places_of(question.fields), f"/questions/{index}{LOCATION}"
        if LOCATION not in places:
            continue
        page = pages.get(pointer) or places[LOCATION]["page"]
        lines = right_lines(question.fields, source, page)
        if len(lines) == 1:
            edits[f"{pointer}/lines"] = f'"{lines[0]}"'
    spans = file.source_map.spans
    for pointer in sorted(edits, key=lambda pointer: spans[pointer], reverse=True):
        start, end = spans[pointer]
        text = text[:start] + edits[pointer] + text[end:]
    return text


def _right_pages(file: QuestionFile, source: Source) -> dict[str, int]:
    """Return the right page of each place that is on another one, where it can be told."""
    places = []
    for index, question in enumerate(file.questions):
        for place in misplaced_of(question.fields, source):
            pages = _narrowed(question.fields, place, source)
            places.append(Misplaced(f"/questions/{index}{place.pointer}", place.page, pages))
    shift = _usual_shift(places)
    decided = {place.pointer: _decided(place, shift) for place in places}
    return {pointer: page for pointer, page in decided.items() if page is not None}


def _narrowed(fields: Fields, place: Misplaced, source: Source) -> Sequence[int]:
    """Return those pages of a place on which the named speaker says the words, if there are such.

    Words that go on after the end of a page stand where they begin.
    """
    words, speaker = place_words(fields, place.pointer), places_of(fields)[place.pointer].get("speaker")
    if not source.pages[place.pages[0]].key.holds(words):
        return place.pages[:1]
    spoken = [page for page in place.pages if speaker in source.pages[page].kinds(words)]
    return spoken or place.pages


def _usual_shift(places: Sequence[Misplaced]) -> int:
    """Return by how many pages most places are wrong, of those that stand on one page only; 0 without any."""
    shifts = Counter(place.pages[0] - place.page for place in places if len(place.pages) == 1)
    return shifts.most_common(1)[0][0] if shifts else 0


def _decided(place: Misplaced, shift: int) -> int | None:
    if len(place.pages) == 1:
        return place.pages[0]
    return place.page + shift if place.page + shift in place.pages else None
