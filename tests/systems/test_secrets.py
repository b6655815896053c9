"""Secrets in addresses and command lines are masked wherever a system is named or fails."""

import pytest
from systems.server import Answer

from steelyard.errors import ConfigError, SystemFailure
from steelyard.io.addresses import masked_url
from steelyard.net.secrets import masked_command, secrets_in_command
from steelyard.systems.base import Ask, SystemSettings, open_system
from steelyard.systems.command import CommandSystem
from steelyard.systems.http import HttpSystem

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


INSIDE = [
    "sh -c 'cd /x && API_KEY=hunter2x prog'",
    "sh -c 'prog --password hunter2x'",
    "sh -c 'prog --password \"hunter2x\" -v'",
    "sh -c 'ssh h \"prog --token hunter2x\"'",
    "sh -c \"curl -u bob:hunter2x h && API_KEY='hunter2x' prog\"",
    """prog '{"api_key": "hunter2x"}'""",
    """prog '{"a": 1, "apiKey":"hunter2x", "b": 2}'""",
    """prog "{'password': 'hunter2x'}" """,
    """sh -c 'prog "{\\"api_key\\": \\"hunter2x\\"}"'""",
    "prog --set=auth.token=hunter2x",
    "prog --dsn 'Server=h;Password=hunter2x;'",
    "prog 'Server=h;Password=hunter2x;Database=d'",
    "prog --x-api-key:hunter2x",
    "prog --key2 hunter2x",
    "prog --token --hunter2x",
    "prog --cookie session=hunter2x",
    "prog -u bob:hunter2x",
    "prog --user bob:hunter2x",
    "prog --user=bob:hunter2x",
    "prog -phunter2x",
    "prog -p hunter2x",
    "prog -k hunter2x",
    "prog --pw hunter2x",
    "prog --login=hunter2x",
    "prog --login hunter2x",
    "prog bob:hunter2x@host",
    "prog 'postgres://bob:hunter2x/y@host/db'",
    "prog accountKey=hunter2x",
    """prog '{"auth": {"bearer": "hunter2x"}}'""",
    """python3 -c "import os; os.environ['API_KEY']='hunter2x'" """,
    "prog '--api-key=a hunter2x'",
    "prog -H 'X-Api-Key: hunter2x'",
    "prog '--header=Authorization: Bearer hunter2x'",
    "prog --dbPassword hunter2x",
]


@pytest.mark.parametrize("command", INSIDE)
def test_secrets_within_words(command):
    assert "hunter2x" not in masked_command(command)
    assert any(secret.endswith("hunter2x") for secret in secrets_in_command(command)) or "/y@" in command


@pytest.mark.parametrize(
    "command",
    [
        "python -u my.py -p 8080 -k 10 --tokenizer cl100k --user bob",
        "sh -c 'cd /x && python my.py --model qwen3'",
        """prog '{"model": "qwen3", "max_tokens": 512}' --set=a.b=c""",
        "java -cp a.jar -port 80 -parallel x.Main monkey=1 keyboard: none",
        "prog --prompt 'Answer the question: who signed?' --auth --verbose",
    ],
)
def test_what_is_no_secret_stays(command):
    assert masked_command(command) == command
    assert not secrets_in_command(command)


def test_what_stands_around_a_secret_stays():
    assert masked_command("sh -c 'cd /x && K=1 prog --password hunter2 -v'") == (
        "sh -c 'cd /x && K=1 prog --password *** -v'"
    )
    assert masked_command("""p '{"api_key": "hunter2", "b": 2}'""") == """p '{"api_key": "***", "b": 2}'"""


@pytest.mark.parametrize("piece", ["a-", "a.", "key", "'", '"', "\\", "u:", "a=", "--key ", "Bearer ", "http:/", "-p"])
def test_a_very_long_command_is_masked_in_linear_time(piece):
    assert masked_command(f"prog {piece * 5_000}")


def test_addresses():
    assert masked_url("http://me:pw@host:80/p?a=b&c&d=") == "http://***@host:80/p?a=***&***&d"
    assert masked_url("http://host/p") == "http://host/p"


