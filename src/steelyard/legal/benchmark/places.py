"""`validate --fix`: wrong pages in question files, put right in the text of the file, where they can be told.

Where the words stand on several other pages, the speaker may decide; else the place is taken that is shifted as most
wrong places of the file are, since an author who counts otherwise does so throughout. What is still open is left.
"""

from collections import Counter
from collections.abc import Sequence

from steelyard import limits
from steelyard.documents.pages import Document
from steelyard.io.streams import read_text
from steelyard.legal.benchmark.checks import Misplaced, misplaced
from steelyard.legal.benchmark.questions import QuestionFile
from steelyard.legal.evidence.quotes import Source, source_of
from steelyard.legal.model import Fields, place_words, places_of


def with_right_pages(file: QuestionFile, document: Document) -> str:
    """Return the text of a question file with right pages; nothing else of it changes."""
    places = [_narrowed(file, place, source_of(document)) for place in misplaced(file, source_of(document))]
    shift = _usual_shift(places)
    edits = []
    for place in places:
        page = _decided(place, shift)
        if page is not None:
            edits.append((file.source_map.spans[f"{place.pointer}/page"], page))
    text, _ = read_text(file.path, limits.DOCUMENT_BYTES)
    for (start, end), page in sorted(edits, reverse=True):
        text = f"{text[:start]}{page}{text[end:]}"
    return text


def _narrowed(file: QuestionFile, place: Misplaced, source: Source) -> Misplaced:
    """Return a place with those of its pages on which the named speaker says the words, if there are such.

    Words that go on after the end of a page stand where they begin.
    """
    fields, pointer = _question_at(file, place.pointer)
    words, speaker = place_words(fields, pointer), places_of(fields)[pointer].get("speaker")
    if not source.pages[place.pages[0]].key.holds(words):
        return place._replace(pages=place.pages[:1])
    spoken = [page for page in place.pages if speaker in source.pages[page].kinds(words)]
    return place._replace(pages=spoken or place.pages)


def _question_at(file: QuestionFile, pointer: str) -> tuple[Fields, str]:
    """Return the question that a pointer of a file leads into, and the rest of the pointer."""
    _, _, index, rest = pointer.split("/", 3)
    return file.questions[int(index)].fields, f"/{rest}"


def _usual_shift(places: Sequence[Misplaced]) -> int:
    """Return by how many pages most places are wrong, of those that stand on one page only; 0 without any."""
    shifts = Counter(place.pages[0] - place.page for place in places if len(place.pages) == 1)
    return shifts.most_common(1)[0][0] if shifts else 0


def _decided(place: Misplaced, shift: int) -> int | None:
    if len(place.pages) == 1:
        return place.pages[0]
    return place.page + shift if place.page + shift in place.pages else None
