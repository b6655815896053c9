"""Scripts and text normalisation: character variants, simplified Chinese, and the rules of SQuAD and UltraRAG.

`fold` unifies full and half width, dashes, blanks, radicals and invisible characters. Unicode's NFKC is not used
because it changes numbers (42000② would become 420002, ½ would become 1⁄2). Circled, superscript and subscript digits
are footnote marks and are dropped, never read as digits.

Radicals matter because browsers print PDF files in which an ideograph is encoded as the radical with the same glyph:
⽉ (U+2F49) for 月, ⾦ for 金, ⺠ (U+2EA0) for 民. NFKC maps the Kangxi radicals and two of the supplement; the Unicode
property used here maps all that have an equivalent.

Traditional characters are simplified for comparison only, and always on both sides: opencc turns 乾某 into 干某 in
simplified text too.
"""

import re
import string
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

Script = Literal["han", "kana", "hangul", "unspaced", "spaced"]

# blocks of Unicode 16; extensions of Han up to J lie in the supplementary planes
HAN: Final = "\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
KANA: Final = "\u3031-\u3035\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
# Thai, Lao, Tibetan, Myanmar, Khmer: no blanks between words
UNSPACED: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ec6\u0ec8-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1780-\u17d3"
DENSE: Final = f"{HAN}{KANA}{UNSPACED}"
"""All scripts without blanks between words."""

_BY_SCRIPT: Final[dict[Script, re.Pattern[str]]] = {
    "han": re.compile(f"[{HAN}]"),
    "kana": re.compile(f"[{KANA}]"),
    "hangul": re.compile(f"[{HANGUL}]"),
    "unspaced": re.compile(f"[{UNSPACED}]"),
}


def script_of(char: str) -> Script:
    """Return the script of a character; scripts with blanks between words are `spaced`."""
    return next((script for script, pattern in _BY_SCRIPT.items() if pattern.match(char)), "spaced")


def has_han(text: str) -> bool:
    """Return whether the text contains a Chinese character."""
    return _BY_SCRIPT["han"].search(text) is not None


def has_kana(text: str) -> bool:
    """Return whether the text contains a Japanese kana character."""
    return _BY_SCRIPT["kana"].search(text) is not None


_RADICALS: Final = tomllib.loads(files("steelyard.text").joinpath("radicals.toml").read_text("utf-8"))
EQUIVALENTS: Final[dict[int, str]] = {
    int(first, 16) + index: ideograph
    for first, ideographs in _RADICALS.items()
    for index, ideograph in enumerate(ideographs)
    if ideograph != "\u3000"
}
"""The ideograph of each radical and stroke that has one."""
_DROPPED: Final = (
    *(0xFEFF, 0x200B, 0x200C, 0x200D, 0x2060, 0xAD, *range(0x202A, 0x202F)),  # invisible
    *(0xB2, 0xB3, 0xB9, 0x2070, *range(0x2074, 0x207A), *range(0x2080, 0x208A)),  # super- and subscript digits
    *(*range(0x2460, 0x249C), *range(0x24EA, 0x2500), *range(0x2776, 0x2794)),  # circled and bracketed digits
    *(*range(0x3251, 0x3260), *range(0x32B1, 0x32C0)),  # circled digits from 21 on
)
FOLDS: Final[dict[int, str]] = {
    **{0xFF01 + n: chr(0x21 + n) for n in range(0x5E)},  # ！ … ～ to ! … ~
    **dict.fromkeys((0x3000, 0xA0, 0x202F, *range(0x2000, 0x200B)), " "),
    **{0xFFE5: "¥", 0xFFE1: "£", 0xFFE0: "¢", 0x301C: "~"},
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-"),
    **dict.fromkeys(_DROPPED, ""),
    **EQUIVALENTS,
}
"""What is put in place of a character; nothing in place of one that is dropped."""
_VARIANTS: Final = re.compile(f"[{''.join(map(chr, FOLDS))}]+")
_EQUIVALENT: Final = re.compile(f"[{''.join(map(chr, EQUIVALENTS))}]")