def test_names_and_failures_of_a_program(write):
    program = write("p.py", "import sys\nsys.exit(' '.join(sys.argv[1:]))\n")
    system = CommandSystem(f"python3 {program} --api-key hunter2secret", timeout=30)
    with pytest.raises(SystemFailure) as caught:
        system.ask(ASK)
    assert "hunter2secret" not in f"{system.name}{caught.value}{caught.value.args}"
    assert "--api-key ***" in str(caught.value.message)
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
    assert str(caught.value.message) == "the system answered with status 401: no such key: ***, ***, ***"
    assert caught.value.message.text("zh") == "系统返回状态码 401：no such key: ***, ***, ***"
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
    with pytest.raises(ConfigError, match="this is not a header name"):
        HttpSystem("http://127.0.0.1:9/", SystemSettings(headers={name: "x"}))


@pytest.mark.parametrize("port", [0, 65_536, 10**9])
def test_ports(port):
    with pytest.raises(ConfigError):
        HttpSystem(f"http://127.0.0.1:{port}/", SystemSettings())


def test_credentials_that_a_server_repeats(serve):
    echoed = b"Basic dTpodW50ZXIyeA== dTpodW50ZXIyeA hunter2y; hunter2z"
    url = serve(Answer(echoed, status=400)).url.replace("http://", "http://u:hunter2x@") + "/a;key=hunter2z?hunter2y"
    system = HttpSystem(url, SystemSettings())
    with pytest.raises(SystemFailure) as caught:
        system.ask(ASK)
    assert str(caught.value.message) == "the system answered with status 400: Basic *** *** ***; ***"
    assert system.name.endswith("/a;key=***")


def test_a_key_that_a_system_repeats_in_its_answer_is_masked(serve):
    answer = "serial sk-planted-1, hunter2-header"
    server = serve(Answer({"answer": answer, "citations": [{"page": 1, "text": answer}], "count": 12345678}))
    headers = {"X-Api-Key": "hunter2-header", "X-Token": "12345678"}
    record = HttpSystem(server.url, SystemSettings(headers=headers)).ask(ASK).record
    masked = "serial sk-planted-1, ***"
    assert (record["answer"], record["citations"][0]["text"]) == (masked, masked)
    server = serve(Answer({"choices": [{"message": {"content": answer}}]}))
    system = open_system(f"openai:m@{server.url}", SystemSettings(key="sk-planted-1"))
    assert system.ask(ASK).record["answer"] == answer.replace("sk-planted-1", "***")


@pytest.mark.parametrize("key", ["EMPTY", "abc", "contract", "x-1"])
def test_a_key_that_may_be_a_word_of_the_answer_leaves_it_alone(serve, key):
    answer = "the contract is EMPTY, abc, x-1; collection 20240101"
    server = serve(Answer({"choices": [{"message": {"content": answer}}]}))
    system = open_system(f"openai:m@{server.url}/?collection=20240101", SystemSettings(key=key))
    assert system.ask(ASK).record["answer"] == answer


@pytest.mark.parametrize(
    "url",
    [
        "http://u:hunter2/x@h/",
        "http://u:hunter2x#y@h/",
        "http:/u:hunter2x@h/echo",
        "http:///u:hunter2x@h/",
        "http://u:x?hunter2@h/",
        "http://u:hunter2x@[::1/",
        "http://u:hunter2x@h:port/",
        "http://u:hunter2x@a..b/",
        "http://[::1/",
        "http://xn--a/",
        "http://a..b/",
        "http://.x/",
        f"http://{'a' * 70}/",
        "http://\u2100/",
    ],
)
def test_what_is_no_address(url):
    for spec in (url, f"openai:model@{url}"):
        with pytest.raises(ConfigError) as caught:
            open_system(spec)
        assert "hunter2" not in str(caught.value)
        assert "not a valid address: " in str(caught.value) or "openai:MODEL@BASE_URL" in str(caught.value)
