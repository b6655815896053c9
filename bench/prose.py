"""English prose to time: sentences of the docstrings of Python's own library, some rows with typographic marks.

The library is there wherever Python is, and its docstrings are ASCII. In the given share of the rows, quotation marks,
apostrophes, dashes and points of omission are set as a printer sets them, and a name with accents is quoted as the
source; a row that has no place for any of these gets an em dash for its first comma.
"""

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_PARAGRAPH: Final = re.compile(r"\n\s*\n")
_SHORTEST: Final = 6  # words of a sentence
_KEPT: Final = 0.6  # of the sentences of a reference in its answer
_SOURCED: Final = 0.1  # of the marked texts
_NAMES: Final = ("René Müller", "José Ñáñez", "Zoë Brontë", "Łukasz Żak", "Søren Ångström", "Jiří Dvořák")
_MARKS: Final = (
    (re.compile(r"(?<![\w'])'([^']+)'(?!\w)"), "‘\\1’"),
    (re.compile(r"(?<=\w)'(?=\w)"), "’"),
    (re.compile(r'"([^"]+)"'), "“\\1”"),
    (re.compile(r" ?-{2,3} ?| - "), " — "),
    (re.compile(r"(?<=\d)-(?=\d)"), "–"),
    (re.compile(r"\.{3}"), "…"),
)


def prose_rows(rows: int, words: int, marked: float) -> Iterator[tuple[str, str]]:
    """Answers with references of about so many words; the share `marked` of them has marks that are not ASCII."""
    choose = random.Random(7)
    sentences = _sentences()
    for _ in range(rows):
        length = choose.randint(words * 3 // 4, words * 5 // 4)
        wanted = _passage(sentences, length, choose)
        said = [one if choose.random() < _KEPT else choose.choice(sentences) for one in wanted]
        choose_marks = choose.random() < marked
        answer, reference = " ".join(said), " ".join(wanted)
        yield (_typeset(answer, choose), _typeset(reference, choose)) if choose_marks else (answer, reference)


def _passage(sentences: list[str], length: int, choose: random.Random) -> list[str]:
    """Sentences that follow each other, of so many words together."""
    start, passage, words = choose.randrange(len(sentences)), list[str](), 0
    while words < length - _SHORTEST:
        passage.append(sentences[(start + len(passage)) % len(sentences)])
        words += len(passage[-1].split())
    return passage


def _typeset(text: str, choose: random.Random) -> str:
    """Return the text with typographic marks; it is never ASCII."""
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    if choose.random() < _SOURCED:
        text = f"{text} — {choose.choice(_NAMES)}"
    if text.isascii():
        text = text.replace(", ", " — ", 1)
    return f"“{text}”" if text.isascii() else text


@cache
def _sentences() -> list[str]:
    """Return the different sentences of the docstrings of the standard library, in order of its files."""
    library = Path(sysconfig.get_paths()["stdlib"])
    files = [path for path in sorted(library.glob("*.py")) + sorted(library.glob("*/*.py")) if "test" not in path.parts]
    found = (sentence for path in files if "site-packages" not in path.parts for sentence in _sentences_of(path))
    return list(dict.fromkeys(found))


def _sentences_of(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    paragraphs = (part for node in nodes for part in _PARAGRAPH.split(ast.get_docstring(node) or ""))
    for paragraph in paragraphs:
        if ">>>" not in paragraph:
            yield from filter(_is_sentence, _SENTENCE_END.split(" ".join(paragraph.split())))


def _is_sentence(text: str) -> bool:
    return text.isascii() and text[:1].isupper() and len(text.split()) >= _SHORTEST
