"""Messages in Chinese, in the form of `messages`: those of `review`."""

REVIEW: dict[str, str] = {}
REVIEW_WORDS: dict[str, str] = {}
