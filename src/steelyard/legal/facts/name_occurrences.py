"""Occurrences of a name in an answer, each with the objection to it: denied, offered, listed, doubted …"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from steelyard.legal.facts.name_forms import IS_ORGANISATION, TITLES, name_pattern
from steelyard.legal.grounding.proper_names import DOUBLE_SURNAMES, SURNAMES
from steelyard.text.scripts import HAN

# what may follow a person's name of two characters without making it longer
_AFTER_NAME: Final = (
    "或的是在和与给从向对把被将为有说称介绍担任所负主先女同本也都就还已于到带找来去借收付转打签约及等以"
    "由并让叫跟因后前当曾经能会要想可不没之其他她"
)
_VERB_AFTER: Final = re.compile(
    "获得|夺得|赢得|执导|导演|主演|饰演|扮演|出演|编剧|演唱|作词|作曲|创作|撰写|起草|出具|提供|签收|签署|签订|驾驶|担保|保管|经手|陪同|证实|证明|"
    "承认|否认|表示|发明|发现|创立|创办|设计|率领|指挥|审理|主持|代理|委托|购买|出售|持有|拥有|垫付|报案|报警|举报|"
    "实际|本人|作为|系|与|于|以"
)
_ORGANISATION: Final = re.compile(
    rf"[{HAN}\d]{{0,12}}?(?:审判庭|法庭|庭|窗口|网点|门店|车间|校区|院区|分厂|支部|小组|委员会|派出所|支行|分行|"
    rf"分局|大队|中队|支队|分公司|分店|分院|支公司|营业部|办事处|项目部|科|处|室|厅|所|队|组|号|楼|单元|店|部|村|"
    rf"镇|街道|路|栋|层)"
)
_LEGAL_FORM: Final = re.compile(r"(?:股份)?有限(?:责任)?公司|集团")
_UNIT_ENDS: Final = "省市县区镇乡村路街巷局院所厂店会司行部社馆校队组号室庭"
DOUBTED: Final = re.compile(
    r"无法确定|不能确定|难以确定|不太?确定|不敢确定|不敢肯定|不能肯定|记不[清得]|不记得|(?<![不尽])可能(?!性)|"
    r"也许|或许|好像|似乎|猜|估计|恐怕|说不准|不好说|应该(?:就?是|为)|"
    r"\bnot (?:quite |entirely |completely )?(?:sure|certain)\b|\bunsure\b|\buncertain\b|\bmaybe\b|\bperhaps\b|"
    r"\bpossibly\b|\bmight (?:be|have)\b|\bmay (?:be|have been)\b|"
    r"\bi (?:guess|think|believe)\b|\bprobably\b|\bcannot be (?:sure|certain|determined)\b",
    re.IGNORECASE,
)
NEGATED: Final = re.compile(
    r"(?:不是|并非|不叫|不为|而非|而不是|并不是|不属于)(?:(?!而?是)[^,。;]){0,4}$|"
    r"(?:\bnot(?! only)|\bnor|\bneither|\bnever|n't|\brather than|\binstead of)(?: (?!but\b)[\w.]{1,14}){0,3} [“\"]?$",
    re.IGNORECASE,
)
_OFFERED_BEFORE: Final = re.compile(
    r"(?:或者|或是?|抑或|还是|要么是?|\bor|\beither) ?(?:由|by |the |mr\.? |ms\.? |dr\.? )?$", re.IGNORECASE
)
_OFFERED_AFTER: Final = re.compile(r"[\s,]{0,2}(?:或者?|抑或|还是|要么|or\b)", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(
    r"'s? (?:\w+ ){0,2}?(husband|wife|spouse|son|daughter|father|mother|brother|sister|parents?|child|children|"
    r"cousin|uncle|aunt|nephew|niece|friend|lawyer|attorney|agent|"
    r"partner|boss|employer|employee|assistant|secretary|company|firm|driver|guard|manager|neighbou?r|colleague|"
    r"widow|heirs?|estate|family)\b|"
    r"的(?:前?[夫妻]|丈夫|妻子|老婆|老公|爱人|配偶|父|母|儿子|女儿|[弟妹哥姐兄]|叔|舅|姑|姨|表|堂|侄|外甥|朋友|"
    r"同学|同事|律师|代理人|司机|秘书|助理|老板|员工|邻居|亲戚|家人|公司|女友|男友|未婚)",
    re.IGNORECASE,
)
# who comes second
_RANKED: Final = re.compile(
    r"(?:\b(?:followed|succeeded|replaced) by|\bahead of|\bdefeating|\bbeating|"
    r"其次[是为]?|随后[是为]|领先于?|击败)[^.;。\n]{0,44}$",
    re.IGNORECASE,
)
_BEATEN: Final = re.compile(
    r"\b(replac(?:ed|ing)|succeed(?:ed|ing)|defeat(?:ed|ing)|beat(?:ing)?|ousted) (?:[A-Z]\w+\.? )?$|"
    r"(接替|取代|战胜|击败)了?$"
)
_SUPERSEDED: Final = re.compile(r"[^。;\n]{0,16}(?:变更为|更换为|改由|更正为|改为)")
_ASKS_EARLIER: Final = re.compile(r"原|曾|之前|以前|最初|起初|\bformer|\boriginal|\bfirst\b", re.IGNORECASE)
_ASKS_PERSON: Final = re.compile(r"谁|何人|哪位|什么人|\bwho(?:m|se)?\b", re.IGNORECASE)
_ASKS_AGENT: Final = re.compile(r"(?<![给向对找跟与和了])谁(?!收|的)|由谁")
_RECIPIENT: Final = re.compile(r"(?:给了?|向|交给|付给)$")
SURNAME: Final = f"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
NOT_GIVEN: Final = "的了在是有和与及或不没未被把将给对于从到至向由以为其这那个们等都也还就已曾应当可能会要说称,。、;"
_LISTED_AFTER: Final = re.compile(
    rf"\s*(?:[、和及与]|以及|\band\b)\s*(?:[{HAN}A-Z]{{2,4}}(?=[、。和及,;]|$|等|共同|[二两三]人|一起|分别|均|"
    rf"都)|(?={SURNAME}[{HAN}]{{2}}(?:介绍|签|共同|担保|负责|提供|出|等)))"
)
_LISTED_BEFORE: Final = re.compile(rf"[{HAN}]{{2,4}}、$|{SURNAME}[{HAN}]{{1,2}}(?:[和及]|以及)$")
_LATIN_AFTER: Final = re.compile(
    r"\s*(?:, and|,? and|,? &) (?:[A-Z][\w.'-]* ?){2,4}|\s*, (?:[A-Z][\w.'-]+ ?){2,4}(?=,| and |$|\.(?:\s|$)|\n)|"
    r"\n(?:[A-Z][\w.'-]+ ){1,3}[A-Z][\w.'-]+(?=\n|$)"
)
_LONG_LIST: Final = re.compile(r"(?:, (?:and )?[A-Z][\w'-]+){3}")
_LATIN_BEFORE: Final = re.compile(r"\b[A-Z][\w'-]+ [A-Z][\w'-]+(?:,? and|,? &|,) $")
_LONGER: Final = re.compile(
    r" (?!(?:Jr|Sr|II|III|IV|In|On|At|The|He|She|It|As|By|For|With|And|Was|Is)\b)[A-Z][a-z]{2,}"
)
_MOST: Final = 64
"""The number of occurrences of a name that are examined."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a name, and why it is not the answer ("" if it is)."""

    start: int
    end: int
    objection: str = ""


