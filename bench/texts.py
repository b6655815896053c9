"""Answers and references to time: invented words whose frequencies fall as in real text, or prose."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from bench.processes import PROJECT
from bench.prose import prose_rows

FOLDER: Final = PROJECT / "bench" / "collections"
# fmt: off
_COMMON: Final = ("the", "of", "a", "to", "in", "was", "is", "and", "for", "that", "on", "with", "as", "by", "an", "at")
_STARTS: Final = (
    "ba", "cre", "di", "fo", "gra", "hu", "je", "ki", "lo", "mar", "nu", "or", "pre", "qui", "ru", "sta", "tri", "ul",
)
_MIDDLES: Final = ("l", "n", "r", "st", "v", "ct", "d", "mp", "gn", "t", "ss", "b")
_ENDS: Final = (
    "e", "ed", "ing", "ation", "s", "ly", "ness", "al", "ize", "ment", "er", "able", "ous", "ive", "y",
)
_CHINESE: Final = (
    "法院", "被告", "原告", "合同", "约定", "违约", "责任", "赔偿", "损失", "的", "在", "对", "应当", "依照",
    "规定", "双方", "支付", "利息", "本院", "认为", "证据", "证明", "事实", "不予", "支持", "请求", "驳回", "上诉",
    "人民币", "银行", "借款", "担保", "抵押", "登记", "股东", "公司", "决议", "无效", "侵权", "人身", "伤害", "交通",
    "事故", "鉴定", "意见", "劳动", "仲裁", "工资", "解除", "通知",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class TextSet:
    """Rows of one answer and one reference of about so many words; most of the answer is in the reference."""

    name: str
    rows: int
    words: int
    chinese: bool = False
    marked: float | None = None  # of prose: the share of rows with marks that are not ASCII

    @property
    def path(self) -> Path:
        return FOLDER / f"answers.{self.name}.{self.rows}.jsonl"


def write_rows(texts: TextSet) -> None:
    """Write the file, unless it is there."""
    if texts.path.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = _invented_rows(texts) if texts.marked is None else prose_rows(texts.rows, texts.words, texts.marked)
    with texts.path.open("w", encoding="utf-8") as file:
        for number, (said, wanted) in enumerate(rows):
            row = {"id": number, "prediction": said, "references": [wanted]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _invented_rows(texts: TextSet) -> Iterator[tuple[str, str]]:
    choose = random.Random(7)
    vocabulary = _CHINESE if texts.chinese else _english_words()
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(vocabulary))))
    for _ in range(texts.rows):
        length = choose.randint(texts.words * 3 // 4, texts.words * 5 // 4)
        words = choose.choices(vocabulary, cum_weights=weights, k=length)
        said = [word for word in words if choose.random() < 0.6]
        said += choose.choices(vocabulary, cum_weights=weights, k=len(words) - len(said))
        yield _text(said, texts), _text(words, texts)


def _english_words() -> list[str]:
    made = [start + middle + end for end in _ENDS for middle in _MIDDLES for start in _STARTS]
    random.Random(3).shuffle(made)
    return [*_COMMON, *made]


def _text(words: list[str], texts: TextSet) -> str:
    return "".join(words) + "。" if texts.chinese else " ".join(words).capitalize() + "."
