"""Fields of blocks as JSON."""

from collections.abc import Sequence
from typing import Any

from steelyard.reports.blocks import Block, Fields
from steelyard.text.visible import indented_json

RESULTS = "results"


def render_json(blocks: Sequence[Block]) -> str:
    """The fields as JSON, indented."""
    return indented_json(as_json(blocks))


def as_json(blocks: Sequence[Block]) -> dict[str, Any]:
    """The fields of the blocks, in order; those of results are a list under `results`."""
    output: dict[str, Any] = {}
    for block in blocks:
        match block:
            case Fields(result=None):
                output.update(block.values())
            case Fields(result=int(index)):
                _result(output.setdefault(RESULTS, []), index).update(block.values())
    return output


def _result(results: list[dict[str, Any]], index: int) -> dict[str, Any]:
    while len(results) <= index:
        results.append({})
    return results[index]
