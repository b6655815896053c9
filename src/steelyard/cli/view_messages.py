"""Messages in Chinese, in the form of `messages`: those of `view`."""

VIEW: dict[str, str] = {}
VIEW_WORDS: dict[str, str] = {}
