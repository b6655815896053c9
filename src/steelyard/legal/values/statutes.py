"""Statutes: 《民法典》第577条, 刑法第133条之一第一款第(二)项, 法释〔2020〕17号, section 5(2) of the Companies Act.

`articles` reads what a text says, `statutes` also what it means: an article without a title has that of the one before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from steelyard.legal.thresholds import LONG_TITLE, LONGEST_RANGE
from steelyard.lexicon import lexicon
from steelyard.text.marks import find_marks
from steelyard.text.normalisation import HAN
from steelyard.text.values import value_of

_WORDS: Final = lexicon("grounding")
_LAW: Final = lexicon("law")
_NUMBER: Final = r"(?:\d{1,5}|[零〇一二三四五六七八九十百千两]{1,9})"
_MARKED: Final = rf"(?:\({_NUMBER}\)|{_NUMBER})"
_TO: Final = "[至到~-]"
_AND: Final = rf"(?:[、,和与及或]|以及|{_TO}){{1,2}}"
_KINDS: Final = {"条": "article", "款": "paragraph", "章": "chapter"}
_STEP: Final = (
    rf"(?P<n>{_MARKED}(?:{_AND}第?{_MARKED}(?!{_NUMBER}|月|日|年)){{0,19}})(?P<kind>[条款章项])"
    rf"(?:之(?P<sub>{_NUMBER})(?!一|[条款项]))?"
)
_FIRST: Final = re.compile(rf"(?:第|(?<=[法典例定释则约程》])){_STEP}")
_NEXT: Final = re.compile(rf"(?P<join>{_AND})?(?P<ordinal>第)?{_STEP}")
_TITLE: Final = re.compile(
    rf"(?:《((?:[^《》\n]|《[^《》\n]{{2,40}}》){{2,80}})》|([{HAN}、]{{0,40}}(?:{_WORDS.source('statute')})"
    r"(?:\([一二三四五六七八九十]{1,3}\)|[一二三四五六七])?)》?)"
    rf"(?:\([^()]{{1,30}}\))?(?:的|中的?|之)?(?:第{_NUMBER}[编章节]){{0,3}}\s?$"
)

_ENGLISH_KINDS: Final = {
    "art": "article", "sec": "section", "s": "section", "s.": "section", "ss": "section", "ss.": "section",
    "cla": "clause", "cl.": "clause", "rul": "rule", "r.": "rule", "cha": "chapter", "reg": "regulation",
    "§": "section",
}  # fmt: skip
_FIGURE: Final = r"(?P<n>\d{1,5}[A-Za-z]{0,2}(?:[.-]\d{1,4}[A-Za-z]?){0,3})(?P<subs>(?: ?\([0-9A-Za-z]{1,4}\))*)"
_NO_YEAR: Final = r"(?! [12]\d{3}\b)"  # as the Regulations 1998 have
_ENGLISH: Final = re.compile(
    rf"(?:\b(?P<kind>articles?|arts?\.|sections?|secs?\.|clauses?|cl\.|(?:(?<!as a )rules?|regulations?){_NO_YEAR}|r\."
    rf"|regs?\.|chapters?"
    rf"|(?<![\w'’])ss?\.?)|(?P<sign>(?<!§)§{{1,2}})) ?{_FIGURE}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_NEXT_FIGURE: Final = re.compile(
    rf"(?P<join>,? (?:and|or|to|through|&) |, ?| ?- ?)(?:§ ?)?{_FIGURE}"
    r"(?!\w| (?!(?:of|under|in|and|or|to|through)\b)\w|,\d)"
)
_RANGE: Final = re.compile(r"(\d+)-(\d+)")
_ACT: Final = rf"(?:{_WORDS.source('act')})(?: (?:of )?[12]\d{{3}})?"
_ACT_AFTER: Final = re.compile(rf",? (?:of|in|under) (?:the )?(?:PRC )?({_ACT})|,? (?:of (?:the )?)?([A-Z]{{3,6}})\b")
_ACT_BEFORE: Final = re.compile(rf"({_ACT}),? \(?$")
_ITEM: Final = re.compile(r"^[^\S\n]*(\d{1,3}(?:\.\d{1,3}){0,3})\.?\s+\S", re.MULTILINE)
_DOCUMENT: Final = re.compile(
    rf"(?P<name>{_LAW.source('issued')})[〔\[(](?P<year>[12]\d{{3}})[〕\])](?:第)?0*(?P<n>\d{{1,5}})号"
)
_CHINESE_TITLES: Final = dict(pair.replace("_", " ").split("=") for pair in _WORDS.words("act_titles"))
_TITLES: Final = {name: names[0] for each in _LAW.words("titles") for names in [each.split("=")] for name in names}
_KNOWN_TITLE: Final = re.compile(f"(?:{'|'.join(sorted(map(re.escape, _TITLES), key=len, reverse=True))})$")
_SAME_AS_ARTICLE: Final = frozenset(("article", "section", "clause", "regulation"))
_INNER: Final = str.maketrans("《》", "〈〉")
_REFERS: Final = "@"  # the title of an article of 该法 until the statute is looked up


@dataclass(frozen=True, slots=True)
class Article:
    """A numbered part of a statute or contract; `parts` are its paragraph and item, `title` is None if not given.

    A document number (法释〔2020〕17号) is of the kind document.
    """

    kind: str
    number: str
    parts: tuple[str, ...]
    title: str | None
    text: str
    start: int
    end: int
    is_chinese: bool = False
    is_own: bool = False

    @property
    def statute(self) -> str | None:
        """Return the title in its one form: without 中华人民共和国, abbreviations and known English titles in full."""
        return None if self.title is None else plain_title(self.title)

    @property
    def paragraph(self) -> str:
        """Return the paragraph, "" if none is named."""
        return self.parts[0] if self.parts else ""

    @property
    def item(self) -> str:
        """Return the item, "" if none is named."""
        return self.parts[1] if len(self.parts) > 1 else ""


def articles(text: str) -> list[Article]:
    """Return the articles that a normalised text names, in order; 该法 is the statute named before."""
    named = sorted([*_chinese(text), *_english(text), *_documents(text)], key=lambda article: article.start)
    found: list[Article] = []
    last: str | None = None
    for article in named:
        title = last if article.title == _REFERS else article.title
        last = title or last
        found.append(article if title == article.title else replace(article, title=title))
    return found


def statutes(text: str) -> list[Article]:
    """Return the statutes that a normalised text means, each once: one without a title has that of the one before."""
    found: dict[tuple[object, ...], Article] = {}
    last: str | None = None
    for named in articles(text):
        article = replace(named, title=last) if named.title is None and not named.is_own else named
        last = article.title or last
        if article.kind not in ("paragraph", "item", "chapter"):
            found.setdefault((article.statute, article.number, article.parts), article)
    return list(found.values())


def items(text: str) -> Iterator[Article]:
    """Yield the numbers that lines of a text begin with, as clauses of contracts do."""
    for match in _ITEM.finditer(text):
        yield Article("item", match[1], (), None, match[1], match.start(1), match.end(1))


def own_numbers(text: str, named: Sequence[Article]) -> frozenset[int]:
    """Return the positions of a text inside its articles and its citation marks."""
    spans = [(article.start, article.end) for article in named]
    spans += [(mark.start, mark.end) for mark in find_marks(text)]
    return frozenset(at for start, end in spans for at in range(start, end))


# ----- reading


def _documents(text: str) -> Iterator[Article]:
    for match in _DOCUMENT.finditer(text):
        if _FIRST.match(text, match.end() + text.startswith(")", match.end())):
            continue  # the title of the article after it
        yield Article(
            "document", document_title(match), (), None, match[0], *match.span(), is_chinese=True, is_own=True
        )


def document_title(match: re.Match[str]) -> str:
    """Return the one form of a document number."""
    return f"{match['name']}[{match['year']}]{match['n']}号"


def _chinese(text: str) -> Iterator[Article]:
    at = 0
    is_counted = _WORDS["counts_own_articles"].search(text) is not None
    while match := _FIRST.search(text, at):
        title, is_own = _title_before(text, match.start())
        chain = list(_chain(text, match))
        at = chain[-1].end
        is_noun = match["kind"] == "条" and _WORDS["own_article"].match(text, at)
        if title is None and (is_noun or (is_counted and not is_own)):
            continue
        yield from (replace(article, title=title, is_own=is_own) for article in chain)


def _chain(text: str, first: re.Match[str]) -> Iterator[Article]:
    """Yield the articles of a list: 第26条第1款、第4款、第64条; a paragraph or an item belongs to what is before it."""
    last: list[Article] = []
    match: re.Match[str] | None = first
    while match:
        join = match.groupdict().get("join")
        new = list(_step(match, last[-1] if last else None))
        if last and (join or match["kind"] in "条章"):
            is_range = join is not None and re.search(_TO, join) is not None
            yield from [*last, *(_between(last[-1], new[0]) if is_range else ())]
        else:
            yield from last[:-1]  # 第3款 of 第64、67条第3款 is a part of the second alone
        last = new
        following = _NEXT.match(text, match.end())
        is_next = following and (following["join"] or following["kind"] in "款项")
        match = following if is_next and following and _continues(following) else None
    yield from last


def _continues(match: re.Match[str]) -> bool:
    """Return whether a step goes on with a list: 、2款 does not begin one, nor does a count (第3条、5项)."""
    return bool(match["ordinal"] or match["n"].startswith("(") or match["kind"] == "条" or not match["join"])


def _step(match: re.Match[str], last: Article | None) -> Iterator[Article]:
    """Yield the articles of one step: numbers with their unit, 第577、578条 or 第(一)至(三)项."""
    kind = match["kind"]
    base = last or Article(_KINDS.get(kind, "paragraph"), "", (), None, "", 0, 0, is_chinese=True)
    join = match.groupdict().get("join") or ""
    first = base.start if last and not join else match.start() + len(join)
    for number, start, end in _numbers(match):
        begin = first if start == match.start("n") else start
        stop = match.end() if end == match.end("n") else end
        sub = f"-{_digits(match['sub'])}" if match["sub"] and stop == match.end() else ""
        new = replace(base, text=match.string[begin:stop], start=begin, end=stop)
        if kind in "条章" or not (last and last.kind == "article"):
            yield replace(new, kind=_KINDS.get(kind, "item"), number=number + sub, parts=())
        elif kind == "款":
            yield replace(new, parts=(number,))
        else:
            yield replace(new, parts=(base.paragraph, number))


def _numbers(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers of a step with their spans; those between the ends of a range have that of the second."""
    previous, end = None, match.start("n")
    for each in re.finditer(_NUMBER, match["n"]):
        start, stop = (match.start("n") + at for at in each.span())
        number = _digits(each[0])
        if previous is not None and re.search(_TO, match.string[end:start]):
            for between in _within(previous, number):
                yield between, start, stop
        yield number, start if previous is not None else match.start("n"), _closed(match, stop)
        previous, end = number, stop


