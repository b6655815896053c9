"""Names of persons, by surname and context, without word segmentation; English names by capitals."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from steelyard.legal.grounding.english_names import english_names, is_known_english_name
from steelyard.lexicon import lexicon

_WORDS: Final = lexicon("grounding")
SURNAMES: Final = _WORDS.words("surnames")
DOUBLE_SURNAMES: Final = tuple(sorted(_WORDS.words("double_surnames")))
_AMBIGUOUS: Final = _WORDS.words("ambiguous_surnames")
_FUNCTION_LIKE: Final = _WORDS.words("function_surnames")
_SURNAME_WORDS: Final = _WORDS.words("surname_words")
_ORDINARY: Final = _WORDS.words("common_words") | _SURNAME_WORDS
_ROLES: Final = _WORDS.words("roles")
_COPULAS: Final = _WORDS.words("copulas")
_MARKS: Final = frozenset("、:,。;!?\n(“ |") | _WORDS.words("name_joints")
_EDGES: Final = _WORDS.words("name_edges")
_NEVER: Final = _WORDS.words("never_given")

_HAN: Final = r"\u4e00-\u9fff"
_SURNAME: Final = f"[{''.join(sorted(SURNAMES))}]"
_GIVEN: Final = f"(?![{''.join(sorted(_NEVER))}])[{_HAN}]"
_GIVEN_NAMES: Final = {length: re.compile(_GIVEN * length) for length in (1, 2)}
_CANDIDATE: Final = re.compile(f"(?=({_WORDS.source('double_surnames')}|{_SURNAME}{_GIVEN}))")
_AFTER: Final = re.compile(rf"[,。;!?、)\]”\s:(|]|$|{_WORDS.source('after_name')}")
_SURE_AFTER: Final = re.compile(rf"(?![\d以等所代送向])(?:{_AFTER.pattern})")
_SOMEBODY: Final = re.compile(f"{_SURNAME}某[某甲乙丙丁]?")
_FAMILIAR: Final = re.compile(
    f"(?:(?<![{_HAN}])|(?<=[给找叫是跟与和])) ?([老阿小](?:{_SURNAME}|[{_HAN}](?=[”,。;、]|$)))(?=[,。;、”\\s]|$|的|说)"
)
_TITLED: Final = re.compile(f"[{''.join(sorted(SURNAMES - _AMBIGUOUS))}](?:先生|女士|小姐|太太)")


@lru_cache(maxsize=1 << 5)
def names(text: str) -> tuple[tuple[str, int], ...]:
    """Names of persons in a normalised text, with their positions; cached, because several judges ask for them."""
    return (*(() if text.isascii() else _chinese_names(text)), *english_names(text))


def _chinese_names(text: str) -> Iterator[tuple[str, int]]:
    end = 0
    for match in _CANDIDATE.finditer(text):
        at = match.start()
        surname = match[1] if match[1] in DOUBLE_SURNAMES else match[1][0]
        if at >= end and (name := _name_at(text, at, surname)):
            end = at + len(name)
            yield name, at
    yield from ((match[0], match.start()) for match in _SOMEBODY.finditer(text))
    for match in _FAMILIAR.finditer(text):
        if match[1] not in _WORDS.words("not_familiar"):
            yield match[1], match.start(1)
    yield from ((match[0], match.start()) for match in _TITLED.finditer(text))


def _name_at(text: str, at: int, surname: str) -> str:
    """The name that begins with the surname at this position; "" if the context does not support one."""
    given = at + len(surname)
    if text[given - 1 : given + 1] in _SURNAME_WORDS:
        return ""
    role = _has_role_before(text, at)
    if not role and (text[at - 1 : at + 1] in _ORDINARY or text[at - 1 : at + 1] in _WORDS.words("joined_words")):
        return ""
    is_mark = at == 0 or text[at - 1] in _MARKS
    is_edge = is_mark or text[at - 1] in _EDGES or text[at - 2 : at] in _EDGES
    if len(surname) == 2:
        is_sure = role or (is_edge and surname not in _WORDS.words("doubtful_surnames"))
        return _with_given(text, at, surname, (1, 2), _AFTER) if is_sure else ""
    if surname in _FUNCTION_LIKE and not (role and text[at - 1] in _COPULAS):
        return _with_given(text, at, surname, (1, 2), _WORDS["title_after_name"]) if role else ""
    if surname in _AMBIGUOUS:
        if role:
            is_usual = surname in _WORDS.words("usual_surnames")
            loose = _with_given(text, at, surname, (2,), None) if is_usual else ""
            return _with_given(text, at, surname, (2, 1), _AFTER) or loose
        return _with_given(text, at, surname, (2,), _SURE_AFTER) if is_mark else ""
    if role:
        return _with_given(text, at, surname, (1, 2), _AFTER) or _with_given(text, at, surname, (2,), None)
    if is_edge:
        return _with_given(text, at, surname, (1, 2), _AFTER)
    return _with_given(text, at, surname, (2,), _WORDS["speaks"])


def _has_role_before(text: str, at: int) -> bool:
    """Whether a word for a person in a role, or such a word with 是 or a colon, is before the position."""
    if at > 1 and text[at - 1] in _COPULAS:
        if text[at - 1] == "叫":
            return True
        at -= 1
    return any(at >= size and text[at - size : at] in _ROLES for size in (2, 3, 4))


def _with_given(text: str, at: int, surname: str, lengths: tuple[int, ...], after: re.Pattern[str] | None) -> str:
    """The surname with a given name of one of these lengths that `after` may follow; "" if there is none."""
    for length in lengths:
        given = _GIVEN_NAMES[length].match(text, at + len(surname))
        if given and given[0] not in _ORDINARY and (after is None or after.match(text, given.end())):
            return surname + given[0]
    return ""


def is_known_name(name: str, text: str) -> bool:
    """Whether the text has the name; one with 某 or a title is known by its surname, English names in any case."""
    if not "\u4e00" <= name[0] <= "\u9fff":
        return is_known_english_name(name, text)
    if name[1:] in _WORDS.words("courtesy") or name[1:2] == "某":
        return name[0] in text
    return name in text
