# /// script
# dependencies = ["text2num==3.1.0"]
# ///
"""text2num: English words to numbers."""

from typing import Any

from lines import Unsupported, answer
from text_to_num import text2num


def number(given: Any) -> Any:
    if given["language"] != "en":
        raise Unsupported("no Chinese")
    if any(char.isdigit() for char in given["text"]):
        raise Unsupported("words, not figures")
    if "half" in given["text"] or "dozen" in given["text"]:
        raise Unsupported("whole numbers, without halves and dozens")
    return text2num(given["text"], "en")


if __name__ == "__main__":
    answer("text2num", {"number": number})