def _closed(match: re.Match[str], stop: int) -> int:
    return stop + match.string.startswith(")", stop) if stop < match.end("n") else stop


def _within(first: str, last: str) -> list[str]:
    """Return the numbers between two; none if these are too many, or no range."""
    if not (first.isdigit() and last.isdigit()) or int(last) - int(first) > LONGEST_RANGE:
        return []
    return [str(number) for number in range(int(first) + 1, int(last))]


def _between(first: Article, last: Article) -> list[Article]:
    """Return the articles, paragraphs or items between the ends of a range."""
    if first.parts and len(first.parts) == len(last.parts) and first.number == last.number:
        return [replace(last, parts=(*last.parts[:-1], n)) for n in _within(first.parts[-1], last.parts[-1])]
    if not first.parts and not last.parts:
        return [replace(last, number=number) for number in _within(first.number, last.number)]
    return []


def _digits(numeral: str) -> str:
    value = value_of(numeral)
    return numeral if value is None else str(int(value))


def _title_before(text: str, at: int) -> tuple[str | None, bool]:
    """Return the title of the statute right before an article, and whether the text means its own or a contract."""
    before = text[max(0, at - 100) : at]
    if _LAW["that_statute"].search(before):
        return _REFERS, False
    if document := _LAW["ends_in_document"].search(before):
        return document_title(next(_DOCUMENT.finditer(before, document.start()))), False
    match = _TITLE.search(before)
    if match and match[1]:
        return match[1], False
    title = _without_lead(match[2]) if match else ""
    if title and not _WORDS["no_title"].search(title):
        return title, False
    return None, _LAW["own_text"].search(before) is not None


