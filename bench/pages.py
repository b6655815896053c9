"""Parts of documentation pages that a benchmark writes: a page has each between two marks, in every language."""

import re
from pathlib import Path
from typing import Final

from bench.processes import PROJECT
from bench.progress import report

LANGUAGES: Final = ("en", "zh")


def pages_of(name: str) -> list[Path]:
    """Return a page of the documentation in every language, English first."""
    return [PROJECT / "docs" / language / name for language in LANGUAGES]


def with_part(page: str, part: str, text: str) -> str:
    """Return a page with another text between the marks `<!-- PART: … -->` and `<!-- PART: end -->`."""
    marks = re.compile(rf"(<!-- {part}: [^\n]*?-->).*?(<!-- {part}: end -->)", re.DOTALL)
    if not marks.search(page):
        raise ValueError(f"the page lacks the marks of {part}")
    return marks.sub(lambda found: f"{found[1]}\n\n{text}\n\n{found[2]}", page)


def write_part(page: Path, part: str, text: str) -> None:
    """Write a text between its marks in a page."""
    page.write_text(with_part(page.read_text("utf-8"), part, text), encoding="utf-8")
    report(f"written: {page}, {part}")


def with_lower_headings(text: str) -> str:
    """Return a text whose headings are one level lower, so that they stand below another heading."""
    return re.sub(r"^(?=#+ )", "#", text, flags=re.MULTILINE)
