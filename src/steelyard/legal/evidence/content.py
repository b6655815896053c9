"""Whether an answer has content: a value, a name, a quotation, or a statement that the document makes.

"好的。", "这是一个好问题" and a repeated question have no content, although they invent nothing.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from steelyard.legal.evidence.quotes import key_of, quote_key
from steelyard.legal.evidence.sources import GRAM, WORD, Source
from steelyard.legal.grounding.proper_names import is_known_name, names
from steelyard.text.mentions import mentions
from steelyard.text.normalisation import normalise

FEWEST: Final = 6
"""Characters that an answer must share with the document beyond the question, in runs of three or more.

Two words of two characters are shared by chance ("这是一个" is in many transcripts); the shortest real statements
(坏了半个月没有修, 联系不上货源) have six or more.
"""
FEWEST_WORDS: Final = 3
"""The same for words of four or more Latin letters: one or two are shared by chance."""
QUOTED: Final = 4
"""The least number of characters of a quotation; fewer are a word."""
LONGEST: Final = 2000
"""The number of characters of an answer that are examined."""

_VALUES: Final = frozenset(("id", "phone", "card", "serial", "date", "time", "percent", "age", "money", "count"))
_QUOTE: Final = re.compile('[“「『"]([^”」』"]{2,400})[”」』"]')
_INTERROGATIVE: Final = re.compile(r"(?<![^。.!?！？；;\n])[^。.!?！？；;\n]*[?？]")  # from the stop before it
# stock phrases that fit any question and any document
_STOCK: Final = re.compile(
    "这是一?个?|[很非]?常?好的?问题|问题|材料|笔录|文档|文件|资料|卷宗|原文|上下文|根据|依据|按照|上述|以上|以下|如下|内容|信息|回答|答案|答复|"
    "您好|你好|好的|明白|知道了|收到|请问|感谢|谢谢|可以|需要|能够|提供|了解|参考|查阅|查看|具体|相关|有关|关于|情况|"
    "我会|我将|我们|为您|如果|希望|帮助|是的|一个"
)
_STOCK_WORDS: Final = frozenset(
    "about above according also answer answers asked based been below best better both case cases context could "
    "describe described details document documents does done each evidence exactly fact facts find following from "
    "further given gives good great have hello help here information into it's just know like look matter more most "
    "need please possible provide provided question questions refer regarding related relevant says should some state "
    "stated statement statements sure text thank thanks that their them then there these they this those what when "
    "where which will with would your yours".split()
)


def has_content(answer: str, question: str, source: Source) -> bool:
    """Whether the text of an answer has a value, a name, a quotation or a statement beyond the question."""
    text, asked = answer[:LONGEST], normalise(question)
    return any(_new_values(text, asked)) or any(_quotations(text, asked, source)) or _states(text, asked, source)


def _new_values(text: str, question: str) -> Iterator[str]:
    """Values and names that the question does not have, whether or not the document has them."""
    asked = {(value.kind, str(value.value)) for value in mentions(question)}
    for value in mentions(text):
        is_one = value.kind == "count" and (value.value is None or value.value <= 1)
        if value.kind in _VALUES and not is_one and (value.kind, str(value.value)) not in asked:
            yield value.text
    yield from (name for name, _ in names(text) if not is_known_name(name, question))


def _quotations(text: str, question: str, source: Source) -> Iterator[str]:
    for quote in _QUOTE.finditer(text):
        words = quote[1]
        is_asked = quote_key(words) in quote_key(question)
        if len(quote_key(words)) >= QUOTED and not is_asked and source.key.holds(words):
            yield words


def _states(answer: str, question: str, source: Source) -> bool:
    text = _INTERROGATIVE.sub(" ", answer) if "?" in answer or "？" in answer else answer
    asked = set(WORD.findall(question.lower()))
    words = {word for word in WORD.findall(text.lower()) if len(word) >= 4} & source.words
    if len(words - asked - _STOCK_WORDS) >= FEWEST_WORDS:
        return True
    own = quote_key(question)
    shared = accumulate(_shared(piece, own, source) for piece in _STOCK.split(text))
    return any(count >= FEWEST for count in shared)


def _shared(piece: str, question: str, source: Source) -> int:
    """The number of non-Latin characters in runs that the document has and the question does not have."""
    key = key_of(piece).text
    held: set[int] = set()
    for at in range(len(key) - GRAM + 1):
        gram = key[at : at + GRAM]
        if gram in source.grams and gram not in question and not gram.isascii():
            held.update(range(at, at + GRAM))
    return len(held)
