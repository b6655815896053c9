"""Words of pages and reports in Chinese, in the form of `words`: those of `gate`."""

GATE: dict[str, str] = {}
