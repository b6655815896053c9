"""Limits of the viewer on what its clients send and take; see `steelyard.limits` for how each is raised."""

from typing import Final

from steelyard.limits import LIMITS, Limit


def _limit(name: str, value: float, meaning: str) -> Limit:
    LIMITS[name] = Limit(name, value, meaning)
    return LIMITS[name]


LINE_BYTES: Final = _limit("VIEW_LINE_BYTES", 8_192, "bytes of the first line of a request to the viewer (else 414)")
HEAD_BYTES: Final = _limit("VIEW_HEAD_BYTES", 32_768, "bytes of a request to the viewer with its headers (else 431)")
HEADERS: Final = _limit("VIEW_HEADERS", 100, "headers of a request to the viewer (else 431)")
HEAD_SECONDS: Final = _limit("VIEW_HEAD_SECONDS", 10, "seconds in which a request to the viewer must arrive (else 408)")
SEND_SECONDS: Final = _limit("VIEW_SEND_SECONDS", 30, "seconds in which a client must take each 256 kB of a page")
PAGE_SECONDS: Final = _limit("VIEW_PAGE_SECONDS", 120, "seconds that a client waits for a page to be made (else 503)")
CONNECTIONS: Final = _limit("VIEW_CONNECTIONS", 256, "clients of the viewer at a time (else 503)")
WAITING: Final = _limit("VIEW_WAITING", 128, "pages of the viewer that are being made or wait for it (else 503)")
HELD_BYTES: Final = _limit("VIEW_HELD_BYTES", 256_000_000, "bytes of pages that the viewer holds at a time (else 503)")
RESULT_BYTES: Final = _limit("VIEW_RESULT_BYTES", 256_000_000, "bytes of a file that the viewer reads")
