# /// script
# dependencies = ["jionlp==1.5.31"]
# ///
"""JioNLP: Chinese amounts of money and dates."""

import contextlib
import sys
import time
from typing import Any

from lines import Unsupported, answer

with contextlib.redirect_stdout(sys.stderr):  # it greets
    import jionlp

CODES = {"元": "CNY", "美元": "USD", "港元": "HKD", "港币": "HKD", "欧元": "EUR"}


def money(given: Any) -> Any:
    if given["language"] != "zh":
        raise Unsupported("Chinese only")
    found = jionlp.ner.extract_money(given["text"], with_parsing=True)
    detail = found[0]["detail"] if found else {"definition": "none"}
    return [float(detail["num"]), CODES[detail["case"]]] if detail["definition"] == "accurate" else None


def date(given: Any) -> Any:
    if given["language"] != "zh":
        raise Unsupported("Chinese only")
    found = jionlp.parse_time(given["text"], time_base=time.time())
    first, last = (each[:10] for each in found["time"])
    if first[:4] not in given["text"] and not any(char in given["text"] for char in "一二〇○"):
        raise Unsupported("it fills in what is missing from the base date")
    return first if first == last else first[:7] + "-??" if first[:7] == last[:7] else first[:4] + "-??-??"


if __name__ == "__main__":
    answer("jionlp", {"money": money, "date": date})
