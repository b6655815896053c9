"""Masking of keys, tokens and passwords in addresses, command lines and messages of failures."""

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
from steelyard.io.addresses import KNOWN_KEYS, MASK, PARAMETER, masked_url

_SHORTEST: Final = 6
"""Characters below which a secret is masked only where it was given, not in all text of a failure."""

_WORD: Final = (
    r"(?:api|access|auth|client|private|secret|signing|session|subscription|account|shared)?[-_]?"
    r"(?:key|token|secret|password|passwd|passphrase|passcode|pwd|pw|pass|auth|authorization|credentials?|bearer|pat"
    r"|cookie|login|dsn|jwt|connection[-_]?string)[0-9]{0,4}"
)
_LONG_NAME: Final = rf"(?:[A-Za-z0-9]{{1,30}}[-_.]){{0,4}}(?:[A-Za-z0-9]{{0,30}}(?-i:(?<=[a-z0-9])(?=[A-Z])))?{_WORD}"
_NAME: Final = re.compile(rf"-{{0,2}}{_LONG_NAME}", re.IGNORECASE)
_HEADER: Final = re.compile(rf"((?:[A-Za-z0-9]{{1,30}}-){{0,4}}{_WORD}\s?:\s?(?:Bearer |Basic )?)(\S.*)", re.IGNORECASE)
# one word of a shell: quoted parts, escaped characters, others; the closing quotation mark may be missing
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
_IN_ONE_WORD: Final = (_HEADER, _SHORT_PASSWORD, _USER_OPTION)  # a name and its secret: -pPASSWORD
_AROUND: Final = "\\\"'{}[](),;"  # punctuation around a secret in the output of a program
_DEPTH: Final = 4  # of quotations within quotations
_BEARER: Final = re.compile(r"(Bearer |Basic )(\S+)", re.IGNORECASE)
_URL: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]{0,20}:/[^\s"']+""")
_RANDOM: Final = re.compile(r"[A-Za-z0-9+_-]{24,}={0,2}")  # long runs of letters and digits


def is_secret_name(name: str) -> bool:
    """Return whether a field of this name has a key, a token or a password."""
    return bool(_NAME.fullmatch(name))


