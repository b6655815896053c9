"""Names and other short texts: equal, or standing whole in the answer."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from steelyard.legal.amounts import Judged
from steelyard.legal.clauses import ALTERNATIVE, doubt
from steelyard.legal.quotes import quote_key
from steelyard.text.scripts import HAN

_TITLES: Final = re.compile(
    r"(?:先生|女士|小姐|同志|老师|律师|警官|医生|经理|主任|所长|队长)|(?:犯罪)?嫌疑人|被告人|被害人|证人|民警|被询问人|被讯问人|报案人|\b(?:mr|ms|mrs|dr|miss|officer|detective)\.?\s+",
    re.IGNORECASE,
)
# what may follow a person's name without making it longer
_AFTER_NAME: Final = (
    "或的是在和与给从向对把被将为有说称介绍担任所负主先女同本也都就还已于到带找来去借收付转打签约及等以"
    "由并让叫跟因后前当曾经能会要想可不没之其他她"
)
_ORGANISATION: Final = re.compile(
    r"^[\u4e00-\u9fff\d]{0,12}?(?:审判庭|法庭|庭|窗口|网点|门店|车间|校区|院区|分厂|支部|小组|委员会|派出所|支行|分行|分局|大队|中队|支队|分公司|分店|分院|支公司|营业部|办事处|项目部|科|处|室|厅|所|队|组|号|楼|单元|店|部|村|镇|街道|路|栋|层)"
)
_LEGAL_FORM: Final = re.compile(r"^(?:股份)?有限(?:责任)?公司|^集团")
WRONG_ROLE: Final = "in the asked role the answer names"
_WHO: Final = re.compile(
    r"(?:谁是|哪位是|何人是)([^?？,。]{2,12})|([^?？,。是]{2,12})是(?:谁|哪位|何人)|\bwho (?:is|was) the (\w+)",
    re.IGNORECASE,
)
_IS: Final = re.compile(r"(?:是|为|系|:| is| was)\s*(?:the )?(?!不|not\b)", re.IGNORECASE)
_NEGATED: Final = re.compile(r"(?:不是|并非|不叫|不为|而非|而不是|并不是|\bnot\b)[^,。;]{0,4}$", re.IGNORECASE)


def judge_name(expected: str, aliases: Sequence[str], question: str, answer: str) -> Judged:
    """Whether the answer gives this name or text, whole, and no other beside it."""
    if word := doubt(answer):
        return Judged(False, f"the answer disclaims itself ({word!r})")
    if other := _other_in_role((expected, *aliases), question, answer):
        return Judged(False, f"{WRONG_ROLE} {other}")
    for name in (expected, *aliases):
        found = _judge_one(name, answer)
        if found.correct:
            return found
    return _judge_one(expected, answer)


def _other_in_role(names: Sequence[str], question: str, answer: str) -> str:
    """Who is named in the role that is asked for, if it is somebody else: 担保人是乙 for the question who that is."""
    asked = _WHO.search(question)
    role = next((group for group in asked.groups() if group), "") if asked else ""
    at = answer.lower().find(role.lower()) if role else -1
    said = _IS.match(answer, at + len(role)) if at >= 0 else None
    if said is None:
        return ""
    rest = re.split("[,。;]", answer[said.end() :])[0]
    return "" if any(_bare(rest).lower().startswith(name.lower()) or name in rest for name in names) else rest[:12]


def _judge_one(name: str, answer: str) -> Judged:
    if _digits(name):
        return _judge_digits(name, answer)
    if quote_key(_bare(answer)) == quote_key(_bare(name)):
        return Judged(True, f"the answer is {name}")
    places = list(_places(name.lower(), answer.lower()))
    whole = [place for place in places if _is_whole(name, answer, place)]
    if not whole:
        return Judged(False, f"{name} does not stand in the answer" if not places else f"another name than {name}")
    if all(_NEGATED.search(answer[:place]) for place in whole):
        return Judged(False, f"the answer denies {name}")
    if any(_is_offered(name, answer, place) for place in whole):
        return Judged(False, "the answer offers alternatives")
    if any(_is_listed(name, answer, place) for place in whole):
        return Judged(False, f"the answer lists several names beside {name}")
    return Judged(True, f"the answer names {name}")


def _places(part: str, whole: str) -> Iterator[int]:
    at = whole.find(part)
    while at >= 0:
        yield at
        at = whole.find(part, at + 1)


def _digits(name: str) -> str:
    """The figures of a name that is a number of some kind (phone, identity card), or nothing."""
    figures = re.sub(r"[\s\-()+]", "", name)
    return figures.upper() if re.fullmatch(r"\d{5,}[0-9Xx]?", figures) else ""


def _judge_digits(name: str, answer: str) -> Judged:
    """Figures must agree, and so must all others of that kind in the answer."""
    wanted = _digits(name)
    runs = [re.sub(r"[\s\-()+]", "", run) for run in re.findall(r"\+?\d[\d\s\-()]{3,}[\dXx]", answer)]
    kin = {run.upper().removeprefix("86") if len(run) == len(wanted) + 2 else run.upper() for run in runs}
    same_kind = {run for run in kin if len(run) >= len(wanted) - 2}
    if same_kind == {wanted} and _NEGATED.search(answer[: answer.find(wanted[:3])]):
        return Judged(False, f"the answer denies {name}")
    if same_kind == {wanted}:
        return Judged(True, f"the answer says {name}")
    return Judged(False, f"the answer says {', '.join(sorted(same_kind)) or 'no such number'}")


def _bare(text: str) -> str:
    return _TITLES.sub("", text)


def _is_whole(name: str, answer: str, place: int) -> bool:
    """Whether the name begins and ends there, and is not a part of a longer one."""
    before, after = answer[:place], answer[place + len(name) :]
    if name[0].isascii() and name[0].isalnum() and re.search(r"[A-Za-z0-9]$", before):
        return False
    if name[-1].isascii() and name[-1].isalnum() and re.match(r"[A-Za-z0-9]", after):
        return False
    after = _TITLES.sub("", after, count=1) if _TITLES.match(after) else after
    if not re.match(f"[{HAN}\\d]", after):
        return True
    if _LEGAL_FORM.match(after) or (len(name) > 3 and _ORGANISATION.match(after)):
        return False
    return len(name) > 3 or after[0] in _AFTER_NAME


def _is_offered(name: str, answer: str, place: int) -> bool:
    near = answer[max(0, place - 6) : place] + " " + answer[place + len(name) : place + len(name) + 6]
    return ALTERNATIVE.search(near) is not None


def _is_listed(name: str, answer: str, place: int) -> bool:
    """Whether the name is one of a list: 甲、乙 and 丙."""
    after, before = answer[place + len(name) :], answer[:place]
    if name.isascii():
        return bool(re.match(r"\s*(?:,|and|&)\s*(?:and )?[A-Z][a-z]+ [A-Z][a-z]+\b(?!'s)", after))
    return bool(re.match(rf"\s*(?:、|和|及|与|\band\b)\s*[{HAN}A-Z]{{2,4}}(?:[、。和及,]|$)", after)) or bool(
        re.search(rf"[{HAN}]{{2,4}}[、]$", before)
    )
