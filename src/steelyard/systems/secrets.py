"""Keys, tokens and passwords in addresses and command lines: masked wherever a system is named or fails."""

import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from steelyard.errors import Problem, SystemFailure
from steelyard.i18n import Message
from steelyard.i18n.masking import masked

MASK: Final = "***"
_SHORTEST: Final = 6
"""Characters below which a secret is masked in its place only, not wherever the same characters stand."""

_WORD: Final = (
    r"(?:api|access|auth|client|private|secret|signing|session|subscription|account|shared)?[-_]?"
    r"(?:key|token|secret|password|passwd|passphrase|passcode|pwd|pw|pass|auth|authorization|credentials?|bearer|pat"
    r"|cookie|login|dsn|jwt|connection[-_]?string)[0-9]{0,4}"
)
_LONG_NAME: Final = rf"(?:[A-Za-z0-9]{{1,30}}[-_.]){{0,4}}(?:[A-Za-z0-9]{{0,30}}(?-i:(?<=[a-z0-9])(?=[A-Z])))?{_WORD}"
_NAME: Final = re.compile(rf"-{{0,2}}{_LONG_NAME}", re.IGNORECASE)
_HEADER: Final = re.compile(rf"((?:[A-Za-z0-9]{{1,30}}-){{0,4}}{_WORD}\s?:\s?(?:Bearer |Basic )?)(\S.*)", re.IGNORECASE)
# what a shell takes for one word: quoted parts, escaped characters, others; a quotation may lack its end
_RUN: Final = r"""(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|'[^']*(?:'|$)|\\.|[^\s"';&|])+"""
_STRING: Final = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*')(?=[\s,;}\])]|$)"""  # as in JSON
_PAIR: Final = re.compile(
    rf"""(?<![A-Za-z0-9])({_LONG_NAME}\\?["']?\]?\s{{0,3}}[=:]>?\s{{0,3}}(?:Bearer |Basic )?)"""
    rf"""(?!{{\s*\\?["'])({_STRING}|{_RUN})""",
    re.IGNORECASE,
)
_PIECE: Final = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+""")
_USER: Final = re.compile(r"(?<![^\s=\"'])([^\s:/@=\"']{1,60}:)([^\s/@]+)(?=@)")  # user:password@host
_OPTION: Final = re.compile(r"--?[A-Za-z][A-Za-z-]*(?:=.*)?", re.DOTALL)
_SHORT_PASSWORD: Final = re.compile(r"(-[pk])(?![A-Za-z-]*$|[0-9.]*$|=)(.+)", re.DOTALL)
_USER_OPTION: Final = re.compile(r"(--(?:proxy-)?user(?:name)?=|-[uU])([^:]+:.+)", re.DOTALL)
_AROUND: Final = "\\\"'{}[](),;"  # what may stand around a secret in a program's words
_DEPTH: Final = 4  # of quotations within quotations
_BEARER: Final = re.compile(r"(Bearer |Basic )(\S+)", re.IGNORECASE)
_URL: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]{0,20}:/[^\s"']+""")
_PLACE: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^/?#]*@)?(?P<host>(?:\[[^][@/?#]*\]|[^][@:/?#]+)(?::[0-9]*)?)(?=[/?#]|$)"
)
_PARAMETER: Final = re.compile(r"(;[^;=/?#]*=?)[^;/?#]+")  # ;name=value within a path
# sk-…, ghp_…, AKIA…, a JSON web token; else letters and digits in a long row, as no word or path has them
_KNOWN: Final = re.compile(
    r"(?:sk|pk|rk|hf|ghp|gho|ghs|github_pat|glpat|xox[abp]|AIza|AKIA|ya29)[-_.]?[A-Za-z0-9_-]{12,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
)
_RANDOM: Final = re.compile(r"[A-Za-z0-9+_-]{24,}={0,2}")


def address(url: str) -> str:
    """The address without what may be secret in it: user, password, query, parameters and keys in the path."""
    parts = urlsplit(url)
    path = _KNOWN.sub(MASK, _PARAMETER.sub(rf"\1{MASK}", parts.path))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))


def masked_url(url: str) -> str:
    """An address with its user, password, parameters and the values of its query masked.

    Of one that is malformed all up to the last @ is: somewhere there a password may stand.
    """
    place = _PLACE.match(url)
    if place is None:
        before, at, rest = url.rpartition("@")
        return f"{before.partition(':')[0]}:{MASK}@{masked_url(rest)}" if at else _KNOWN.sub(MASK, url)
    head, mark, query = url[place.end() :].partition("?")
    user = f"{MASK}@" if place["user"] else ""
    path = _KNOWN.sub(MASK, _PARAMETER.sub(rf"\1{MASK}", head))
    pieces = (piece.partition("=") for piece in query.partition("#")[0].split("&"))
    asked = f"?{'&'.join(_masked_pair(*pair) for pair in pieces)}" if mark else ""
    return f"{place['scheme']}{user}{place['host']}{path}{asked}"


def _masked_pair(name: str, equals: str, value: str) -> str:
    return f"{name}={MASK}" if equals and value else name if equals else MASK


def masked_command(command: str) -> str:
    """A command line with everything masked that looks like a secret; unchanged where nothing does."""
    words = _words(command)
    masked = _Masker().words(words)
    return command if masked == words else " ".join(map(_quoted, masked))


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _quoted(word: str) -> str:
    return word if MASK in word and not re.search(r"\s", word) else shlex.quote(word)


