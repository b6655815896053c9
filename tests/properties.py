"""How many examples a property is tried on: fewer in a usual run, STEELYARD_EXAMPLES times as many where it is set."""

import os
from typing import Any

from hypothesis import settings

TIMES = float(os.environ.get("STEELYARD_EXAMPLES") or 1)
USUAL = 50


def examples(number: int = USUAL, **more: Any) -> settings:
    """Settings of a property that is tried on `number` examples, times what the environment asks for."""
    return settings(max_examples=max(1, round(number * TIMES)), **more)
