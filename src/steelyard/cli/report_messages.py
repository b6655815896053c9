"""Messages in Chinese, in the form of `messages`: those of `report`."""

REPORT: dict[str, str] = {}
REPORT_WORDS: dict[str, str] = {}
