"""The retriever server as tests call it, and servers on this machine for it to ask."""

import contextlib
import importlib.util
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from steelyard.io.yamls import read_yaml

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "servers" / "retriever" / "src" / "retriever.py"
PARAMETERS = read_yaml(ROOT / "servers" / "retriever" / "parameter.yaml").plain()
CORPUS = str(ROOT / "data" / "corpus_example.jsonl")
VECTORS_HINT = (
    "hint: to make it again, run a pipeline with retriever_embed and retriever_index (such as corpus_index.yaml) "
    "and overwrite: true"
)
TERMS_HINT = "hint: to make it again, run a pipeline with bm25_index (such as bm25_index.yaml) and overwrite: true"


def fresh():
    """A server of its own, as a new process has it."""
    spec = importlib.util.spec_from_file_location("server_retriever", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(server, tool, **given):
    """Call a tool as a pipeline does: its parameters from the file, the rest as given."""
    inputs = server.app.tools[tool].binding.resolve(PARAMETERS).inputs
    known = {name: PARAMETERS[source[1:]] for name, source in inputs.items() if source.startswith("$")}
    return server.app.tools[tool].function(**{**known, **given})


def ready(server, **given):
    call(server, "retriever_init", **{"corpus_path": CORPUS, **given})
    call(server, "retriever_embed")
    call(server, "retriever_index")


@contextlib.contextmanager
def serving(answer):
    """A server on a free port; `answer` gives status and body for the path, the headers and what was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = answer(self.path, self.headers, sent)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
