"""HTTP requests: read within limits, checked strictly, parsed in linear time."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from steelyard import limits

END: Final = b"\r\n\r\n"
ONCE: Final = ("host", "origin", "authorization")
"""Headers that access depends on; a request that has one of them twice is refused."""

_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP/([0-9]{1,4}(?:\.[0-9]{1,4})?)")
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class BadRequest(Exception):
    """A request that is refused before any page is made, with the status of the response."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A request; names of headers are in lower case, values as Latin-1.

    It has a body only if its method is POST and its size is stated and within the limit.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes | None = None

    def cookies(self) -> dict[str, str]:
        """Return the cookies by name; of two with one name the last counts."""
        pairs = (part.partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name.strip(): value.strip() for name, equals, value in pairs if equals}


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the request of a connection, None if the client closed it.

    The limit of `reader` must be `VIEW_HEAD_BYTES`.
    """
    try:
        async with asyncio.timeout(limits.VIEW_HEAD_SECONDS.value):
            request = parse_request((await reader.readuntil(END)).removesuffix(END))
            size = request.headers.get("content-length", "")
            is_read = request.method == "POST" and re.fullmatch("[0-9]{1,9}", size)
            if not is_read or int(size) > limits.VIEW_HEAD_BYTES.value:
                return request
            return replace(request, body=await reader.readexactly(int(size)))
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError:
        raise BadRequest(_excess(await reader.read(int(limits.VIEW_LINE_BYTES.value)))) from None
    except TimeoutError:
        raise BadRequest(HTTPStatus.REQUEST_TIMEOUT) from None


def parse_request(head: bytes) -> Request:
    """Return the request of these lines; raises BadRequest unless it is well-formed HTTP/1."""
    first, *lines = head.split(b"\r\n")
    if len(first) > limits.VIEW_LINE_BYTES.value:
        raise BadRequest(HTTPStatus.REQUEST_URI_TOO_LONG)
    if len(lines) > limits.VIEW_HEADERS.value:
        raise BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    match = _LINE.fullmatch(first)
    if match is None:
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    method, target, version = (group.decode("ascii") for group in match.groups())
    if version not in ("1.0", "1.1"):
        raise BadRequest(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
    if not target.startswith("/"):
        raise BadRequest(HTTPStatus.BAD_REQUEST)
    path, _, query = target.partition("#")[0].partition("?")
    return Request(method, path, query, _headers(lines))


def _headers(lines: Iterable[bytes]) -> dict[str, str]:
    """Headers by name; cookies of several headers are joined, of other headers the last one counts."""
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.fullmatch(name) or _CONTROL.search(value):
            raise BadRequest(HTTPStatus.BAD_REQUEST)
        key, text = name.decode("ascii").lower(), value.strip(b" \t").decode("latin-1")
        if key in headers and key in ONCE:
            raise BadRequest(HTTPStatus.BAD_REQUEST)
        headers[key] = f"{headers[key]}; {text}" if key == "cookie" and key in headers else text
    return headers


def _excess(begin: bytes) -> HTTPStatus:
    """Whether the first line or the headers of a request are too large."""
    return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE if b"\r\n" in begin else HTTPStatus.REQUEST_URI_TOO_LONG
