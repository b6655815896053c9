"""Entries added to a YAML file as text, so that what a user wrote there keeps its comments and its form."""

from collections.abc import Mapping
from typing import Any

from steelyard.io.yamls import dump_yaml


def insert_entries(text: str, added: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The text with entries added to its sections, new sections at the end; None where that cannot be done as text."""
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not _is_block(root):
        return None
    sections = {str(key.value): section for key, section in root.value}
    lines = text.splitlines()
    inserts: dict[int, list[str]] = {}
    for alias, entries in added.items():
        if alias not in sections:
            inserts.setdefault(len(lines), []).extend(dump_yaml({alias: dict(entries)}).splitlines())
        elif entries and not _is_block(sections[alias]):
            return None
        elif entries:
            section = sections[alias]
            indent = " " * section.value[0][0].start_mark.column
            block = [f"{indent}{line}" if line else line for line in dump_yaml(dict(entries)).splitlines()]
            inserts.setdefault(_last_line(section) + 1, []).extend(block)
    for place in sorted(inserts, reverse=True):
        lines[place:place] = inserts[place]
    changed = "\n".join(lines) + "\n"
    return changed if _says(changed) == _with(_says(text), added) else None


def _says(text: str) -> Any:
    """What a text says; nothing where it is no YAML any more."""
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None


def _with(content: Mapping[str, Any], added: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {**content, **{alias: {**content.get(alias, {}), **entries} for alias, entries in added.items()}}


def _is_block(node: Any) -> bool:
    """Whether this is a mapping with something in it, one entry to a line."""
    import yaml

    return isinstance(node, yaml.MappingNode) and not node.flow_style and bool(node.value)


def _last_line(node: Any) -> int:
    """The last line of a node, without the comments and blank lines that follow it."""
    import yaml

    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    line: int = node.end_mark.line
    return line - 1 if node.end_mark.column == 0 and line > node.start_mark.line else line
