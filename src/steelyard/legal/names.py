"""Names and other short texts: equal, or standing whole in the clause that answers, with no rival beside them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

from steelyard.legal.amounts import Judged
from steelyard.legal.proper_names import DOUBLE_SURNAMES, SURNAMES, names
from steelyard.legal.quotes import quote_key
from steelyard.text.reading import final_part
from steelyard.text.scripts import HAN

WRONG_ROLE: Final = "in the asked role the answer names"

_TITLES: Final = re.compile(
    r"(?:先生|女士|小姐|同志|老师|律师|警官|医生|经理|主任|所长|队长)|(?:犯罪)?嫌疑人|被告人|被害人|证人|民警|"
    r"被询问人|被讯问人|报案人|\b(?:mr|ms|mrs|dr|miss|sir|prof|professor|judge|justice|officer|detective)\b\.?\s*",
    re.IGNORECASE,
)
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
_UNIT: Final = re.compile("公司|银行|法院|检察院|公安局|派出所|事务所|医院|委员会|集团|工厂|中心|学校|大学")
_UNIT_ENDS: Final = "省市县区镇乡村路街巷局院所厂店会司行部社馆校队组号室庭"
_DOUBTED: Final = re.compile(
    r"无法确定|不能确定|难以确定|不太?确定|不敢确定|不敢肯定|不能肯定|记不[清得]|不记得|(?<![不尽])可能(?!性)|"
    r"也许|或许|好像|似乎|猜|估计|恐怕|说不准|不好说|应该(?:就?是|为)|"
    r"\bnot (?:quite |entirely |completely )?(?:sure|certain)\b|\bunsure\b|\buncertain\b|\bmaybe\b|\bperhaps\b|"
    r"\bpossibly\b|\bmight (?:be|have)\b|\bmay (?:be|have been)\b|"
    r"\bi (?:guess|think|believe)\b|\bprobably\b|\bcannot be (?:sure|certain|determined)\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
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
_WHO: Final = re.compile(
    r"(?:谁是|哪位是|何人是)([^?？,。]{2,12})|([^?？,。是]{2,12})[是为](?:谁|哪位|何人|哪家|哪个|什么)|"
    r"\bwho (?:is|was|are|were) (?:the |an? )?(?:[\w'-]+ ){0,3}?(\w+)(?= (?:of|for|in|on|at|to|that|who|when|"
    r"during)\b|\s?\?|$)",
    re.IGNORECASE,
)
_ASKS_PERSON: Final = re.compile(r"谁|何人|哪位|什么人|\bwho(?:m|se)?\b", re.IGNORECASE)
_ASKS_AGENT: Final = re.compile(r"(?<![给向对找跟与和了])谁(?!收|的)|由谁")
_IS: Final = re.compile(r"(?:是|为|系|:| is| was)\s*(?:the )?(?!不|not\b)", re.IGNORECASE)
_RECIPIENT: Final = re.compile(r"(?:给了?|向|交给|付给)$")
_PIECE: Final = re.compile(
    r"[。;!?\n；！？]|(?<![A-Z])\.(?=\s|$)|[,，](?: (?=and |while |whereas |but |with )|(?! )|$)|, (?=which|who |while|"
    r"whereas|but|[A-Z][a-z]+ [A-Z][a-z]+ [a-z]+ed\b)"
)
_TITLE_PAIR: Final = re.compile(r"\b[A-Z][a-z]+(?: [A-Z]\.?)?(?: [A-Z][a-z'-]+)+")
_ORG_WORD: Final = re.compile(
    r"\b(?:ltd|llp|llc|inc|corp|co|plc|gmbh|company|limited|bank|university|court|the|of|and|for)\b|&", re.IGNORECASE
)
_SURNAME: Final = f"(?:{'|'.join(DOUBLE_SURNAMES)}|[{''.join(sorted(SURNAMES))}])"
_NOT_GIVEN: Final = "的了在是有和与及或不没未被把将给对于从到至向由以为其这那个们等都也还就已曾应当可能会要说称,。、;"
_HAN_NAME: Final = re.compile(f"{_SURNAME}[{HAN}](?<![{_NOT_GIVEN}])(?:[{HAN}](?<![{_NOT_GIVEN}]))?")
_OPENS_WITH_NAME: Final = re.compile(
    f"(?:^|"
    f"(?<=[由是为系:经]))(?![由和时于向从对关方任何应都便平成高安明常计公国全]){_SURNAME}[{HAN}](?<![{_NOT_GIVEN}])[{HAN}](?<![{_NOT_GIVEN}])"
)
_LISTED_AFTER: Final = re.compile(
    rf"\s*(?:[、和及与]|以及|\band\b)\s*(?:[{HAN}A-Z]{{2,4}}(?=[、。和及,;]|$|等|共同|[二两三]人|一起|分别|均|"
    rf"都)|(?={_SURNAME}[{HAN}]{{2}}(?:介绍|签|共同|担保|负责|提供|出|等)))"
)
_LISTED_BEFORE: Final = re.compile(rf"[{HAN}]{{2,4}}、$|{_SURNAME}[{HAN}]{{1,2}}(?:[和及]|以及)$")
_LATIN_AFTER: Final = re.compile(
    r"\s*(?:, and|,? and|,? &) (?:[A-Z][\w.'-]* ?){2,4}|\s*, (?:[A-Z][\w.'-]+ ?){2,4}(?=,| and |$|\.(?:\s|$)|\n)|"
    r"\n(?:[A-Z][\w.'-]+ ){1,3}[A-Z][\w.'-]+(?=\n|$)"
)
_LONG_LIST: Final = re.compile(r"(?:, (?:and )?[A-Z][\w'-]+){3}")
_LATIN_BEFORE: Final = re.compile(r"\b[A-Z][\w'-]+ [A-Z][\w'-]+(?:,? and|,? &|,) $")
_LONGER: Final = re.compile(
    r" (?!(?:Jr|Sr|II|III|IV|In|On|At|The|He|She|It|As|By|For|With|And|Was|Is)\b)[A-Z][a-z]{2,}"
)
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "ı": "i"}
    | {"’": "'"}
)
_DOT: Final = re.compile(rf"(?<=[{HAN}]) ?[·•・‧∙.\-] ?(?=[{HAN}])")
_COMMON: Final = frozenset(
    "the who was were is are did does that this with from have has had his her its and for what which whom whose name "
    "谁是 是谁 的是 谁的".split()
)
_MOST: Final = 64
"""How many places of a name are looked at."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a name stands, and what keeps it from being the answer ("" if nothing)."""

    start: int
    end: int
    objection: str = ""


