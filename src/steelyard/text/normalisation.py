"""Text normalisation: folding of character variants, simplified Chinese, and the rules of SQuAD and UltraRAG.

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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from steelyard.text.scripts import HAN

# Equivalent_Unified_Ideograph of the Unicode Character Database (EquivalentUnifiedIdeograph.txt), version 16.0, as in
# 15.0. Each text starts at its code point; an ideographic space stands for a code point without an equivalent.
_RADICALS: Final = {
    # CJK Radicals Supplement
    0x2E80: (
        "　厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑𫜹忄心扌攵　旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫"
        "羊𦍌𦍋耂肀聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉"
        "齐歯齿竜龙龜亀龟"
    ),
    # Kangxi Radicals
    0x2F00: (
        "一丨丶丿乙亅二亠人儿入八冂冖冫几凵刀力勹匕匚匸十卜卩厂厶又口囗土士夂夊夕大女子宀寸小尢尸屮山巛工己巾干幺广廴"
        "廾弋弓彐彡彳心戈戶手支攴文斗斤方无日曰月木欠止歹殳毋比毛氏气水火爪父爻爿片牙牛犬玄玉瓜瓦甘生用田疋疒癶白皮皿"
        "目矛矢石示禸禾穴立竹米糸缶网羊羽老而耒耳聿肉臣自至臼舌舛舟艮色艸虍虫血行衣襾見角言谷豆豕豸貝赤走足身車辛辰辵"
        "邑酉釆里金長門阜隶隹雨靑非面革韋韭音頁風飛食首香馬骨高髟鬥鬯鬲鬼魚鳥鹵鹿麥麻黃黍黑黹黽鼎鼓鼠鼻齊齒龍龜龠"
    ),
    # CJK Strokes
    0x31C6: "𠃌　　　　　　　　乀一丨丿丿丶𠃍乛𠃊𠃎𠄌亅𡿨𠃋乀𠃑乚乙𠄎",
}
EQUIVALENTS: Final[dict[int, str]] = {
    first + index: ideograph
    for first, ideographs in _RADICALS.items()
    for index, ideograph in enumerate(ideographs)
    if ideograph != "\u3000"
}
_ANY_RADICAL: Final = re.compile("[\u2e80-\u2ef3\u2f00-\u2fd5\u31c6-\u31e1]")
_WIDTHS: Final = {0xFF01 + n: 0x21 + n for n in range(0x5E)}  # ！ … ～ to ! … ~
_BLANKS: Final = dict.fromkeys((0x3000, 0xA0, 0x202F, *range(0x2000, 0x200B)), " ")
_CURRENCY: Final = {0xFFE5: "¥", 0xFFE1: "£", 0xFFE0: "¢"}
_DASHES: Final = dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-") | dict.fromkeys([0x301C], "~")
_INVISIBLE: Final = dict.fromkeys([0xFEFF, 0x200B, 0x200C, 0x200D, 0x2060, 0xAD, *range(0x202A, 0x202F)], "")
_DIGIT_MARKS: Final = dict.fromkeys(
    (
        *(0xB2, 0xB3, 0xB9, 0x2070, *range(0x2074, 0x207A), *range(0x2080, 0x208A)),  # super- and subscript
        *(*range(0x2460, 0x249C), *range(0x24EA, 0x2500), *range(0x2776, 0x2794)),  # circled, bracketed
        *(*range(0x3251, 0x3260), *range(0x32B1, 0x32C0)),  # circled, from 21 on
    ),
    "",
)
FOLDS: Final[dict[int, int | str]] = {
    **_WIDTHS,
    **_BLANKS,
    **_CURRENCY,
    **_DASHES,
    **_INVISIBLE,
    **_DIGIT_MARKS,
    **EQUIVALENTS,
}

# ○, ◯, O and o are read as 〇 between Chinese numerals or before 年
_NUMERAL: Final = "一二三四五六七八九十〇零"
_ZEROS: Final = re.compile(f"[○◯Oo](?<=[{_NUMERAL}].)[○◯Oo]*(?=[{_NUMERAL}年])")
# blanks and single line breaks inside Chinese, or between a digit and Chinese, are noise
_CHINESE: Final = f"{HAN}。，、；：？！“”‘’（）《》【】"
_BLANK: Final = r"[ \t]*(?:\n[ \t]*)?"
_NOISE: Final = re.compile(
    rf"[ \t\n](?:(?<=[{_CHINESE}][ \t]){_BLANK}(?=[{_CHINESE}\d])|(?<=\d[ \t]){_BLANK}(?=[{_CHINESE}])"
    rf"|(?<=[{_CHINESE}]\n)[ \t]*(?=[{_CHINESE}\d])|(?<=\d\n)[ \t]*(?=[{_CHINESE}]))"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_BLANK_PUNCTUATION: Final = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`", " "))
_TRUTH: Final = {"True": "yes", "False": "no"}


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and the offset of each of its characters in the original; one more for the end."""

    text: str
    offsets: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of `text[start:end]` in the original."""
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[start]


def fold(text: str) -> str:
    """The text with character variants unified."""
    if text.isascii():
        return text
    return with_zeros(text.translate(FOLDS))


def fold_with_offsets(text: str) -> Folded:
    """The folded text, with the offsets of its characters in the original."""
    whole = text.translate(FOLDS)
    if len(whole) == len(text):  # no character becomes two, so none is dropped either
        return Folded(with_zeros(whole), tuple(range(len(text) + 1)))
    pieces = list(_folded_characters(text))
    folded = "".join(char for char, _ in pieces)
    return Folded(with_zeros(folded), (*(offset for _, offset in pieces), len(text)))


def with_zeros(folded: str) -> str:
    """The folded text with 〇 for circles and letters that stand for it among Chinese numerals."""
    return _ZEROS.sub(lambda zeros: "〇" * len(zeros[0]), folded)


def _folded_characters(text: str) -> Iterator[tuple[str, int]]:
    for offset, char in enumerate(text):
        for folded in char.translate(FOLDS):
            yield folded, offset


def unified(text: str) -> str:
    """The text with ideographs in place of radicals and strokes; its length does not change."""
    return text if text.isascii() or not _ANY_RADICAL.search(text) else text.translate(EQUIVALENTS)


@lru_cache(maxsize=1 << 10)
def simplified(text: str) -> str:
    """The text in simplified characters; its length does not change, so offsets stay valid."""
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
    """The text folded, in simplified characters, and without blanks inside Chinese, as the legal judges read it."""
    folded = simplified(fold(text))
    return folded if folded.isascii() else _NOISE.sub("", folded)


def normalise_with_offsets(text: str) -> Folded:
    """The normalised text, with the offsets of its characters in the original."""
    folded = fold_with_offsets(text)
    plain = simplified(folded.text)
    if not _NOISE.search(plain):
        return Folded(plain, folded.offsets)
    pieces: list[str] = []
    offsets: list[int] = []
    end = 0
    for noise in _NOISE.finditer(plain):
        pieces.append(plain[end : noise.start()])
        offsets += folded.offsets[end : noise.start()]
        end = noise.end()
    offsets += folded.offsets[end : len(plain)]
    return Folded("".join([*pieces, plain[end:]]), (*offsets, len(text)))


@lru_cache(maxsize=1 << 14)
def squad_text(text: str) -> str:
    """The normalisation of the SQuAD 1.1 script: lower case, no ASCII punctuation, no articles, single blanks."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


@lru_cache(maxsize=1 << 14)
def ultrarag_text(text: str) -> str:
    """The normalisation of UltraRAG: True and False are yes and no, punctuation becomes blanks, no articles."""
    plain = _TRUTH.get(text, text).replace("_", " ").lower().translate(_BLANK_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())
