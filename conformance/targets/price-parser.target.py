# /// script
# dependencies = ["price-parser==0.5.1"]
# ///
"""price-parser: amounts and currencies of prices, as they stand on web pages."""

from typing import Any

from lines import Unsupported, answer
from price_parser import Price

CODES = {"$": "USD", "US$": "USD", "€": "EUR", "￥": "CNY", "¥": "CNY", "RMB": "CNY"}


def money(given: Any) -> Any:
    if given["language"] != "en":
        raise Unsupported("figures with a currency, no Chinese numerals and words")
    if "million" in given["text"]:
        raise Unsupported("prices, no words of numbers")
    found = Price.fromstring(given["text"])
    return found.amount and [found.amount_float, CODES.get(found.currency, found.currency)]


if __name__ == "__main__":
    answer("price-parser", {"money": money})
