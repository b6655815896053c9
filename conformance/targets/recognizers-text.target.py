# /// script
# dependencies = ["recognizers-text-suite==1.0.2a2", "emoji==1.7.0"]
# ///
"""Microsoft Recognizers-Text: numbers, currencies and dates.

It needs a package emoji before 2.0, which it does not declare.
"""

from typing import Any

from lines import Unsupported, answer
from recognizers_date_time import recognize_datetime
from recognizers_number import recognize_number
from recognizers_number_with_unit import recognize_currency
from recognizers_text import Culture

CULTURES = {"zh": Culture.Chinese, "en": Culture.English}


def number(given: Any) -> Any:
    found = recognize_number(given["text"], CULTURES[given["language"]])
    is_whole = len(found) == 1 and len(found[0].text) == len(given["text"])
    return float(found[0].resolution["value"]) if is_whole else None


def money(given: Any) -> Any:
    if given["language"] == "en" and any(mark in given["text"] for mark in (".127,", "’")):
        raise Unsupported("the groups of its English culture are English")
    found = [each.resolution for each in recognize_currency(given["text"], CULTURES[given["language"]])]
    valued = [each for each in found if each["value"] is not None]
    return [float(valued[0]["value"]), valued[0].get("isoCurrency")] if valued else None


def date(given: Any) -> Any:
    found = recognize_datetime(given["text"], CULTURES[given["language"]])
    if len(found) != 1 or len(found[0].text) != len(given["text"]):
        return None
    values = found[0].resolution["values"][0]
    if values["type"] not in ("date", "datetime", "daterange") or values.get("value") == "not resolved":
        return None
    year, month, day = (*values["timex"][:10].replace("XXXX", "????").split("-"), "??", "??")[:3]
    return f"{year}-{month}-{day}"


if __name__ == "__main__":
    answer("recognizers-text", {"number": number, "money": money, "date": date})
