"""Articles of statutes and contracts: 《民法典》第577条, Article 12, Section 5(2) of the Companies Act."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from steelyard.legal.thresholds import LONG_TITLE
from steelyard.lexicon import lexicon
from steelyard.text.citations import marks
from steelyard.text.normalisation import HAN
from steelyard.text.values import value_of

_WORDS: Final = lexicon("grounding")
_NUMBER: Final = r"(?:\d{1,5}|[零〇一二三四五六七八九十百千两]{1,9})"
_KINDS: Final = {"条": "article", "款": "paragraph", "章": "chapter"}
_PARTS: Final = rf"(?:之(?P<sub>{_NUMBER})(?!一|[条款项]))?(?:第(?P<款>{_NUMBER})款)?(?:第?\(?(?P<项>{_NUMBER})\)?项)?"
_CHINESE: Final = re.compile(
    rf"(?:第|(?<=[法典例定释则约程》]))(?P<first>(?:{_NUMBER}[、和与及]){{0,9}})(?P<n>{_NUMBER})(?P<kind>[条款章]){_PARTS}"
)
_AND: Final = "(?:[、,和与及至到-]|以及){1,2}"
_NEXT: Final = re.compile(rf"{_AND}第?(?P<n>{_NUMBER})(?P<kind>条){_PARTS}")
_LISTED: Final = re.compile(rf"第{_NUMBER}条(?:之{_NUMBER})?(?:第{_NUMBER}款)?{_AND}$")
_TITLE: Final = re.compile(
    rf"(?:《([^《》\n]{{2,60}})》|([{HAN}、]{{0,40}}(?:{_WORDS.source('statute')}))》?)"
    rf"(?:\([^()]{{1,20}}\))?(?:的|中的?|之)?(?:第{_NUMBER}[编章节]){{0,3}}\s?$"
)

_ENGLISH_KINDS: Final = {
    "art": "article", "sec": "section", "cla": "clause", "rul": "rule", "cha": "chapter", "§": "section",
}  # fmt: skip
_FIGURE: Final = r"(?P<n>\d{1,5}[A-Za-z]?(?:[.-]\d{1,4}[A-Za-z]?){0,3})(?P<subs>(?:\([0-9A-Za-z]{1,4}\))*)"
_ENGLISH: Final = re.compile(
    rf"(?:\b(?P<kind>articles?|arts?\.|sections?|secs?\.|clauses?|rules?|chapters?)|(?P<sign>§+)) ?"
    rf"{_FIGURE}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NEXT_FIGURE: Final = re.compile(rf"(?:,? (?:and|or|to|through|&) |, ){_FIGURE}(?! ?\w)")
_ACT_AFTER: Final = re.compile(rf",? (?:of|in|under) (?:the )?({_WORDS.source('act')})|,? (?:of (?:the )?)?(GDPR)\b")
_ACT_BEFORE: Final = re.compile(rf"({_WORDS.source('act')})(?: (?:of )?\d{{4}})?,? $")
_ITEM: Final = re.compile(r"^\s*(\d{1,3}(?:\.\d{1,3}){0,3})\.?\s+\S", re.MULTILINE)
_CASE: Final = re.compile(r"[(\[]([12]\d{3})[)\]]([^,。;\s()]{1,20}?)(?:字?第)?0*(\d{1,8})号")
_CHINESE_TITLES: Final = dict(pair.replace("_", " ").split("=") for pair in _WORDS.words("act_titles"))
_SAME_AS_ARTICLE: Final = frozenset(("article", "section", "clause"))


@dataclass(frozen=True, slots=True)
class Article:
    """A numbered part of a statute or contract; `parts` are its paragraph and item, `title` is None if not given."""

    kind: str
    number: str
    parts: tuple[str, ...]
    title: str | None
    text: str
    start: int
    end: int
    is_chinese: bool = False


def articles(text: str) -> list[Article]:
    """Return the articles that a normalised text names, in order."""
    named = [*_chinese(text), *_english(text)]
    return sorted(named, key=lambda article: article.start)


def items(text: str) -> Iterator[Article]:
    """Yield the numbers that lines of a text begin with, as clauses of contracts do."""
    for match in _ITEM.finditer(text):
        yield Article("item", match[1], (), None, match[1], match.start(1), match.end(1))


def case_numbers(text: str) -> frozenset[tuple[str, ...]]:
    """Return the numbers of cases in a normalised text by their parts: year, court with kind, number."""
    return frozenset(match.groups() for match in _CASE.finditer(text))


def own_numbers(text: str, named: Sequence[Article]) -> frozenset[int]:
    """Return the positions of a text inside its articles and its citation marks."""
    spans = [(article.start, article.end) for article in named]
    spans += [(mark.start, mark.end) for mark in marks(text)]
    return frozenset(at for start, end in spans for at in range(start, end))


# ----- reading


def _chinese(text: str) -> Iterator[Article]:
    for match in _CHINESE.finditer(text):
        title = _title_before(text, match.start())
        if title is None and match["kind"] == "条" and _WORDS["own_article"].match(text, match.end()):
            continue
        for number in re.finditer(_NUMBER, match["first"]):  # 第577、578条
            start, end = (match.start("first") + at for at in number.span())
            yield Article(
                _KINDS[match["kind"]], _digits(number[0]), (), title, text[start:end], start, end, is_chinese=True
            )
        following: re.Match[str] | None = match
        while following:
            if following is match or not _CHINESE.match(text, following.start("n") - 1):
                yield _article(following, title)
            following = _NEXT.match(text, following.end())


def _article(match: re.Match[str], title: str | None) -> Article:
    number = _digits(match["n"]) + (f"-{_digits(match['sub'])}" if match["sub"] else "")
    parts = tuple(_digits(match[name]) if match[name] else "" for name in ("款", "项"))
    used = parts if parts[1] else parts[:1] if parts[0] else ()
    is_first = match[0][0] == "第" and not match.groupdict().get("first")  # of 第577、578条 the second begins at 578
    start = match.start() if is_first else match.start("n")
    text = match.string[start : match.end()]
    return Article(_KINDS[match["kind"]], number, used, title, text, start, match.end(), is_chinese=True)


def _digits(numeral: str) -> str:
    value = value_of(numeral)
    return numeral if value is None else str(int(value))


def _title_before(text: str, at: int) -> str | None:
    """Return the title of the statute right before an article, or before a list of articles; None if there is none."""
    before = text[max(0, at - 100) : at]
    while listed := _LISTED.search(before):
        before = before[: listed.start()]
    match = _TITLE.search(before)
    title = (match[1] or match[2]) if match else ""
    return title if title and not _WORDS["no_title"].search(title) else None


def _english(text: str) -> Iterator[Article]:
    for match in _ENGLISH.finditer(text):
        kind = _ENGLISH_KINDS[match["kind"][:3].lower() if match["kind"] else "§"]
        group, following = [match], _NEXT_FIGURE.match(text, match.end())
        while following:
            group.append(following)
            following = _NEXT_FIGURE.match(text, following.end())
        title = _act_beside(text, match.start(), group[-1].end())
        for each in group:
            start = match.start() if each is match else each.start("n")
            parts = tuple(re.findall(r"[0-9A-Za-z]+", each["subs"]))
            yield Article(kind, each["n"].lower(), parts, title, text[start : each.end()], start, each.end())


def _act_beside(text: str, start: int, end: int) -> str | None:
    after = _ACT_AFTER.match(text, end)
    if after:
        return after[1] or after[2]
    before = _ACT_BEFORE.search(text, max(0, start - 80), start)
    return before[1] if before else None


# ----- comparison


def is_known_article(article: Article, known: Sequence[Article], text: str) -> bool:
    """Return whether a text, with the articles that it names, has an article under its title.

    An article that the text gives without a title has the title if the text names it. Paragraphs of Chinese statutes
    have no numbers, so that an article has all of them; of others the text must have the mark.
    """
    return any(_is_same(article, other, text) and _has_title(article, other, text) for other in known)


def _is_same(article: Article, other: Article, text: str) -> bool:
    if article.number != other.number or not _is_same_kind(article, other):
        return False
    rest = article.parts[len(other.parts) :]
    is_prefix = other.parts[: len(article.parts)] == article.parts[: len(other.parts)]
    if article.is_chinese:
        return is_prefix and not (rest and other.parts)
    return is_prefix and all(f"({part})" in text for part in rest)


def _is_same_kind(article: Article, other: Article) -> bool:
    kinds = {article.kind, other.kind}
    if len(kinds) == 1:
        return True
    if "item" in kinds:
        return not article.is_chinese and article.kind in _SAME_AS_ARTICLE
    return article.is_chinese != other.is_chinese and kinds <= _SAME_AS_ARTICLE


def _has_title(article: Article, other: Article, text: str) -> bool:
    if article.title is None:
        return True
    title = _plain_title(article.title)
    if other.title is not None:
        short, long = sorted((title, _plain_title(other.title)), key=len)
        if short.isascii() != long.isascii():
            return True  # titles in two languages cannot be compared
        return short == long or (
            short in long if short.isascii() else len(short) >= LONG_TITLE and long.endswith(short)
        )
    if article.is_chinese != other.is_chinese and other.kind != "item":
        return True
    is_named = any(_begins_at(text, match.start()) for match in re.finditer(re.escape(title), text))
    return is_named or article.title.casefold().removeprefix("the ") in text.casefold()


def _plain_title(title: str) -> str:
    """Return a title without what precedes it (根据, 中华人民共和国); a known English title in Chinese."""
    english = title.casefold().removeprefix("the ")
    title = _CHINESE_TITLES.get(english, english).rpartition("中华人民共和国")[2]
    starts = (at for at in range(len(title) - 2, 0, -1) if _WORDS["before_title"].search(title[:at]))
    return next((title[at:] for at in starts if not _WORDS["no_title"].search(title[at:])), title)


def _begins_at(text: str, at: int) -> bool:
    """Return whether a title may begin here: 合同法 does not begin inside 劳动合同法."""
    before = text[max(0, at - 8) : at]
    return re.search(f"[{HAN}]$", before) is None or _WORDS["before_title"].search(before) is not None