@lru_cache(maxsize=1 << 10)
def asks_person(question: str) -> bool:
    """Whether a question asks for a person."""
    return _ASKS_PERSON.search(question) is not None


def occurrences_of(name: str, question: str, text: str) -> Iterator[Occurrence]:
    """The first occurrences of a name, each with the objection to it."""
    for match in islice(name_pattern(name).finditer(text), _MOST):
        yield Occurrence(match.start(), match.end(), _objection(name, question, text, match))


def _objection(name: str, question: str, text: str, match: re.Match[str]) -> str:
    """Why an occurrence of the name is not an answer, or ""."""
    before, after = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 60]
    if not _is_whole(name, after) or (
        len(name) == 1 and re.search(f"[{HAN}]$", before) and before[-1] not in "是为叫即"
    ):
        return "part"
    if NEGATED.search(before):
        return "denied"
    if _OFFERED_BEFORE.search(before) or _OFFERED_AFTER.match(after):
        return "offered"
    if _is_listed(name, question, before, after):
        return "listed"
    if _RANKED.search(text[max(0, match.start() - 60) : match.start()]) or _is_replaced(question, before, after):
        return "ranked"
    if DOUBTED.search(_sentence(text, match)):
        return "doubted"
    if _POSSESSIVE.match(after):
        return "owner"
    return "recipient" if _RECIPIENT.search(before) and _ASKS_AGENT.search(question) else ""