def judge_name(expected: str, aliases: Sequence[str], question: str, answer: str) -> Judged:
    """Whether the answer gives this name or text, whole, and no other beside it."""
    if _digits(expected):
        return _judge_digits(expected, answer)
    final = final_part(answer)
    if final and len(final) < len(answer):
        judged = _judge_text(expected, tuple(aliases), question, final)
        if judged.correct or _has_name(final):
            return judged
    return _judge_text(expected, tuple(aliases), question, answer)


@lru_cache(maxsize=1 << 12)
def _judge_text(expected: str, aliases: tuple[str, ...], question: str, answer: str) -> Judged:
    """The best verdict over the name and its aliases."""
    text = _folded(answer)
    if other := _other_in_role((expected, *aliases), question, text):
        return Judged(False, f"{WRONG_ROLE} {other}")
    first = _judge_one(expected, question, text)
    if first.correct:
        return first
    for alias in aliases:
        found = _judge_digits(alias, answer) if _digits(alias) else _judge_one(alias, question, text)
        if found.correct:
            return found
    return first


def _judge_one(name: str, question: str, text: str) -> Judged:
    places = list(_places(name, question, text))
    good = [place for place in places if not place.objection]
    if not good and len(text) <= len(name) + 16 and quote_key(_bare(text)) == quote_key(_bare(_folded(name))):
        return Judged(True, f"the answer is {name}")
    if not places:
        return _absent(name, text)
    if not good:
        return _objected(name, question, places, text)
    if places[0].objection == "doubted":
        return Judged(False, f"the answer disclaims {name}", uncertain=True)
    if any(place.objection == "offered" for place in places):
        return Judged(False, "the answer offers alternatives")
    return _in_answering_clause(name, question, good, text)


