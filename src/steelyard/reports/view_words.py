"""Words of pages and reports in Chinese, in the form of `words`: those of `view`."""

VIEW: dict[str, str] = {}