# re.IGNORECASE takes İ, ı, ſ and K for i, s and k, and a table of words has no such letter; "İ".lower() is longer
_LETTERS: Final = str.maketrans("\u0130\u0131\u017f\u212a", "IisK")

# ○, ◯, O, o and 0 are read as 〇 between Chinese numerals or before 年
_NUMERAL: Final = "一二三四五六七八九十〇零"
_ZEROS: Final = re.compile(f"[○◯Oo0](?<=[{_NUMERAL}].)[○◯Oo0]*(?=[{_NUMERAL}年])")
# blanks and single line breaks inside Chinese, or between a digit and Chinese, are noise
_CHINESE: Final = f"{HAN}。，、；：？！“”‘’（）《》【】"
_BLANK: Final = r"[ \t]*(?:\n[ \t]*)?"
_NOISE: Final = re.compile(
    rf"[ \t\n](?:(?<=[{_CHINESE}][ \t]){_BLANK}(?=[{_CHINESE}\d])|(?<=\d[ \t]){_BLANK}(?=[{_CHINESE}])"
    rf"|(?<=[{_CHINESE}]\n)[ \t]*(?=[{_CHINESE}\d])|(?<=\d\n)[ \t]*(?=[{_CHINESE}]))"
)
# what OCR and export programs write around text, and what stands in its place; blanks are not collapsed here
_MARKUP: Final = re.compile(r"[$\\<{]|_{3}|\d[ \t]\d")
_OCR: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    # $ \underline{\text{words}} $ is words
    (
        re.compile(
            r"(?:\$[ \t]*)?(?:\\(?:underline|uline|text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|it|sf))[ \t]*\{[ \t]*)+"
            r"([^{}$]{0,2000}?)[ \t]*\}(?:[ \t]*\})*(?:[ \t]*\$)?"
        ),
        lambda match: str(match[1]),
    ),
    # what is left of a wrapper that the end of a chunk has cut
    (re.compile(r"\\(?:underline|text)[ \t]*\{?|\A(?:[underli]{0,8}ne|[tex]{0,3}t)\{|\\[a-z]{0,8}\Z"), ""),
    (re.compile(r"</t[dh]>\s*<t[dh]\b[^<>]{0,300}>", re.IGNORECASE), " | "),
    (
        re.compile(
            r"\n?(?:</?(?:table|thead|tbody|tr|t[dh]|div|p|br|li|[uo]l|html|body|center)\b[^<>]{0,300}>\s*)+",
            re.IGNORECASE,
        ),
        "\n",
    ),
    (re.compile(r"</?(?:img|[ubi]|strong|em|span|font|su[bp])\b[^<>]{0,300}>", re.IGNORECASE), ""),
    (re.compile(r"_{3,}(?:[、,，;；]?[ \t]*_{3,})+"), "___"),  # of many blanks to be filled in, one
    (re.compile(r"(?<![\d.,])\d(?:[ \t]\d){3,}(?![\d.,])"), lambda match: re.sub(r"[ \t]", "", match[0])),
)
_FILL_IN: Final = re.compile("_{3,}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_BLANK_PUNCTUATION: Final = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`", " "))
_TRUTH: Final = {"True": "yes", "False": "no"}

