"""Secrets in addresses and command lines are masked wherever a system is named or fails."""

import pytest
from systems.server import Answer

from steelyard.errors import ConfigError, SystemFailure
from steelyard.systems.command import CommandSystem
from steelyard.systems.http import HttpSystem
from steelyard.systems.opening import open_system
from steelyard.systems.records import Ask
from steelyard.systems.secrets import masked_command, masked_url
from steelyard.systems.settings import SystemSettings

ASK = Ask("q1", "?")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("python my.py --model qwen3-32b-instruct-2507 --max-tokens 512", None),
        ("python /opt/a_very_long_folder_name/another-long-name/system.py --config=conf/prod.yaml", None),
        ("python my.py --api-key hunter2", "python my.py --api-key ***"),
        ("python my.py --token=hunter2 -v", "python my.py --token=*** -v"),
        ("env OPENAI_API_KEY=hunter2 python my.py", "env OPENAI_API_KEY=*** python my.py"),
        ("python my.py --db-password 'a b'", "python my.py --db-password ***"),
        ("python my.py sk-abcdefghijklmnopqrst", "python my.py ***"),
        ("python my.py 9f86d081884c7d659a2feaa0c55ad015", "python my.py ***"),
        ("curl -H 'Authorization: Bearer abc.def'", "curl -H 'Authorization: Bearer ***'"),
        ("ask https://me:pw@host/x?key=1&b=2", "ask https://***@host/x?key=***&b=***"),
    ],
)
def test_command_lines(command, shown):
    assert masked_command(command) == (shown or command)


def test_addresses():
    assert masked_url("http://me:pw@host:80/p?a=b&c&d=") == "http://***@host:80/p?a=***&***&d"
    assert masked_url("http://host/p") == "http://host/p"


def test_names_and_failures_of_a_program(write):
    program = write("p.py", "import sys\nsys.exit(' '.join(sys.argv[1:]))\n")
    system = CommandSystem(f"python3 {program} --api-key hunter2secret", timeout=30)
    with pytest.raises(SystemFailure) as caught:
        system.ask(ASK)
    assert "hunter2secret" not in f"{system.name}{caught.value}{caught.value.args}"
    assert "--api-key ***" in caught.value.message
    system.close()


def test_a_secret_at_which_a_message_is_cut(write):
    program = write("p.py", "import sys\nsys.exit('x' * 54 + sys.argv[2])\n")
    system = CommandSystem(f"python3 {program} --api-key hunter2secret", timeout=30)
    with pytest.raises(SystemFailure, match=r"x\*\*\*…$"):
        system.ask(ASK)
    system.close()


def test_names_and_failures_of_an_address(serve):
    reply = Answer(b"no such key: hunter2secret, pass-word, queryvalue", status=401)
    url = serve(reply).url.replace("http://", "http://me:pass-word@") + "/ask?key=queryvalue"
    system = HttpSystem(url, SystemSettings(headers={"X-Api-Key": "hunter2secret"}))
    with pytest.raises(SystemFailure) as caught:
        system.ask(ASK)
    assert caught.value.message == "the system answered with status 401: no such key: ***, ***, ***"
    assert "pass-word" not in system.name
    assert "queryvalue" not in system.name


@pytest.mark.parametrize(
    "spec",
    ["htp://me:hunter2@host/", "command:KEY=hunter2 x", "command:x 'a --token=hunter2", "openai:http://me:hunter2@h/"],
)
def test_mistakes_do_not_show_secrets(spec):
    with pytest.raises(ConfigError) as caught:
        open_system(spec)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("name", ["X Y", "X:Y", "", "X\n"])
def test_names_of_headers(name):
    with pytest.raises(ConfigError, match="this is no name of a header"):
        HttpSystem("http://127.0.0.1:9/", SystemSettings(headers={name: "x"}))


@pytest.mark.parametrize("port", [0, 65_536, 10**9])
def test_ports(port):
    with pytest.raises(ConfigError):
        HttpSystem(f"http://127.0.0.1:{port}/", SystemSettings())