def _objected(name: str, question: str, places: Sequence[_Place], text: str) -> Judged:
    """The verdict where every place of the name is objected to."""
    reasons = {
        "part": f"another name than {name}",
        "denied": f"{WRONG_ROLE} another: it denies {name}",
        "offered": f"{WRONG_ROLE} several: it offers alternatives",
        "listed": f"the answer lists several names beside {name}",
        "doubted": f"the answer disclaims {name}",
        "ranked": f"{WRONG_ROLE} another, and {name} after that one",
        "owner": f"the answer names somebody or something of {name}",
        "recipient": f"the answer names {name} in another role",
    }
    order = [kind for kind in reasons if any(place.objection == kind for place in places)]
    kind = next((kind for kind in ("offered", "denied", "doubted", "listed") if kind in order), order[0])
    is_sentence = any(_echo(piece, _stems(question)) >= 2 for piece in _around(text, places[0]))
    return Judged(False, reasons[kind], uncertain=kind in ("listed", "recipient") and is_sentence)


def _absent(name: str, text: str) -> Judged:
    """No credit; uncertain where the surname stands alone."""
    words = name.split()
    is_person = len(words) > 1 and name.isascii() and not _ORG_WORD.search(name)
    alone = is_person and len(words[-1]) > 2 and re.search(rf"(?<![A-Za-z-]){re.escape(words[-1])}(?![A-Za-z-])", text)
    surname_only = alone is not None and alone is not False and not re.search(r"[A-Z][\w'.-]+ $", text[: alone.start()])
    return Judged(False, f"{name} does not stand in the answer", uncertain=surname_only)


def _in_answering_clause(name: str, question: str, good: Sequence[_Place], text: str) -> Judged:
    """Right, unless another clause speaks more of the question and names somebody else there."""
    right = Judged(True, f"the answer names {name}")
    pieces = list(_pieces(text))
    if len(pieces) == 1:
        return right
    asked = _stems(question)
    own = [piece for piece in pieces if any(piece[0] <= place.start < piece[1] for place in good[:8])]
    best = max(pieces, key=lambda piece: _echo(text[piece[0] : piece[1]], asked))
    best_echo = _echo(text[best[0] : best[1]], asked)
    own_echo = max((_echo(text[start:end], asked) for start, end in own), default=0)
    if best in own or best_echo <= own_echo:
        return right
    if not _asks_person(question):
        return right
    rival = _rival(text[best[0] : best[1]], question, name)
    if not rival:
        return right
    if own_echo and best_echo < len(asked) and best_echo - own_echo < 2:
        return Judged(True, f"the answer names {name}, and {rival} beside the question's words", uncertain=True)
    return Judged(False, f"{WRONG_ROLE} {rival}", uncertain=True)


def _rival(piece: str, question: str, name: str) -> str:
    """Another name in a clause that is neither the question's nor a part of the expected one."""
    asked = question.lower()
    pairs = [(match[0], match.start()) for match in _TITLE_PAIR.finditer(piece)]
    opened = [(match[0], match.start()) for match in _OPENS_WITH_NAME.finditer(piece)]
    for found, at in (*pairs, *names(piece), *opened):
        words = found.lower()
        if _NEGATED.search(piece[max(0, at - 24) : at]):
            continue
        if (
            words not in asked
            and words not in name.lower()
            and not set(words.split()) <= set(re.findall(r"[\w']+", asked))
        ):
            return found
    return ""


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _PIECE.finditer(text):
        if stop.start() > start:
            yield start, stop.start()
        start = stop.end()
    if start < len(text):
        yield start, len(text)


def _around(text: str, place: _Place) -> list[str]:
    return [text[max(0, place.start - 60) : place.end + 60]]


@lru_cache(maxsize=1 << 10)
def _stems(question: str) -> frozenset[str]:
    """What a clause is compared with: stems of English words, pairs of Chinese characters."""
    words = {word[:5] for word in re.findall("[a-z]{3,}", question.lower()) if word not in _COMMON}
    han = {pair for run in re.findall(f"[{HAN}]{{2,}}", question) for pair in map("".join, pairwise(run))}
    return frozenset(words | {pair for pair in han - _COMMON if not set(pair) & set("了的是谁在吗呢由")})


def _echo(text: str, stems: frozenset[str]) -> int:
    lower = text.lower()
    return sum(stem in lower for stem in stems)


