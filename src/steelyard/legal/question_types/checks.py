"""Checks of fields that several types of questions have."""

import re
from collections.abc import Iterator
from typing import Final

from steelyard.i18n import Message
from steelyard.legal.model import Fault, Fields

_RANGE: Final = re.compile(r"([0-9]+)[-–—~]([0-9]+)")


def date_faults(fields: Fields) -> Iterator[Fault]:
    """A date range that ends before it begins."""
    dates = fields.get("expected", {}).get("date_range")
    if dates and dates["start"] > dates["end"]:
        message = Message("formats.range_reversed", start=dates["start"], end=dates["end"])
        yield Fault("/expected/date_range", message)


def line_faults(fields: Fields) -> Iterator[Fault]:
    """Ranges of lines that end before they begin."""
    locations = {"/evidence_location": fields.get("evidence_location", {})}
    further = fields.get("additional_evidence", ())
    locations |= {f"/additional_evidence/{number}": location for number, location in enumerate(further)}
    for pointer, location in locations.items():
        for first, last in _RANGE.findall(location.get("lines", "")):
            if int(first) > int(last):
                yield Fault(f"{pointer}/lines", Message("formats.range_reversed", start=first, end=last))
