"""Keys, tokens and passwords in addresses and command lines: masked wherever a system is named or fails."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from steelyard.errors import Problem, SystemFailure

MASK: Final = "***"
_SHORTEST: Final = 6
"""Characters below which a secret is masked in its place only, not wherever the same characters stand."""

_WORD: Final = (
    r"(?:api|access|auth|client|private|secret|signing|session|subscription)?[-_]?"
    r"(?:key|token|secret|password|passwd|passphrase|pwd|pass|auth|authorization|credentials?|bearer|pat)"
)
_NAME: Final = re.compile(rf"-{{0,2}}(?:[A-Za-z0-9]{{1,30}}[-_]){{0,4}}{_WORD}", re.IGNORECASE)
_HEADER: Final = re.compile(rf"((?:[A-Za-z0-9]{{1,30}}-){{0,4}}{_WORD}\s?:\s?(?:Bearer |Basic )?)(\S.*)", re.IGNORECASE)
_BEARER: Final = re.compile(r"(Bearer |Basic )(\S+)", re.IGNORECASE)
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://\S+")
# sk-…, ghp_…, AKIA…, a JSON web token; else letters and digits in a long row, as no word or path has them
_KNOWN: Final = re.compile(
    r"(?:sk|pk|rk|hf|ghp|gho|ghs|github_pat|glpat|xox[abp]|AIza|AKIA|ya29)[-_.]?[A-Za-z0-9_-]{12,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
)
_RANDOM: Final = re.compile(r"[A-Za-z0-9+_-]{24,}={0,2}")


def address(url: str) -> str:
    """The address without what may be secret in it: user, password, query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def masked_url(url: str) -> str:
    """An address with its user, password and the values of its query masked."""
    head, mark, query = url.partition("?")
    scheme, slashes, rest = head.partition("://")
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    shown = f"{scheme}{slashes}{MASK if user else ''}{at}{host}{slash}{path}" if slashes else head
    pieces = (piece.partition("=") for piece in query.partition("#")[0].split("&"))
    return f"{shown}?{'&'.join(_masked_pair(*pair) for pair in pieces)}" if mark else shown


def _masked_pair(name: str, equals: str, value: str) -> str:
    return f"{name}={MASK}" if equals and value else name if equals else MASK


def masked_command(command: str) -> str:
    """A command line with everything masked that looks like a secret; unchanged where nothing does."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    masked = list(_masked_words(words))
    return command if masked == words else " ".join(map(_quoted, masked))


def _quoted(word: str) -> str:
    return word if MASK in word and not re.search(r"\s", word) else shlex.quote(word)


def _masked_words(words: Iterable[str]) -> Iterator[str]:
    """The words of a command line; what follows --api-key, and what is behind KEY=, is masked."""
    is_value = False
    for word in words:
        if is_value and not word.startswith("--"):
            yield MASK
            is_value = False
            continue
        is_value = word.startswith("-") and _NAME.fullmatch(word) is not None
        yield _masked_word(word)


def _masked_word(word: str) -> str:
    name, equals, value = word.partition("=")
    if equals and value and _NAME.fullmatch(name):
        return f"{name}={MASK}"
    if header := _HEADER.fullmatch(word):
        return f"{header[1]}{MASK}"
    masked = _URL.sub(lambda found: masked_url(found[0]), word)
    masked = _BEARER.sub(lambda found: f"{found[1]}{MASK}", masked)
    masked = _KNOWN.sub(MASK, masked)
    return _RANDOM.sub(lambda found: MASK if _is_random(found[0]) else found[0], masked)


def _is_random(text: str) -> bool:
    """Whether a long row of letters and digits is no name: digits stand all over it."""
    changes = sum(left.isdigit() != right.isdigit() for left, right in pairwise(text))
    return 6 * changes >= len(text)


def secrets_in_command(command: str) -> frozenset[str]:
    """The secrets of a command line, to be masked in what its program says."""
    try:
        words = shlex.split(command)
    except ValueError:
        return frozenset()
    found: set[str] = set()
    for word, masked in zip(words, _masked_words(words), strict=True):
        before, mask, after = masked.partition(MASK)
        if mask and word.startswith(before) and MASK not in after and word.endswith(after):
            found.add(word[len(before) : len(word) - len(after)])
    return _long(found)


def secrets_in_request(url: str, headers: Mapping[str, str], *more: str | None) -> frozenset[str]:
    """The secrets of requests: user and password, the values of the query, and those of headers that name keys."""
    parts = urlsplit(url)
    found = {*more, parts.password, *(piece.partition("=")[2] for piece in parts.query.split("&"))}
    for name, value in headers.items():
        if _HEADER.fullmatch(f"{name}: {value}") or name.lower() == "cookie":
            found |= {value, value.rpartition(" ")[2]}
    plain = {each for each in found if each}
    return _long(plain | {unquote(each) for each in plain})


def _long(secrets: Iterable[str]) -> frozenset[str]:
    return frozenset(each for each in secrets if len(each) >= _SHORTEST)


@contextmanager
def hiding(secrets: frozenset[str]) -> Iterator[None]:
    """Mask these secrets in the failures that the body raises: programs and servers repeat what they were given."""
    try:
        yield
    except SystemFailure as failure:
        if secrets:
            failure.message = _hidden(failure.message, secrets)
            failure.problems = tuple(Problem(each.where, _hidden(each.message, secrets)) for each in failure.problems)
            failure.args = (failure.message,)
        raise


def _hidden(text: str, secrets: frozenset[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
        # a message may have been cut within the secret
        cut = next((end for end in range(len(secret) - 1, 2, -1) if f"{secret[:end]}…" in text), 0)
        text = text.replace(f"{secret[:cut]}…", f"{MASK}…") if cut else text
    return text