def _other_in_role(wanted: Sequence[str], question: str, answer: str) -> str:
    """Who is named in the role that is asked for, if it is somebody else: 担保人是乙 for the question who that is."""
    role = _asked_role(question)
    lower = answer.lower()
    if role not in lower:
        role = role[role.rfind("的") + 1 :]
    at = lower.find(role) if len(role) > 1 else -1
    said = _IS.match(answer, at + len(role)) if at >= 0 else None
    if said is None:
        return ""
    rest = re.split(r"[,。;\n]|\. ", answer[said.end() : said.end() + 60])[0]
    if any(_bare(rest).lower().startswith(name.lower()) or _pattern(name).search(rest) for name in wanted):
        return ""
    bare = _bare(rest).strip()
    is_person = _HAN_NAME.match(bare) or _TITLE_PAIR.match(bare) or (2 <= len(bare) <= 4 and bare[0] in SURNAMES)
    return rest[:12] if is_person or _UNIT.search(bare) else ""


@lru_cache(maxsize=1 << 10)
def _asked_role(question: str) -> str:
    asked = _WHO.search(question)
    return next((group for group in asked.groups() if group), "").lower() if asked else ""


@lru_cache(maxsize=1 << 10)
def _asks_person(question: str) -> bool:
    return _ASKS_PERSON.search(question) is not None


def _has_name(text: str) -> bool:
    return _HAN_NAME.match(text) is not None or _TITLE_PAIR.search(text) is not None


def _folded(text: str) -> str:
    """The text without accents, and without the dots between the parts of a foreign name in Chinese."""
    if text.isascii():
        return text
    plain = text.translate(_PLAIN_LETTERS)
    if any("\u00c0" <= char <= "\u024f" for char in plain):
        parts = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in parts if not unicodedata.combining(char))
    return _DOT.sub("", plain)


@lru_cache(maxsize=1 << 12)
def _pattern(name: str) -> re.Pattern[str]:
    """How a name may be written: with or without middle names, initials, hyphens; the surname first."""
    plain = _folded(name)
    words = re.findall(r"[A-Za-z]+(?:'[A-Za-z]+)?", plain)
    is_latin = plain.isascii() and bool(words) and not re.search(r"[\d_]", plain)
    if not is_latin:
        return re.compile(_bounded(re.escape(plain), plain), re.IGNORECASE)
    if words[0].lower() == "the" and len(words) > 1:
        words = words[1:]
    if not 2 <= len(words) <= 4 or "," in plain or _ORG_WORD.search(plain):
        return re.compile(
            _bounded(
                r"[\s.,\-\"]{0,3}(?:& |and )?".join(map(re.escape, words)) if "&" not in plain else re.escape(plain),
                plain,
            ),
            re.IGNORECASE,
        )
    return re.compile(_bounded(_person(words), "Aa"))


def _person(words: Sequence[str]) -> str:
    """The pattern of a person's name; a middle name may be left out or added."""
    first, *middle, last = words
    gap = r"[\s.\-\"“”]{1,3}"
    added = r"(?:[A-Z][\w'.]{0,20}[\s\"“”\-]{1,3}){0,2}"
    kept = "".join(rf"(?:(?i:{re.escape(word)}|{word[0]}){gap[:-5]}{{0,3}})?" for word in middle)
    given = (
        f"(?i:{re.escape(first)}|{re.escape(first[0])}(?=[. ]))" if len(first) > 1 else rf"(?i:{first}[a-z]{{0,12}})"
    )
    forward = rf"{given}[\s.\-\"“”]{{{0 if len(first) == 1 else 1},3}}{kept}{added}(?i:{re.escape(last)})"
    backward = rf"(?i:{re.escape(last)}),? (?i:{re.escape(first)})"
    return f"(?:{forward}|{backward})"


def _bounded(pattern: str, name: str) -> str:
    """A name must not begin or end inside a word or a number."""
    before = r"(?<![A-Za-z0-9])" if name[:1].isascii() and name[:1].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if name[-1:].isascii() and name[-1:].isalnum() else ""
    return before + pattern + after


def _places(name: str, question: str, text: str) -> Iterator[_Place]:
    """The first places of a name, with what is objected to each."""
    for found in islice(_pattern(name).finditer(text), _MOST):
        yield _Place(found.start(), found.end(), _objection(name, question, text, found))


def _objection(name: str, question: str, text: str, found: re.Match[str]) -> str:
    """Why a place of the name is not an answer, or nothing."""
    before, after = text[max(0, found.start() - 24) : found.start()], text[found.end() : found.end() + 60]
    if not _is_whole(name, after) or (
        len(name) == 1 and re.search(f"[{HAN}]$", before) and before[-1] not in "是为叫即"
    ):
        return "part"
    if _NEGATED.search(before):
        return "denied"
    if _OFFERED_BEFORE.search(before) or _OFFERED_AFTER.match(after):
        return "offered"
    if _is_listed(name, question, before, after):
        return "listed"
    if _RANKED.search(text[max(0, found.start() - 60) : found.start()]) or _is_replaced(question, before, after):
        return "ranked"
    if _DOUBTED.search(_sentence(text, found)):
        return "doubted"
    if _POSSESSIVE.match(after):
        return "owner"
    return "recipient" if _RECIPIENT.search(before) and _ASKS_AGENT.search(question) else ""