def _is_replaced(question: str, before: str, after: str) -> bool:
    """Whether somebody else replaced the named person: Ann Lee, who replaced X; X，后变更为乙."""
    beaten = _BEATEN.search(before)
    if beaten is not None:
        return (beaten[1] or beaten[2])[:5].lower() not in question.lower()
    return _SUPERSEDED.match(after) is not None and not _ASKS_EARLIER.search(question)


def _sentence(text: str, match: re.Match[str]) -> str:
    """The sentence around a match, at most 200 characters on each side."""
    before = re.split(r"[。!?\n]|\. ", text[max(0, match.start() - 200) : match.start()])[-1]
    return before + match[0] + re.split(r"[。!?\n]|\. ", text[match.end() : match.end() + 200])[0]


_ORGANISATION_GOES_ON: Final = re.compile(
    r" (?:[A-Z][a-z]+ ){0,2}(?:Leasing|Corporation|Corp|Inc|LLC|LLP|Ltd|Limited|Holdings?|Group|Trust|Company|Partners|"
    r"Capital|Services|Division|Branch|Insurance|Finance)\b",
    re.IGNORECASE,
)


def _is_whole(name: str, after: str) -> bool:
    """Whether the name ends there and is not part of a longer name."""
    if name.isascii():
        if IS_ORGANISATION.search(name) and _ORGANISATION_GOES_ON.match(after):
            return False
        return not (_LONGER.match(after) and len(name.split()) == 2 and not IS_ORGANISATION.search(name))
    after = TITLES.sub("", after, count=1) if TITLES.match(after) else after
    if not re.match(f"[{HAN}\\d]", after):
        return True
    if _LEGAL_FORM.match(after) or (len(name) > 3 and _ORGANISATION.match(after)):
        return False
    return len(name) > 3 or after[0] in _AFTER_NAME or _is_full_person(name) or _VERB_AFTER.match(after) is not None


def _is_full_person(name: str) -> bool:
    """Whether a name has a surname and the maximum number of characters after it."""
    is_double = name.startswith(DOUBLE_SURNAMES)
    return name[0] in SURNAMES and not is_double and len(name) == 3 and name[-1] not in _UNIT_ENDS


def _is_listed(name: str, question: str, before: str, after: str) -> bool:
    """Whether the name is in a list of names that are not in the question: 甲、乙 and 丙."""
    if not name.isascii():
        match = _LISTED_AFTER.match(after) or _LISTED_BEFORE.search(before)
        return match is not None and not _is_asked_about(match[0], question)
    if _LONG_LIST.match(after):
        return True
    if not asks_person(question):
        return False
    match = _LATIN_AFTER.match(after) or _LATIN_BEFORE.search(before)
    return match is not None and not _is_asked_about(match[0], question)


def _is_asked_about(words: str, question: str) -> bool:
    """Whether the question has all words of the rest of a list."""
    parts = re.findall(rf"[A-Za-z']+|[{HAN}]{{2,}}", re.sub(r"\b(?:and|with)\b|以及|[、和及与,]", " ", words))
    return bool(parts) and all(part.lower() in question.lower() for part in parts)