def _english(text: str) -> Iterator[Article]:
    for match in _ENGLISH.finditer(text):
        word = match["kind"].lower() if match["kind"] else "§"
        kind = _ENGLISH_KINDS.get(word[:3]) or _ENGLISH_KINDS[word]
        group = [match]
        while following := _NEXT_FIGURE.match(text, group[-1].end()):
            group.append(following)
        title = _act_beside(text, match.start(), group[-1].end())
        if word in ("s", "ss", "r.") and title is None:
            continue
        for article in _figures(group, kind, is_plural=word.rstrip(".").endswith("s") and word not in ("s", "s.")):
            yield replace(article, title=title)


def _figures(group: Sequence[re.Match[str]], kind: str, *, is_plural: bool) -> Iterator[Article]:
    """Yield the articles of a list in English, with those between the ends of a range."""
    last = ""
    for each in group:
        start = each.start() if each is group[0] else each.start("n")
        parts = tuple(re.findall(r"[0-9A-Za-z]+", each["subs"]))
        made = Article(kind, each["n"].lower(), parts, None, each.string[start : each.end()], start, each.end())
        if is_plural and (ends := _RANGE.fullmatch(made.number)) and int(ends[1]) < int(ends[2]):
            numbers = [ends[1], *_within(ends[1], ends[2]), ends[2]]
        else:
            is_range = each is not group[0] and re.search(r"to|through|-", each["join"]) is not None
            numbers = [*(_within(last, made.number) if is_range else ()), made.number]
        yield from (replace(made, number=number) for number in numbers)
        last = made.number


