"""Files of other tools for tests: where they are, and what is read from them."""

from pathlib import Path
from typing import Any

from steelyard.io.foreign.formats import open_source

DATA = Path(__file__).parent / "io" / "foreign" / "data"


def fields_of(path: Path, name: str | None = None) -> list[dict[str, Any]]:
    """The fields of all records of a file."""
    return [record.fields for record in open_source(path, name).records()]


def title_of(path: Path) -> str:
    """The format that recognises a file; "" for plain rows."""
    source = open_source(path)
    source.container.close()
    return source.title
