"""Reports, comparisons and gates as text: their blocks, rendered."""

from collections.abc import Sequence
from typing import Any

from steelyard.i18n import Language
from steelyard.reports.blocks import Block
from steelyard.reports.content import Report
from steelyard.reports.gate import gate_blocks
from steelyard.reports.render import console, latex, markdown, values
from steelyard.reports.sections import report_blocks
from steelyard.stats.gate import Gate

Content = Report | Gate


def blocks_of(content: Content, language: Language = "en") -> Sequence[Block]:
    """The blocks of a report or a gate."""
    return report_blocks(content, language) if isinstance(content, Report) else gate_blocks(content, language)


def render_console(content: Content, *, language: Language = "en", **settings: Any) -> str:
    """As the command prints it."""
    return console.render_console(blocks_of(content, language), spaced=not isinstance(content, Gate), **settings)


def render_markdown(content: Content, *, language: Language = "en") -> str:
    """As Markdown."""
    return markdown.render_markdown(blocks_of(content, language))


def render_latex(content: Content, *, language: Language = "en") -> str:
    """As LaTeX."""
    return latex.render_latex(blocks_of(content, language), language=language)


def render_csv(content: Content) -> str:
    """As CSV."""
    return values.render_csv(blocks_of(content))


def render_junit(content: Content, *, language: Language = "en", **settings: Any) -> str:
    """As JUnit XML."""
    return values.render_junit(blocks_of(content, language), **settings)


def as_json(content: Content) -> dict[str, Any]:
    """As the values of JSON output."""
    return values.as_json(blocks_of(content))