def _is_replaced(question: str, before: str, after: str) -> bool:
    """Whether somebody else took the place of the name: Ann Lee, who replaced X; X，后变更为乙."""
    beaten = _BEATEN.search(before)
    if beaten is not None:
        return (beaten[1] or beaten[2])[:5].lower() not in question.lower()
    return _SUPERSEDED.match(after) is not None and not _ASKS_EARLIER.search(question)


def _sentence(text: str, found: re.Match[str]) -> str:
    """The sentence around a match, at most 200 characters on each side."""
    before = re.split(r"[。!?\n]|\. ", text[max(0, found.start() - 200) : found.start()])[-1]
    return before + found[0] + re.split(r"[。!?\n]|\. ", text[found.end() : found.end() + 200])[0]


def _digits(name: str) -> str:
    """The figures of a name that is a number of some kind (phone, identity card), or nothing."""
    figures = re.sub(r"[\s\-()+]", "", name)
    return figures.upper() if re.fullmatch(r"\d{5,}[0-9Xx]?", figures) else ""


def _judge_digits(name: str, answer: str) -> Judged:
    """Figures must agree, and so must all others of that kind in the answer."""
    if word := _DOUBTED.search(answer):
        return Judged(False, f"the answer disclaims itself ({word[0]!r})")
    wanted = _digits(name)
    runs = [re.sub(r"[\s\-()+]", "", run) for run in re.findall(r"\+?\d[\d\s\-()]{3,}[\dXx]", answer)]
    kin = {run.upper().removeprefix("86") if len(run) == len(wanted) + 2 else run.upper() for run in runs}
    same_kind = {run for run in kin if len(run) >= len(wanted) - 2}
    if same_kind == {wanted} and _NEGATED.search(answer[: answer.find(wanted[:3])][-24:]):
        return Judged(False, f"the answer denies {name}")
    if same_kind == {wanted}:
        return Judged(True, f"the answer says {name}")
    return Judged(False, f"the answer says {', '.join(sorted(same_kind)) or 'no such number'}")


def _bare(text: str) -> str:
    return _TITLES.sub("", text)


def _is_whole(name: str, after: str) -> bool:
    """Whether the name ends there, and is not a part of a longer one."""
    if name.isascii():
        return not (_LONGER.match(after) and len(name.split()) == 2 and not _ORG_WORD.search(name))
    after = _TITLES.sub("", after, count=1) if _TITLES.match(after) else after
    if not re.match(f"[{HAN}\\d]", after):
        return True
    if _LEGAL_FORM.match(after) or (len(name) > 3 and _ORGANISATION.match(after)):
        return False
    return len(name) > 3 or after[0] in _AFTER_NAME or _is_full_person(name) or _VERB_AFTER.match(after) is not None


def _is_full_person(name: str) -> bool:
    """Whether a name has a surname and the most characters that follow one."""
    is_double = name.startswith(DOUBLE_SURNAMES)
    return name[0] in SURNAMES and not is_double and len(name) == 3 and name[-1] not in _UNIT_ENDS


def _is_listed(name: str, question: str, before: str, after: str) -> bool:
    """Whether the name is one of a list of names that are not the question's: 甲、乙 and 丙."""
    if not name.isascii():
        found = _LISTED_AFTER.match(after) or _LISTED_BEFORE.search(before)
        return found is not None and not _is_asked_about(found[0], question)
    if _LONG_LIST.match(after):
        return True
    if not _asks_person(question):
        return False
    found = _LATIN_AFTER.match(after) or _LATIN_BEFORE.search(before)
    return found is not None and not _is_asked_about(found[0], question)


def _is_asked_about(words: str, question: str) -> bool:
    """Whether all the words of a list's other part stand in the question."""
    parts = re.findall(rf"[A-Za-z']+|[{HAN}]{{2,}}", re.sub(r"\b(?:and|with)\b|以及|[、和及与,]", " ", words))
    return bool(parts) and all(part.lower() in question.lower() for part in parts)
