"""Words of pages and reports in Chinese, in the form of `words`: those of `review`."""

REVIEW: dict[str, str] = {}
