"""Measure words (classifiers) and the classes of interchangeable ones."""

from typing import Final

# fmt: off
_CLASSES: Final = (
    (
        "次", "回", "趟", "遍", "笔", "起", "顿", "轮", "场", "人次", "times", "time", "occasions", "occasion",
        "payments",
        "payment", "instalments", "installments", "meetings", "visits", "trips", "calls",
    ),
    (
        "人", "个人", "名", "位", "口", "people", "persons", "person", "men", "women", "witnesses", "witness",
        "employees", "workers", "guests",
    ),
    ("份", "张", "本", "封", "copies", "copy", "documents", "document", "letters", "contracts"),
    ("页", "pages", "page"),
    ("台", "辆", "部", "架", "艘", "vehicles", "vehicle", "cars", "car", "machines", "trucks", "vessels"),
    ("天", "日", "days", "day"),
    ("个月", "月", "months", "month"),
    ("年", "years", "year"),
    ("小时", "hours", "hour"),
    ("分钟", "minutes", "minute"),
    ("周", "星期", "weeks", "week"),
    (
        "件", "套", "只", "把", "根", "条", "瓶", "箱", "盒", "包", "项", "种", "批", "块", "枚", "items", "item",
        "boxes",
        "pieces", "bottles", "bags",
    ),
    ("家", "间", "处", "户", "栋", "幢", "层", "shops", "rooms", "houses", "companies"),
)
MEASURES: Final = (
    "个人", "人次", "个小时", "小时", "分钟", "平方米", "公里", "公斤", "个月", "次", "回", "笔", "起", "趟", "遍",
    "人", "个",
    "名", "位", "份", "张", "本", "页", "台", "辆", "部", "只", "件", "套", "条", "家", "间", "处", "把", "根", "瓶",
    "箱",
    "盒", "包", "批", "项", "种", "天", "年", "米", "吨", "户", "口", "枚", "艘", "架", "头", "棵", "层", "期", "款",
    "场",
    "轮", "顿", "支", "块", "厘米", "克", "斤", "亩", "针", "袋", "桶", "捆", "卷", "双", "对", "扇", "幅", "颗",
    "季", "集", "首", "座", "所", "届", "任", "级", "门", "股", "票", "局", "站", "节", "章", "题", "国", "岛", "队",
    "剂",
    "粒", "碗", "杯", "罐", "匹", "组", "号", "栋", "幢", "封", "周", "星期",
)
# fmt: on
_CLASS_OF: Final = {unit: number for number, units in enumerate(_CLASSES) for unit in units}
_TIMES: Final = frozenset((_CLASS_OF["次"], *(_CLASS_OF[unit] for unit in ("天", "个月", "年", "小时", "分钟", "周"))))
_GENERAL: Final = "个"


def is_measure(unit: str) -> bool:
    """Whether a word is a measure word."""
    return unit in _CLASS_OF or unit in MEASURES


def same_measure(one: str, two: str) -> bool:
    """Whether two measure words are interchangeable; 个 counts everything except occurrences and durations."""
    first, second = _CLASS_OF.get(one), _CLASS_OF.get(two)
    if one == two or (first is not None and first == second):
        return True
    if _GENERAL in (one, two):
        other = second if one == _GENERAL else first
        return other not in _TIMES
    return False
