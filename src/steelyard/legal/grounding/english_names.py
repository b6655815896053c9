"""Names of persons, organisations and places in English text, by capitals, titles and suffixes."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_UPPER: Final = "A-ZÀ-ÖØ-Þ"
_LETTER: Final = "A-Za-zÀ-ÖØ-öø-ÿĀ-ſ"
_WORD: Final = rf"(?:Mc|Mac|O'|D')?[{_UPPER}][{_LETTER}]*(?:(?:-|'(?!s\b))[{_LETTER}]+)*"
_ABBREVIATED: Final = r"(?:Mr|Mrs|Ms|Dr|Prof|Sgt|Capt|Hon|Rev|St|Jr|Sr|Inc|Co|Corp|Ltd|[A-ZÀ-ÖØ-Þ])\."
_PARTICLE: Final = r"(?:de|da|del|della|di|du|van|von|der|den|la|le|bin|binti|ibn|al|el)"
_OF: Final = (
    r"(?<=Bank) of (?:the )?|(?<=University) of (?:the )?|(?<=County) of |(?<=City) of |(?<=Bureau) of |"
    r"(?<=Ministry) of |"
    r"(?<=Department) of (?:the )?|(?<=Court) of |(?<=Court) at |(?<=Town) of |(?<=Law) of |(?<=Code) of |"
    r"(?<=Rules) of |"
    r"(?<=Republic) of |(?<=Act) of "
)
# capitalised words in a row, joined by particles and initials
_SEQUENCE: Final = re.compile(
    rf"(?<![{_LETTER}\d_.@/-])(?:{_ABBREVIATED}|{_WORD})(?:(?:{_OF}| ?& ?| |, (?=(?:Inc|LLC|LLP|Ltd|Co|Corp)\b))"
    rf"(?:{_PARTICLE} ){{0,2}}(?:{_ABBREVIATED}|{_WORD}))*"
)
_TITLES: Final = frozenset(
    "Mr Mrs Ms Miss Mx Dr Prof Professor Judge Justice Sir Dame Lord Lady Officer Detective Inspector Sergeant Sgt "
    "Captain Capt Attorney Counsel Magistrate Rev Hon".split()
)
_ORGANISATIONS: Final = frozenset(
    "Inc LLC LLP Ltd Limited Corp Corporation Co Company Bank PLC Plc GmbH Holdings Group Partners Associates "
    "Enterprises Industries Motors Machinery Trust Foundation Hospital Clinic University College School Institute "
    "Hotel Insurance Logistics Solicitors Chambers Airlines Services Solutions Technologies Systems Ventures".split()
)
_PLACES: Final = frozenset(
    "Street St Road Rd Lane Avenue Ave Boulevard Blvd Drive Terrace Square Court County City Town Village Bridge "
    "Park Harbour Harbor Island River Station Airport District Province Quay Close Crescent Row Place Hill".split()
)
_STATUTES: Final = frozenset(
    "Act Acts Code Law Laws Rule Rules Regulation Regulations Convention Constitution Amendment Statute Ordinance "
    "Directive Treaty Article Articles Section Sections Chapter Clause Schedule Appendix Exhibit Protocol Charter "
    "Restatement Principles Doctrine Clause Bill Decree Interpretation Provisions".split()
)
_FUNCTION_WORDS: Final = frozenset(
    "a an the this that these those there then when where what which who whom whose why how he she it they we you i "
    "in on at by for from to and but or if as of no not yes his her its their our your my is are was were be been am "
    "do does did has have had can could may might must shall should will would with without within under over upon "
    "about after before between during since until while because although though unless whether however therefore "
    "thus hence also both neither either nor so such only all any each every some many most more less few several "
    "another other others same here now again once first second third fourth finally lastly next moreover furthermore "
    "additionally nevertheless nonetheless instead meanwhile accordingly consequently specifically overall according "
    "based given please note yes despite pursuant regarding concerning including per via yet too very just even still "
    "one two three four five six seven eight nine ten hundred thousand million".split()
)
_ORDINARY: Final = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday page pages line answer question "
    "summary facts fact issue issues analysis result results conclusion background evidence parties party claim claims "
    "claimant claimants plaintiff plaintiffs defendant defendants appellant respondent petitioner court courts judge "
    "judgment judgement order orders case cases law legal civil criminal procedure contract contracts agreement "
    "agreements lease loan deposit payment payments amount amounts total balance date dates time place key finding "
    "findings point points note notes important details detail overview introduction timeline chronology list table "
    "figure step steps part section supreme high appeal appeals district county magistrates crown federal state states "
    "united kingdom america american china chinese english british french german european union international national "
    "people republic government ministry department office bureau commission committee council authority agency police "
    "station public private security social labor labour tax revenue customs commerce commercial uniform fair "
    "standards "
    "human rights property real estate intellectual family child children marriage divorce employment worker workers "
    "employer employee tenant landlord buyer seller lender borrower creditor debtor owner manager director witness "
    "witnesses expert surveyor officer lawyer attorney counsel client customer company bank insurance policy service "
    "services terms conditions privacy data information personal user users account online website email phone number "
    "address name names title type status role description document documents record records file files transcript "
    "statement statements report reports letter notice receipt invoice statement interview money laundering fraud "
    "theft "
    "murder crime crimes penal damage damages liability negligence breach duty care good faith due process force "
    "majeure "
    "main short final direct correct general specific relevant applicable available additional other potential "
    "possible "
    "new old first second third north south east west central upper lower great grand big small red black white blue "
    "internet google facebook youtube wechat alipay microsoft apple amazon twitter ai yuan renminbi dollar dollars usd "
    "rmb cny eur gbp hkd christmas easter new year day days week month months years war world history act code god "
    "interrogation suspect victim cash transfer refund rent interest rate principal remaining outstanding paid "
    "received "
    "source sources reference references context passage quote quotation cited citation citations disclaimer warning "
    "step option reason reasons explanation reasoning calculation formula answer response assistant model language "
    "purchase price sale sales delivery goods services warranty termination confidentiality governing dispute "
    "arbitration "
    "mediation jurisdiction execution signature signed effective term party disclosing receiving recipient "
    "net income average profit margin gross current assets liabilities working capital revenue flow cost costs credit "
    "losses change control default events software product products item items market business health license grant "
    "proof fee fees content application web site sites app ad ads device ship boat car vehicle house building floor "
    "room kind regards dear hello thanks thank sincerely best yours conclusion outcome decision ruling holding verdict "
    "sentence fine penalty rationale rule rules basis ground grounds argument arguments defence defense counterclaim "
    "relief remedy remedies costs award awards value unit currency item quantity remark remarks category subject "
    "author speaker body head text content missing unknown none null true false confidence score clear unclear "
    "unable unfortunately sorry based likely unlikely certain uncertain yes okay sure indeed certainly clearly simply "
    "know-how patent patents customer customers clients affiliate affiliates support senator syndrome milestones "
    "annual "
    "joint companion diagnostic shop network thanksgiving canadian indian japanese australian research employment "
    "unfair dismissal tribunal repair offset deposit contact tel mobile fax mail id card passport licence "
    "plate serial model brand".split()
)
# ordinary words that are also names of persons: beside a word that is only a name, they are names
_ALSO_NAMES: Final = frozenset(
    "price black white brown green gray young old stone hill wood woods banks rivers church king cook bishop page "
    "law case "
    "court may april june august rose hope grace mark frank bill will jack rich art dean judge major miles ford north "
    "west east marsh parish sharp long short small little best good new noble fair great day summer winter rice fish "
    "fox wolf lamb crane swan finch lane field fields park parks bridge brook pool wells ray dale chase "
    "grant reed".split()
)
# given names and surnames that end like ordinary words
_NAMES_WITH_ENDINGS: Final = frozenset(
    "felicity charity trinity constance florence clarence terrence terence laurence lawrence clement prudence patience "
    "hillary zachary gregory mallory jessica veronica monica desiree renee aimee bryant durant conant winfred alfred "
    "wilfred manfred mildred winifred ingred mcclure bellamy vance torrance spence pence".split()
)
_ORDINARY_ENDING: Final = re.compile(
    "(?:tion|sion|ment|ness|it(?:y|ie)|ance|ence|ible|able|ical|tive|ous|ary|ory|ism|ship|ful|ally|edly|ology|ure|ee|"
    "ant|"
    "actor|acting|turing|esting|(?<!ham)(?<!a)ed)s?$|^[ivxl]+$"
)
_HOUSE_NUMBER: Final = re.compile(r"\b\d+[A-Za-z]? $")
_FIGURE_AFTER: Final = re.compile(r"[: ]+[($£€¥]*\d|: *[$£€¥]")  # the label of a figure
_PLACED: Final = re.compile(r"\b(?:in|at|near) $")
_NAMED: Final = re.compile(r"\b(?:named|called|surnamed)\s+$")
_INTRODUCED: Final = re.compile(f"{_PLACED.pattern}|{_NAMED.pattern}")
_WORDS: Final = re.compile(r"\S+")
_NAME_WORDS: Final = re.compile(rf"[{_LETTER}']+")
_LOWER_WORD: Final = re.compile(r"\b[a-z]{3,}\b")
_LAST_MARK: Final = re.compile(r"(?:'s?|[.,])$")
_LAST_MARKS: Final = re.compile(r"(?:'s?|[.,])+$")


def english_names(text: str) -> Iterator[tuple[str, int]]:
    """Capitalised names with their positions, without titles and ordinary words before them.

    A single word is a name only if the words before it introduce one.
    """
    lower: frozenset[str] | None = None
    for match in _SEQUENCE.finditer(text):
        if " " in match[0] or _INTRODUCED.search(text[max(0, match.start() - 12) : match.start()]):
            lower = _lower_words(text) if lower is None else lower
            words = [(word[0], word.start() + match.start()) for word in _WORDS.finditer(match[0])]
            yield from _names_in(text, words, lower)


def _lower_words(text: str) -> frozenset[str]:
    """The words that a text also writes in lower case: ordinary words."""
    return frozenset(_LOWER_WORD.findall(text))


def _names_in(text: str, words: list[tuple[str, int]], lower: frozenset[str]) -> Iterator[tuple[str, int]]:
    plain = [_plain(word) for word, _ in words]
    first = next((at for at, (word, _) in enumerate(words) if _is_initial(word) or not _leads(plain[at])), len(plain))
    first = max((at + 1 for at, word in enumerate(plain[:-1]) if word in _TITLES), default=first)
    last = max((at for at, word in enumerate(plain) if not _is_particle(word)), default=-1)
    kept = plain[first : last + 1]
    if not kept or any(word in _STATUTES for word in kept):
        return
    start, end = words[first][1], words[last][1] + len(words[last][0])
    has_title = first > 0 and plain[first - 1] in _TITLES
    if _FIGURE_AFTER.match(text, end):
        return
    before = text[max(0, start - 12) : start]
    is_introduced = has_title or _NAMED.search(before) is not None
    is_place = (
        len(kept) == 1 and len(kept[0]) > 3 and _PLACED.search(before) is not None and kept[0].lower() not in lower
    )
    is_introduced = is_introduced or (is_place and not _is_ordinary(kept[0]) and _is_cased(kept))
    if _is_named(kept, lower, is_introduced=is_introduced):
        house = _HOUSE_NUMBER.search(before) if kept[-1] in _PLACES else None
        start -= len(house[0]) if house else 0
        yield _LAST_MARK.sub("", text[start:end]), start


def _is_named(words: list[str], lower: frozenset[str], *, is_introduced: bool) -> bool:
    """Whether capitalised words are a name: at least two, or introduced by a title, and not a heading."""
    content = [word for word in words if not _is_particle(word)]
    if words[-1] in _ORGANISATIONS or words[-1] in _PLACES:
        return any(not _is_ordinary(word) and word.lower() not in lower for word in content[:-1])
    if is_introduced:
        return not _is_ordinary(content[0]) or content[0].lower() in _ALSO_NAMES
    doubtful = [word for word in content if _is_ordinary(word) or word.lower() in lower]
    if any(word.lower() not in _ALSO_NAMES for word in doubtful) or len(doubtful) == len(content):
        return False
    return len(content) > 1 and _is_cased(content)


def _is_cased(words: list[str]) -> bool:
    """Whether at least one word is not in capitals throughout or an initial."""
    return any(len(word) > 1 and not word.isupper() for word in words)


def _plain(word: str) -> str:
    return _LAST_MARKS.sub("", word)


def _leads(word: str) -> bool:
    """Whether a word precedes a name and is not part of it."""
    return word in _TITLES or _is_particle(word) or word.lower() in _FUNCTION_WORDS or word.lower() in _ROLE_WORDS


_ROLE_WORDS: Final = frozenset(
    "plaintiff plaintiffs defendant defendants claimant appellant respondent petitioner witness judge justice attorney "
    "counsel tenant landlord buyer seller lender borrower debtor creditor employer employee manager director suspect "
    "victim expert surveyor answer name accused applicant complainant guarantor introducer chairman president".split()
)


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[1] == "."


def _is_particle(word: str) -> bool:
    return not word or word[0].islower() or word == "&"


def _is_ordinary(word: str) -> bool:
    lower = word.lower()
    if lower in _NAMES_WITH_ENDINGS:
        return False
    if lower in _ORDINARY or lower in _FUNCTION_WORDS or lower in _ROLE_WORDS:
        return True
    return (len(word) > 6 or word.isupper()) and _ORDINARY_ENDING.search(lower) is not None


_ABBREVIATIONS: Final = {
    "ave": "avenue", "st": "street", "rd": "road", "blvd": "boulevard", "ltd": "limited", "co": "company",
    "corp": "corporation", "inc": "incorporated", "avenue": "ave", "street": "st", "road": "rd", "boulevard": "blvd",
    "limited": "ltd", "company": "co", "corporation": "corp", "incorporated": "inc", "plc": "limited",
}  # fmt: skip


def is_known_english_name(name: str, text: str) -> bool:
    """Whether a text has the words of a name in any case, without accents, initials, titles and particles."""
    known = _latin_words(text)
    if name[0].isdigit() and " ".join(name.lower().split(" ")[:2]) not in text.lower():
        return False
    words = [_unaccented(word) for word in _NAME_WORDS.findall(name) if not _is_particle(word)]
    return all(
        word in known
        or _ABBREVIATIONS.get(word, "") in known
        or len(word) == 1
        or (_is_ordinary(word) and (word not in _ALSO_NAMES or len(words) > 2))
        for word in words
    )


@lru_cache(maxsize=64)
def _latin_words(text: str) -> frozenset[str]:
    words = re.findall(rf"[{_LETTER}]+(?:'[{_LETTER}]+)*", text)
    return frozenset(part for word in words for part in (_unaccented(word), _unaccented(word).removesuffix("'s")))


def _unaccented(word: str) -> str:
    if not word.isascii():
        word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return word.lower().removesuffix("'s")
