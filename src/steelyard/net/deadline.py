"""Connections with one deadline for all operations: connecting, handshakes, writes and reads.

The timeouts of HTTP libraries hold for each operation, so a server that sends a byte now and then never meets them.
"""

import math
import time
from collections.abc import Iterable
from typing import Any

import httpcore


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections whose operations all end at one moment of the monotonic clock."""

    def __init__(self, end: float) -> None:
        self._end = end
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect in the time that is left."""
        left = _left(self._end, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return _DeadlineStream(stream, self._end)


class _DeadlineStream(httpcore.NetworkStream):
    """A connection whose operations each have the time that is left."""

    def __init__(self, stream: httpcore.NetworkStream, end: float) -> None:
        self._stream = stream
        self._end = end

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._end, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._end, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(self._end, httpcore.ConnectTimeout)
        return _DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left), self._end)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(end: float, late: type[httpcore.TimeoutException]) -> float | None:
    """The seconds until the deadline, None if there is none; an exception if it has passed."""
    left = end - time.monotonic()
    if left <= 0:
        raise late
    return None if left == math.inf else left