def _act_beside(text: str, start: int, end: int) -> str | None:
    after = _ACT_AFTER.match(text, end)
    if _LAW["that_act"].match(text, end):
        return _REFERS
    if after:
        return after[1] or after[2]
    before = _ACT_BEFORE.search(text, max(0, start - 80), start)
    return before[1] if before else None


# ----- comparison


def is_known_article(article: Article, known: Iterable[Article], text: str) -> bool:
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
    title = plain_title(article.title)
    if other.title is not None:
        return is_same_title(title, plain_title(other.title))
    if article.is_chinese != other.is_chinese and other.kind != "item":
        return True
    is_named = any(_begins_at(text, match.start()) for match in re.finditer(re.escape(title), text))
    return is_named or article.title.casefold().removeprefix("the ") in text.casefold()


def is_same_title(one: str, two: str) -> bool:
    """Return whether two plain titles are of one statute: equal, or one a part of the other."""
    short, long = sorted((one, two), key=len)
    if short.isascii() != long.isascii():
        return True  # titles in two languages cannot be compared
    return short == long or (short in long if short.isascii() else len(short) >= LONG_TITLE and long.endswith(short))


def plain_title(title: str) -> str:
    """Return a title in its one form: without 中华人民共和国, abbreviations and known English titles in full."""
    english = title.casefold().removeprefix("the ").removeprefix("prc ")
    title = _CHINESE_TITLES.get(english, english).replace("中华人民共和国", "").translate(_INNER)
    return _TITLES.get(title, title)


def _without_lead(title: str) -> str:
    """Return a title that is not quoted without the words before it (根据, 适用)."""
    if known := _KNOWN_TITLE.search(title):
        return known[0]
    starts = (at for at in range(len(title) - 2, 0, -1) if _WORDS["before_title"].search(title[:at]))
    return next((title[at:] for at in starts if not _WORDS["no_title"].search(title[at:])), title)


def _begins_at(text: str, at: int) -> bool:
    """Return whether a title may begin here: 合同法 does not begin inside 劳动合同法."""
    before = text[max(0, at - 8) : at]
    return re.search(f"[{HAN}]$", before) is None or _WORDS["before_title"].search(before) is not None