class _Masker:
    """Masks what looks like a secret, and remembers it."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def words(self, words: Sequence[str], depth: int = _DEPTH) -> list[str]:
        """The words of a command line; what follows --api-key, and what is behind KEY=, is masked."""
        masked: list[str] = []
        before = ""
        for word in words:
            is_secret = _is_value(before, word)
            masked.append(self._hide(word) if is_secret else self._word(word, depth))
            before = "" if is_secret else _unquoted(word)
        return masked

    def _hide(self, secret: str) -> str:
        plain = _unquoted(secret)
        self.found |= {plain, plain.strip(_AROUND), plain.partition(":")[2], plain.partition("=")[2]}
        self.found |= {pair[2].strip(_AROUND) for pair in _PAIR.finditer(plain)}
        return MASK

    def _word(self, word: str, depth: int) -> str:
        name, equals, value = word.partition("=")
        if equals and value and _NAME.fullmatch(name):
            return f"{name}={self._hide(value)}"
        if named := _HEADER.fullmatch(word) or _attached(word):
            return f"{named[1]}{self._hide(named[2])}"
        masked = self._patterns(word)
        inner = _unquoted(masked)
        if depth and re.search(r"\s", inner):
            pieces = iter(self.words(_PIECE.findall(inner), depth - 1))
            return masked.replace(inner, _PIECE.sub(lambda _: next(pieces), inner))
        return masked

    def _patterns(self, word: str) -> str:
        masked = _URL.sub(lambda found: self._url(found[0]), word)
        for pattern in (_PAIR, _BEARER, _USER):
            masked = pattern.sub(lambda found: f"{found[1]}{self._hide_value(found[2])}", masked)
        masked = _KNOWN.sub(lambda found: self._hide(found[0]), masked)
        return _RANDOM.sub(lambda found: self._hide(found[0]) if _is_random(found[0]) else found[0], masked)

    def _hide_value(self, value: str) -> str:
        """The value masked, but for the quotation marks around it."""
        inner = _unquoted(value)
        return value.replace(inner, self._hide(inner)) if inner and value[0] == value[-1] else self._hide(value)

    def _url(self, url: str) -> str:
        masked = masked_url(url)
        if masked != url:
            with suppress(ValueError):
                self.found |= secrets_in_request(url, {})
        return masked


def _is_value(before: str, word: str) -> bool:
    """Whether a word is the secret that the option before it announces."""
    if not before.startswith("-"):
        return False
    if before in ("-u", "-U", "--user", "--proxy-user", "--username"):
        return ":" in word
    if before in ("-p", "-k"):
        return not (word.startswith("-") or re.fullmatch(r"[0-9.:]*", word))
    return bool(_NAME.fullmatch(before)) and not (_OPTION.fullmatch(word) or _NAME.fullmatch(word))


def _attached(word: str) -> re.Match[str] | None:
    """The option and its value where they are one word: -pPASSWORD, --user=NAME:PASSWORD."""
    return _SHORT_PASSWORD.fullmatch(word) or _USER_OPTION.fullmatch(word)


def _unquoted(word: str) -> str:
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if is_quoted else word


def _is_random(text: str) -> bool:
    """Whether a long row of letters and digits is no name: digits stand all over it."""
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(text))
    return 6 * changes >= len(text)


def secrets_in_command(command: str) -> frozenset[str]:
    """The secrets of a command line, to be masked in what its program says."""
    masker = _Masker()
    masker.words(_words(command))
    return _long(masker.found - {MASK})


def secrets_in_request(url: str, headers: Mapping[str, str]) -> frozenset[str]:
    """The secrets of requests: user and password, what the query holds, and values of headers that name keys."""
    parts = urlsplit(url)
    found = {parts.password or parts.username or "", basic_credentials(url), basic_credentials(url).rstrip("=")}
    for piece in re.split(r"[&;]", parts.query):
        name, equals, value = piece.partition("=")
        found.add(value if equals else name)
    found |= {each[0].removeprefix(each[1]) for each in _PARAMETER.finditer(parts.path)}
    for name, value in headers.items():
        if _HEADER.fullmatch(f"{name}: {value}") or name.lower() == "cookie":
            found |= {value, value.rpartition(" ")[2]}
    return _long(found | {unquote(each) for each in found})


def basic_credentials(url: str) -> str:
    """User and password of an address as the header Authorization has them; empty where there are none."""
    parts = urlsplit(url)
    if parts.username is None:
        return ""
    return b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()


def _long(secrets: Iterable[str]) -> frozenset[str]:
    return frozenset(each for each in secrets if len(each) >= _SHORTEST)


@contextmanager
def hiding(secrets: frozenset[str]) -> Iterator[None]:
    """Mask these secrets in the failures that the body raises: programs and servers repeat what they were given."""
    try:
        yield
    except SystemFailure as failure:
        if secrets:
            failure.message = _hidden_in(failure.message, secrets)
            failure.problems = tuple(
                Problem(each.where, _hidden_in(each.message, secrets)) for each in failure.problems
            )
            failure.args = (failure.message,)
        raise


def _hidden_in(message: Message, secrets: frozenset[str]) -> Message:
    return masked(message, lambda text: _hidden(text, secrets))


def _hidden(text: str, secrets: frozenset[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
        # a message may have been cut within the secret
        cut = next((end for end in range(len(secret) - 1, 2, -1) if f"{secret[:end]}…" in text), 0)
        text = text.replace(f"{secret[:cut]}…", f"{MASK}…") if cut else text
    return text
