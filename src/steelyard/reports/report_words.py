"""Words of pages and reports in Chinese, in the form of `words`: those of `report`."""

REPORT: dict[str, str] = {}
