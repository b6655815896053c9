"""Messages in Chinese, in the form of `messages`: those of `gate`."""

GATE: dict[str, str] = {}
GATE_WORDS: dict[str, str] = {}