Edit = tuple[int, int, str]
"""The start and the end of a passage, and what is put in its place."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A changed text, and the offset of each of its characters in the original; one more for the end."""

    text: str
    offsets: Sequence[int]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of `text[start:end]` in the original."""
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[start]

    def replaced(self, pattern: re.Pattern[str], put: str | Callable[[re.Match[str]], str]) -> "Folded":
        """Return the text with each match replaced."""
        if pattern.search(self.text) is None:  # the usual case, quicker than to make no edits
            return self
        matches = pattern.finditer(self.text)
        return self.edited(
            (match.start(), match.end(), put if isinstance(put, str) else put(match)) for match in matches
        )

    def edited(self, edits: Iterable[Edit]) -> "Folded":
        """Return the text with these edits, which are in order and do not overlap."""
        pieces: list[str] = []
        offsets: list[int] = []
        at = 0
        for start, end, put in edits:
            pieces += (self.text[at:start], put)
            index = self.text.find(put, start, end) if put else -1
            offsets += self.offsets[at:start]
            offsets += self.offsets[index : index + len(put)] if index >= 0 else [self.offsets[start]] * len(put)
            at = end
        return Folded("".join((*pieces, self.text[at:])), (*offsets, *self.offsets[at:])) if pieces else self


def fold(text: str) -> str:
    """Return the text with character variants unified."""
    if text.isascii():
        return text
    folded = _VARIANTS.sub(lambda run: run[0].translate(FOLDS), text)
    return _ZEROS.sub(lambda zeros: "〇" * len(zeros[0]), folded)


def fold_with_offsets(text: str) -> Folded:
    """Return the folded text, with the offsets of its characters in the original."""
    folded = fold(text)
    if len(folded) == len(text):  # no character becomes two, so none is dropped either
        return Folded(folded, range(len(text) + 1))
    return Folded(folded, (*(at for at, char in enumerate(text) if FOLDS.get(ord(char), char)), len(text)))


def without_ocr_marks(text: Folded) -> Folded:
    """Return the text without what OCR writes around it: LaTeX, HTML, underscores as blanks, blanks between digits."""
    if _MARKUP.search(text.text):
        for pattern, put in _OCR:
            text = text.replaced(pattern, put)
    return text


def unified(text: str) -> str:
    """Return the text with ideographs in place of radicals and strokes; its length does not change."""
    return text if text.isascii() else _EQUIVALENT.sub(lambda radical: EQUIVALENTS[ord(radical[0])], text)


def simplified(text: str) -> str:
    """Return the text in simplified characters; its length does not change, so offsets stay valid."""
    if text.isascii():
        return text
    text = _SURROGATE.sub("\ufffd", text)  # a lone surrogate cannot be converted, and equals nothing
    converted: str = _converter().convert(text)
    if len(converted) == len(text):
        return converted
    return "".join(char if len(simple := _converter().convert(char)) != 1 else simple for char in text)


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


@lru_cache(maxsize=1 << 12)
def normalise(text: str) -> str:
    """Return the text folded, simplified, and without blanks inside Chinese, as the legal judges read it."""
    return normalise_with_offsets(text).text


def normalise_with_offsets(text: str) -> Folded:
    """Return the normalised text, with the offsets of its characters in the original."""
    plain = text if text.isascii() else text.translate(_LETTERS)
    folded = without_ocr_marks(fold_with_offsets(plain))
    return Folded(simplified(folded.text), folded.offsets).replaced(_FILL_IN, " ").replaced(_NOISE, "")


@lru_cache(maxsize=1 << 14)
def squad_text(text: str) -> str:
    """Normalise as the SQuAD 1.1 script does: lower case, no ASCII punctuation, no articles, single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


@lru_cache(maxsize=1 << 14)
def ultrarag_text(text: str) -> str:
    """Return that of UltraRAG up to 0.3.0.2: True and False are yes and no, punctuation becomes blanks, no articles."""
    return " ".join(_ARTICLES.sub(" ", _blanked(text)).split())


@lru_cache(maxsize=1 << 14)
def ultrarag_text_2026_09(text: str) -> str:
    """Return the normalisation of UltraRAG since September 2026: articles stay if there is nothing else."""
    return ultrarag_text(text) or " ".join(_blanked(text).split())


def _blanked(text: str) -> str:
    return _TRUTH.get(text, text).replace("_", " ").lower().translate(_BLANK_PUNCTUATION)
