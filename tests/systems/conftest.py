"""Servers that stop by themselves."""

import threading
from typing import Any

import pytest
from systems.server import Server


@pytest.fixture
def serve():
    """Start a server that replies with one answer, with that of a function of the request, or as its class says."""
    servers = []

    def serve(reply: Any) -> Server:
        server = reply if isinstance(reply, Server) else Server(reply if callable(reply) else lambda _: reply)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return server

    yield serve
    for server, thread in servers:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
