"""The HTTP client: proxies. What it sends and how it reads replies is tested with systems and model clients."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from steelyard.errors import ConfigError
from steelyard.net.http import JsonClient
from steelyard.net.replies import SYSTEM


def client(url, **settings):
    return JsonClient(url, party=SYSTEM, headers={}, timeout=10, **settings)


@pytest.fixture
def proxy():
    """The address of an HTTP proxy that answers by itself, and the requests that it got."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append((self.path, self.headers["Proxy-Authorization"], json.loads(body)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"by": "proxy"}')

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_port}", requests
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_request_through_a_proxy_with_a_password(proxy):
    address, requests = proxy
    assert client("http://system.invalid/ask", proxy=f"http://me:p%40ss@{address}").post({"a": 1}) == {"by": "proxy"}
    credentials = base64.b64encode(b"me:p@ss").decode()
    assert requests == [("http://system.invalid/ask", f"Basic {credentials}", {"a": 1})]


@pytest.mark.parametrize(
    "url", ["ftp://me:pw@host:1", "me:pw@host:3128", "http://[::1", "http://host:99999", "http:///x"]
)
def test_what_is_no_proxy_is_refused_before_anything_is_sent(url):
    with pytest.raises(ConfigError) as caught:
        client("http://127.0.0.1:9/", proxy=url)
    assert str(caught.value).startswith("this is not the address of a proxy: ")
    assert "pw" not in str(caught.value)
