"""Addresses of objects in place of paths: `s3://`, `gs://`, `az://`, `abfs://`, `hdfs://`, `https://`; secrets masked.

An `Address` is a path whose text is the address as it may be shown; `url` is the address as it was given.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

MASK: Final = "***"
HTTP: Final = ("http", "https")
AZURE: Final = ("az", "abfs", "abfss")
SCHEMES: Final = ("s3", "gs", "gcs", *AZURE, "hdfs", *HTTP)

PARAMETER: Final = re.compile(r"(;[^;=/?#]*=?)[^;/?#]+")
"""`;name=value` within a path."""
KNOWN_KEYS: Final = re.compile(
    r"(?:sk|pk|rk|hf|ghp|gho|ghs|github_pat|glpat|xox[abp]|AIza|AKIA|ya29)[-_.]?[A-Za-z0-9_-]{12,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
)
"""Keys that are known by their beginning (sk-…, ghp_…, AKIA…), and JSON web tokens."""
_ADDRESS: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^/?#]*@)?(?P<host>(?:\[[^][@/?#]*\]|[^][@:/?#]+)(?::[0-9]*)?)(?=[/?#]|$)"
)
_GIVEN: Final = re.compile(rf"({'|'.join(SCHEMES)})://(?=.)", re.IGNORECASE)
_COLLAPSED: Final = re.compile(rf"({'|'.join(SCHEMES)}):/(?=.)", re.IGNORECASE)
_CONTAINER: Final = re.compile(rf"(?:{'|'.join(AZURE)})://[^/@:]+@", re.IGNORECASE)
"""`abfs://container@account…`: not the name of a user."""

if TYPE_CHECKING:
    _LocalPath = Path
else:
    _LocalPath = type(Path())  # before Python 3.12, Path itself cannot be a base


class Address(_LocalPath):
    """The address of an object as a path: `str` masks its secrets, `url` is the whole."""

    url: str

    def __new__(cls, url: str) -> "Address":
        """Return the address; a scheme is written in lower case."""
        made = super().__new__(cls, url)
        scheme, mark, rest = url.partition("://")
        made.url = f"{scheme.lower()}{mark}{rest}"
        return made

    def __init__(self, url: str) -> None:
        """Set the parts of the path where pathlib does so here."""
        if sys.version_info >= (3, 12):
            super().__init__(url)

    @property
    def scheme(self) -> str:
        """What stands before `://`."""
        return self.url.partition("://")[0]

    @property
    def container(self) -> str:
        """The bucket, container or host, without a user."""
        return self.url.partition("://")[2].partition("/")[0].rpartition("@")[2]

    @property
    def name(self) -> str:
        """The last part, without the query of an HTTP address."""
        path = self.url.partition("://")[2].partition("/")[2]
        if self.scheme in HTTP:
            path = unquote(re.split(r"[?#]", path, maxsplit=1)[0])
        return path.rpartition("/")[2]

    @property
    def parent(self) -> "Address":
        """The address up to its last part."""
        return Address(self.url.rstrip("/").rpartition("/")[0])

    def with_name(self, name: str) -> "Address":
        """Return the address of another object beside this one."""
        return Address(f"{self.parent.url}/{name}")

    def exists(self, *_: Any, **__: Any) -> bool:
        """Whether there is such an object."""
        from steelyard.io.objects import exists

        return exists(self)

    def is_file(self, *_: Any, **__: Any) -> bool:
        """Whether there is such an object."""
        return self.exists()

    def is_dir(self, *_: Any, **__: Any) -> bool:
        """Return False: object stores have no folders."""
        return False

    def is_symlink(self) -> bool:
        """Return False: object stores have no links."""
        return False

    def __str__(self) -> str:
        return self.url if _CONTAINER.match(self.url) else masked_url(self.url)

    def __fspath__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and other.url == self.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __reduce__(self) -> tuple[type["Address"], tuple[str]]:
        return Address, (self.url,)


def addressed(path: str | Path) -> str | Path:
    """Return the Address if the path is one as text, else the path as it is.

    A Path is never one: paths are also made from names within files, and a file must not lead to the network.
    """
    return Address(path) if isinstance(path, str) and _GIVEN.match(path) else path


def was_address(path: Path) -> bool:
    """Whether a Path was made from the text of an address, of which pathlib has left one slash."""
    return _COLLAPSED.match(path.as_posix()) is not None


def path_of(path: str | Path) -> Path:
    """Return the path of a file, or the Address of an object."""
    found = addressed(path)
    return Path(found) if isinstance(found, str) else found


def file_name(path: str | Path) -> str:
    """Return the last part of a path or of an address, without a query."""
    return path_of(path).name


def masked_url(url: str) -> str:
    """Return an address with its user, password, parameters and the values of its query masked.

    In a malformed one, everything up to the last @ is masked, because a password may be anywhere in it.
    """
    parts = _ADDRESS.match(url)
    if parts is None:
        before, at, rest = url.rpartition("@")
        return f"{before.partition(':')[0]}:{MASK}@{masked_url(rest)}" if at else KNOWN_KEYS.sub(MASK, url)
    head, mark, query = url[parts.end() :].partition("?")
    user = f"{MASK}@" if parts["user"] else ""
    path = KNOWN_KEYS.sub(MASK, PARAMETER.sub(rf"\1{MASK}", head))
    pieces = (piece.partition("=") for piece in query.partition("#")[0].split("&"))
    masked_query = f"?{'&'.join(_masked_pair(*pair) for pair in pieces)}" if mark else ""
    return f"{parts['scheme']}{user}{parts['host']}{path}{masked_query}"


def _masked_pair(name: str, equals: str, value: str) -> str:
    return f"{name}={MASK}" if equals and value else name if equals else MASK
