# /// script
# dependencies = ["word2number==1.1"]
# ///
"""word2number: English words to numbers."""

from typing import Any

from lines import Unsupported, answer
from word2number import w2n


def number(given: Any) -> Any:
    if given["language"] != "en":
        raise Unsupported("English only")
    if any(char.isdigit() for char in given["text"]):
        raise Unsupported("words, not figures")
    if "half" in given["text"] or "dozen" in given["text"]:
        raise Unsupported("no halves and dozens")
    return w2n.word_to_num(given["text"])


if __name__ == "__main__":
    answer("word2number", {"number": number})
