# /// script
# dependencies = ["dateparser==1.5.0"]
# ///
"""dateparser: dates in many languages, incomplete ones refused."""

from typing import Any

import dateparser
from lines import Unsupported, answer


def date(given: Any) -> Any:
    if not any("1" <= char <= "9" for char in given["text"]):
        raise Unsupported("no Chinese numerals")
    found = dateparser.parse(given["text"], languages=[given["language"]], settings={"STRICT_PARSING": True})
    return found and found.strftime("%Y-%m-%d")


if __name__ == "__main__":
    answer("dateparser", {"date": date})