def public_address(url: str) -> str:
    """Return an address without user, password, query and parameters, and with keys in its path masked.

    Of a malformed one, the text after the last @.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2]
    path = KNOWN_KEYS.sub(MASK, PARAMETER.sub(rf"\1{MASK}", parts.path))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))


def masked_command(command: str) -> str:
    """Return a command line with everything masked that looks like a secret; unchanged if nothing does."""
    words = _words(command)
    masked = _Masker().words(words)
    if masked == words:
        return command
    return " ".join(word if MASK in word and not re.search(r"\s", word) else shlex.quote(word) for word in masked)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class _Masker:
    """Masks what looks like a secret, and collects the secrets."""

    def __init__(self) -> None:
        self.secrets: set[str] = set()

    def words(self, words: Sequence[str], depth: int = _DEPTH) -> list[str]:
        """Return the words of a command line with secrets masked, such as the value of --api-key and that of KEY=."""
        masked: list[str] = []
        before = ""
        for word in words:
            is_secret = _is_value(before, word)
            masked.append(self._hide(word) if is_secret else self._word(word, depth))
            before = "" if is_secret else _unquoted(word)
        return masked

    def _hide(self, secret: str) -> str:
        plain = _unquoted(secret)
        self.secrets |= {plain, plain.strip(_AROUND), plain.partition(":")[2], plain.partition("=")[2]}
        self.secrets |= {pair[2].strip(_AROUND) for pair in _PAIR.finditer(plain)}
        return MASK

    def _word(self, word: str, depth: int) -> str:
        name, equals, value = word.partition("=")
        if equals and value and _NAME.fullmatch(name):
            return f"{name}={self._hide(value)}"
        if named := next(filter(None, (pattern.fullmatch(word) for pattern in _IN_ONE_WORD)), None):
            return f"{named[1]}{self._hide(named[2])}"
        masked = self._patterns(word)
        inner = _unquoted(masked)
        if depth and re.search(r"\s", inner):
            pieces = iter(self.words(_PIECE.findall(inner), depth - 1))
            return masked.replace(inner, _PIECE.sub(lambda _: next(pieces), inner))
        return masked

    def _patterns(self, word: str) -> str:
        masked = _URL.sub(lambda match: self._url(match[0]), word)
        for pattern in (_PAIR, _BEARER, _USER):
            masked = pattern.sub(lambda match: f"{match[1]}{self._hide_value(match[2])}", masked)
        masked = KNOWN_KEYS.sub(lambda match: self._hide(match[0]), masked)
        return _RANDOM.sub(lambda match: self._hide(match[0]) if _is_random(match[0]) else match[0], masked)

    def _hide_value(self, value: str) -> str:
        """Return the value masked, with the quotation marks around it kept."""
        inner = _unquoted(value)
        return value.replace(inner, self._hide(inner)) if inner and value[0] == value[-1] else self._hide(value)

    def _url(self, url: str) -> str:
        masked = masked_url(url)
        if masked != url:
            with suppress(ValueError):
                self.secrets |= secrets_in_request(url, {})
        return masked


def _is_value(before: str, word: str) -> bool:
    """Return whether a word is a secret because it is the value of the option before it."""
    if not before.startswith("-"):
        return False
    if before in ("-u", "-U", "--user", "--proxy-user", "--username"):
        return ":" in word
    if before in ("-p", "-k"):
        return not (word.startswith("-") or re.fullmatch(r"[0-9.:]*", word))
    return bool(_NAME.fullmatch(before)) and not (_OPTION.fullmatch(word) or _NAME.fullmatch(word))


def _unquoted(word: str) -> str:
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if is_quoted else word


def _is_random(text: str) -> bool:
    """Return whether a long run of letters and digits is a key and not a name: it changes often between the two."""
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(text))
    return 6 * changes >= len(text)


def secrets_in_command(command: str) -> frozenset[str]:
    """Return the secrets of a command line, to be masked in the output of its program."""
    masker = _Masker()
    masker.words(_words(command))
    return _long(masker.secrets - {MASK})


def secrets_in_request(url: str, headers: Mapping[str, str]) -> frozenset[str]:
    """Return the secrets of requests: user and password, values of the query, values of headers that hold keys."""
    parts = urlsplit(url)
    secrets = {parts.password or parts.username or "", basic_credentials(url), basic_credentials(url).rstrip("=")}
    for piece in re.split(r"[&;]", parts.query):
        name, equals, value = piece.partition("=")
        secrets.add(value if equals else name)
    secrets |= {match[0].removeprefix(match[1]) for match in PARAMETER.finditer(parts.path)}
    for name, value in headers.items():
        if _HEADER.fullmatch(f"{name}: {value}") or name.lower() == "cookie":
            secrets |= {value, value.rpartition(" ")[2]}
    return _long(secrets | {unquote(secret) for secret in secrets})


def basic_credentials(url: str) -> str:
    """Return user and password of an address as in the header Authorization; empty if there are none."""
    parts = urlsplit(url)
    if parts.username is None:
        return ""
    return b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()


def _long(secrets: Iterable[str]) -> frozenset[str]:
    return frozenset(secret for secret in secrets if len(secret) >= _SHORTEST)


@contextmanager
def mask_failures(secrets: frozenset[str]) -> Iterator[None]:
    """Mask these secrets in failures that are raised in the body: programs and servers repeat their input."""
    try:
        yield
    except SystemFailure as failure:
        if secrets:
            failure.message = mask_secrets(failure.message, secrets)
            failure.problems = tuple(
                Problem(problem.where, mask_secrets(problem.message, secrets)) for problem in failure.problems
            )
            failure.args = (failure.message,)
        raise


def mask_secrets(message: Message, secrets: Iterable[str]) -> Message:
    """Return the message with these secrets masked in its arguments."""
    return masked(message, lambda text: _hidden(text, secrets))


def _hidden(text: str, secrets: Iterable[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
        # a text may have been cut within the secret
        cut = next((end for end in range(len(secret) - 1, 2, -1) if f"{secret[:end]}…" in text), 0)
        text = text.replace(f"{secret[:cut]}…", f"{MASK}…") if cut else text
    return text
