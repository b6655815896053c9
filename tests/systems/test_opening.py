"""Systems by their SPEC."""

import pytest

from steelyard.errors import ConfigError, UnknownName
from steelyard.systems.opening import SPEC_HINT, open_system
from steelyard.systems.records import Ask
from steelyard.systems.settings import SystemSettings


@pytest.mark.parametrize(
    ("spec", "kind", "name"),
    [
        ("http://127.0.0.1:9/ask", "HttpSystem", "http://127.0.0.1:9/ask"),
        ("HTTPS://me:pw@host.example/ask?key=1", "HttpSystem", "https://host.example/ask"),
        ("openai:qwen3:8b@http://127.0.0.1:9/v1", "ChatSystem", "qwen3:8b"),
        ("openai:@cf/meta/llama@https://host.example/v1", "ChatSystem", "@cf/meta/llama"),
        ("python:builtins:len", "PythonSystem", "builtins:len"),
        ("command:true -x", "CommandSystem", "true -x"),
        ("builtin:baseline", "Baseline", "baseline"),
    ],
)
def test_every_form(spec, kind, name):
    system = open_system(spec)
    assert (type(system).__name__, system.name) == (kind, name)
    system.close()


def test_replay(write):
    path = write("out.jsonl", '{"id": "a", "answer": "x"}')
    system = open_system(f"replay:{path}", SystemSettings())
    assert system.ask(Ask("a", "?")).record["answer"] == "x"


@pytest.mark.parametrize("spec", ["", "nonsense", "ftp://host/", "replay:", "command:", "http", "mock:x"])
def test_unknown_forms(spec):
    with pytest.raises(ConfigError) as caught:
        open_system(spec)
    assert str(caught.value.message) == f"not a valid system: {spec!r}"
    assert caught.value.hint == SPEC_HINT


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("openai:gpt", ConfigError, "a chat model must be openai:MODEL@BASE_URL, not 'openai:gpt'"),
        ("openai:gpt@localhost", ConfigError, "a chat model must be openai:MODEL@BASE_URL, not 'openai:gpt@localhost'"),
        ("http:/path", ConfigError, "not a valid address: http:/path"),
        ("http://host:port/", ConfigError, "not a valid address: http://host:port/ (Invalid port: 'port')"),
        ("builtin:basline", UnknownName, "no system is called 'basline'"),
    ],
)
def test_malformed_forms(spec, error, message):
    with pytest.raises(error) as caught:
        open_system(spec)
    assert str(caught.value.message) == message


def test_settings_are_checked():
    with pytest.raises(ConfigError, match=r"^the timeout must be above 0 s, not 0$"):
        SystemSettings(timeout=0)
