"""The blocks of a report, from its sections (`sections`)."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, Protocol, cast

from steelyard.i18n import Language, Words, words_of
from steelyard.reports import sections
from steelyard.reports.blocks import Block, printed
from steelyard.reports.content import Report

FOOT: Final = 90
"""The order of the first section that follows the blocks that are added: footnotes, then items."""


class Section(Protocol):
    """A module of the package `sections`."""

    ORDER: int

    def blocks(self, report: Report, words: Words) -> Iterable[Block]:
        """The blocks of the section, in the language of the words; none where it has nothing to show."""


def report_blocks(report: Report, language: Language = "en") -> list[Block]:
    """The blocks of the report in formats of text."""
    return list(printed(all_blocks(report, language)))


def all_blocks(report: Report, language: Language = "en") -> Sequence[Block]:
    """The blocks of every section, in order, with what only pages show; built once for a report and a language."""
    if language not in report.built:
        words = words_of(language)
        loaded = load_sections()
        before = [block for section in loaded if section.ORDER < FOOT for block in section.blocks(report, words)]
        after = [block for section in loaded if section.ORDER >= FOOT for block in section.blocks(report, words)]
        report.built[language] = [*before, *(report.added(words) if report.added else ()), *after]
    return report.built[language]


def load_sections() -> list[Section]:
    """The modules of the package `sections`, in their order."""
    names = [module.name for module in iter_modules(sections.__path__, f"{sections.__name__}.")]
    return sorted((cast(Section, import_module(name)) for name in names), key=lambda section: section.ORDER)
