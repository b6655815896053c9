"""Sections of a report: functions that give its blocks. Every module of this package is imported by its being here.

`@section(ORDER)` registers a function `(report, words) -> blocks` at its place among the others, for every layout or
for those that it names. Every format shows the blocks, an HTML page included.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, NamedTuple

from steelyard.i18n import Audience, Language, Words, words_of
from steelyard.reports.blocks import Block, Details, ItemList, TableBlock
from steelyard.reports.content import LAYOUTS, Layout, Report

Make = Callable[[Report, Words], Iterable[Block]]


class Section(NamedTuple):
    """A function that makes blocks, its place, and its layouts.

    The tables of a section `of_each` result are details of a brief report. A section `of_changes` is one of reports of
    what changed.
    """

    order: int
    layouts: tuple[Layout, ...]
    of_each: bool
    of_changes: bool
    blocks: Make

    def is_in(self, report: Report) -> bool:
        """Return whether a report has the section."""
        return report.layout in self.layouts and bool(report.changed or not self.of_changes)


REGISTERED: Final[dict[str, Section]] = {}
"""The sections by the name of their function."""


def section(order: int, *layouts: Layout, of_each: bool = False, of_changes: bool = False) -> Callable[[Make], Make]:
    """Register a section for these layouts, by default for all."""

    def register(blocks: Make) -> Make:
        name = f"{blocks.__module__}.{getattr(blocks, '__qualname__', '')}"
        REGISTERED[name] = Section(order, layouts or LAYOUTS, of_each, of_changes, blocks)
        return blocks

    return register


def report_blocks(report: Report, language: Language = "en", audience: Audience = "command") -> Sequence[Block]:
    """Return the blocks of every section of the layout, in order; they are made once for a report and a language."""
    if (language, audience) not in report.built:
        words = words_of(language, audience)
        chosen = [section for section in load_sections() if section.is_in(report)]
        report.built[language, audience] = [block for section in chosen for block in _blocks(section, report, words)]
    return report.built[language, audience]


def load_sections() -> list[Section]:
    """Import the modules of this package, and return the sections that they register, in their order."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return sorted(REGISTERED.values(), key=lambda section: section.order)


def _blocks(section: Section, report: Report, words: Words) -> Iterator[Block]:
    """Yield the blocks of a section; in brief, tables of each result are details, and there are no lists."""
    for block in section.blocks(report, words):
        if not (section.of_each and report.layout == "brief"):
            yield block
        elif isinstance(block, TableBlock):
            yield Details(partial(tuple, [block]))
        elif not isinstance(block, ItemList):
            yield block
