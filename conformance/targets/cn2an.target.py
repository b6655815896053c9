# /// script
# dependencies = ["cn2an==0.5.24"]
# ///
"""cn2an: Chinese numerals to numbers."""

from typing import Any

import cn2an
from lines import Unsupported, answer


def number(given: Any) -> Any:
    if given["language"] != "zh":
        raise Unsupported("Chinese only")
    if "," in given["text"]:
        raise Unsupported("no groups of digits")
    return cn2an.cn2an(given["text"], "smart")


if __name__ == "__main__":
    answer("cn2an", {"number": number})
