"""Numbers by which passages are cited: one for each text, kept over all rounds of a question."""

from collections.abc import Sequence
from typing import Any


class Registry:
    """The numbers given so far, for each question on its own.

    A call from inside a branch has fewer rows than there are questions. With the questions of its rows the numbers are
    those of these questions; without them, rows are counted from the first, as UltraRAG does.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, dict[str, int]] = {}
        self.begun = False

    def reset(self) -> None:
        """Forget every number, and begin."""
        self._numbers.clear()
        self.begun = True

    def keys(self, rows: int, questions: Sequence[Any] | None) -> list[Any]:
        """What tells the questions of so many rows apart: their texts where there are as many, else their places."""
        if questions is not None and len(questions) == rows and None not in questions:
            return list(questions)
        return list(range(rows))

    def number(self, key: Any, text: str) -> int:
        """The number of a text, a new one where it has none; blanks around it do not count."""
        known = self._numbers.setdefault(key, {})
        return known.setdefault(text.strip(), len(known) + 1)
