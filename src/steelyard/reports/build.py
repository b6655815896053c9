"""The blocks of a report, from its sections (`sections`)."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from steelyard.i18n import LANGUAGES, Language, Words, words_of
from steelyard.reports import sections
from steelyard.reports.blocks import Block, PageTable, TableBlock
from steelyard.reports.content import Report


class Section(Protocol):
    """A module of the package `sections`."""

    ORDER: int

    def blocks(self, report: Report, words: Words) -> Iterable[Block]:
        """The blocks of the section, in the language of the words; none where it has nothing to show."""


def report_blocks(report: Report, language: Language = "en") -> Sequence[Block]:
    """The blocks of every section, in order; built once for a report and a language."""
    if language not in report.built:
        words = words_of(language)
        report.built[language] = [block for section in load_sections() for block in section.blocks(report, words)]
    return report.built[language]


def load_sections() -> list[Section]:
    """The modules of the package `sections`, in their order."""
    names = [module.name for module in iter_modules(sections.__path__, f"{sections.__name__}.")]
    return sorted((cast(Section, import_module(name)) for name in names), key=lambda section: section.ORDER)


def section_tables(report: Report) -> list[PageTable]:
    """The tables, in every language, of the sections that an HTML page does not draw in its own way."""
    others = [section for section in load_sections() if getattr(section, "ON_PAGE", True)]
    return [table for section in others for table in _in_every_language(section, report)]


def _in_every_language(section: Section, report: Report) -> Iterator[PageTable]:
    blocks = [section.blocks(report, words_of(language)) for language in LANGUAGES]
    for tables in zip(*([block for block in texts if isinstance(block, TableBlock)] for texts in blocks), strict=True):
        yield PageTable(dict(zip(LANGUAGES, tables, strict=True)))
