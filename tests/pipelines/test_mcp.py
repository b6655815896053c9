"""Our servers over MCP, asked by clients that are not ours: Python's SDK, TypeScript's, and lines written by hand."""

import asyncio
import contextlib
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from pipelines.served import DEADLINE, SERVE, TOKEN, serving

import steelyard
from steelyard.cli import main
from steelyard.io.yamls import read_yaml
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NODE = ROOT / "tests" / "node"
PROGRAM = [sys.executable, "servers/evaluation/src/evaluation.py"]
TREC = {"run_path": "data/results.test", "qrels_path": "data/qrels.test"}
TOOLS = ["build", "evaluate", "evaluate_trec", "evaluate_trec_pvalue", "evaluate_legal"]


def ask(command, conversation, *, folder=ROOT, mode="auto"):
    """What a conversation with a server comes to, which a command starts; its standard error is dropped."""

    async def converse():
        started = StdioServerParameters(command=command[0], args=command[1:], cwd=folder)
        with open(os.devnull, "w", encoding="utf-8") as errors:
            async with Client(stdio_client(started, errors), mode=mode, read_timeout_seconds=DEADLINE) as client:
                return await conversation(client)

    return asyncio.run(converse())


@pytest.fixture(scope="module")
def evaluation():
    """A function that has a conversation with our evaluation server, one process over pipes for all of them."""
    started = StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], "evaluation"], cwd=ROOT)
    with open(os.devnull, "w", encoding="utf-8") as errors, start_blocking_portal() as portal:
        asked = Client(stdio_client(started, errors), read_timeout_seconds=DEADLINE)
        with portal.wrap_async_context_manager(asked) as client:
            yield lambda conversation: portal.call(conversation, client)


async def called(client, tool, arguments):
    """The object that a tool gives, which stands in the text of its answer and beside it."""
    given = await client.call_tool(tool, arguments)
    assert not given.is_error, given.content[0].text
    assert json.loads(given.content[0].text) == given.structured_content
    return given.structured_content


# --- Python's SDK ---


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("command", [[*SERVE, "evaluation"], PROGRAM], ids=["serve", "program"])
def test_tools_say_what_they_take(command, mode):
    async def conversation(client):
        return client.server_info, client.instructions, (await client.list_tools()).tools

    info, instructions, tools = ask(command, conversation, mode=mode)
    assert (info.name, info.version) == ("evaluation", steelyard.__version__)
    assert instructions.startswith("Evaluates retrieval-augmented generation.")
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert tool.description
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"
    assert tools[2].input_schema["required"] == ["run_path", "qrels_path"]


@pytest.mark.parametrize("name", sorted(path.parents[1].name for path in ROOT.glob("servers/*/src/*.py")))
def test_every_argument_of_every_server_is_described(name):
    from steelyard.pipelines.load import load_program
    from steelyard.pipelines.server import input_schema

    server = load_program(ROOT / "servers" / name / "src" / f"{name}.py")
    schemas = {tool.name: input_schema(tool)["properties"] for tool in server.tools.values()}
    bare = [
        f"{tool}.{argument}"
        for tool, properties in schemas.items()
        for argument, schema in properties.items()
        if not schema.get("description")
    ]
    assert bare == []
    assert all(tool.description for tool in server.tools.values())


def test_tools_weigh_as_the_library_does(evaluation):
    async def conversation(client):
        answers = {"pred_ls": ["被告应退还押金", "Paris", "Lyon"], "gt_ls": [["退还押金"], ["Paris"], ["Paris"]]}
        runs = {"run_new_path": "data/run_a.txt", "run_old_path": "data/run_b.txt", "qrels_path": "data/qrels.txt"}
        return (
            await called(client, "evaluate", {**answers, "metrics": ["acc", "em"]}),
            await called(client, "evaluate_trec", {**TREC, "metrics": ["map", "ndcg"], "ks": [10]}),
            await called(client, "evaluate_trec_pvalue", {**runs, "metrics": "map", "n_resamples": 1000}),
        )

    answers, ranking, verdict = (result["eval_res"] for result in evaluation(conversation))
    assert (answers["acc"], answers["em"]) == ([1.0, 1.0, 0.0], [0.0, 1.0, 0.0])
    assert answers["avg_acc"] == pytest.approx(2 / 3)
    table = steelyard.evaluate_retrieval(ROOT / "data/qrels.test", ROOT / "data/results.test", ["AP", "nDCG@10"])
    assert (ranking["map"], ranking["ndcg@10"]) == (table.mean("AP"), table.mean("nDCG@10"))
    assert ranking["counts"]["judged queries"] == 3
    # no flip of signs is as extreme as the observed one: (0 + 1) / (1000 + 1)
    assert verdict["map"]["p_value"] == 1 / 1001
    assert verdict["map"]["significant"] is True
    assert verdict["map"]["diff"] == verdict["map"]["A_mean"] - verdict["map"]["B_mean"]


def test_the_oracle_of_the_legal_benchmark_is_perfect_over_mcp_too(evaluation):
    benchmark = load_benchmark(benchmark_folder())
    gold = {
        question.about.id: question.gold_record(benchmark.documents[question.about.document])
        for question in benchmark.questions
    }

    async def conversation(client):
        return await called(client, "evaluate_legal", {"id_ls": list(gold), "pred_ls": list(gold.values())})

    result = evaluation(conversation)["eval_res"]
    assert result["ids"] == list(gold)
    assert set(result["legal"]) == {1.0}
    assert result["avg_legal"] == 1.0


HINT = "hint: arguments: run_path, qrels_path, metrics, ks, save_path; required: run_path, qrels_path"
PAIR = {"run_new_path": "data/run_a.txt", "run_old_path": "data/run_b.txt", "qrels_path": "data/qrels.txt"}
MISTAKES = [
    ("evaluate_trec", {"run_path": "x"}, f"evaluate_trec: 'qrels_path' is a required property\n{HINT}"),
    (
        "evaluate_trec",
        {**TREC, "kz": [1]},
        f"evaluate_trec has no argument 'kz'\n{HINT}",
    ),
    ("evaluate_trec", {**TREC, "run_path": 3}, f"evaluate_trec: run_path must be text, not 3\n{HINT}"),
    ("evaluate_trec", {**TREC, "ks": [0]}, "a cutoff in ks must be an integer of at least 1, not 0"),
    ("evaluate_trec", {**TREC, "ks": []}, "ks must be a list of cutoffs, not []\nhint: for example [5, 10]"),
    ("evaluate_trec", {**TREC, "metrics": ["nddcg"]}, "no metric is called 'nddcg'\nhint: did you mean 'ndcg'?"),
    ("evaluate_trec", {**TREC, "run_path": "none.txt"}, "none.txt: no such file"),
    ("evaluate_trec_pvalue", {**PAIR, "n_resamples": -5}, "n_resamples must be an integer of at least 1, not -5"),
    ("evaluate", {"pred_ls": ["a"], "gt_ls": [["a"], ["b"]]}, "1 answer in pred_ls, 2 references in gt_ls"),
    ("evaluate_legal", {"id_ls": ["x", "y"], "pred_ls": ["a"]}, "2 ids in id_ls, 1 answer in pred_ls"),
    ("evaluat", {}, "no tool is called 'evaluat'\nhint: did you mean 'evaluate'?"),
    ("build", {}, "parameter_file must be the path of a file, not None"),
]


def test_mistakes_are_told_and_the_server_lives_on(evaluation):
    async def error_text(client, tool, arguments):
        try:
            given = await client.call_tool(tool, arguments)
        except MCPError as error:
            return f"error of the protocol: {error}"
        return given.content[0].text if given.is_error else "no error"

    async def conversation(client):
        result = [await error_text(client, tool, arguments) for tool, arguments, _ in MISTAKES]
        return result, await called(client, "evaluate", {"pred_ls": ["a"], "gt_ls": [["a"]], "metrics": ["em"]})

    result, after = evaluation(conversation)
    assert result == [message for _, _, message in MISTAKES]
    assert after["eval_res"]["avg_em"] == 1.0


def test_prompts_take_lists_as_json(tmp_path):
    async def conversation(client):
        listed = (await client.list_prompts()).prompts
        arguments = {"q_ls": '["谁应退还押金？", "Who?"]', "template": "prompt/qa_boxed.jinja"}
        given = await client.get_prompt("qa_boxed", arguments)
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("qa_boxed", {**arguments, "template": "prompt/none.jinja"})
        return listed, given.messages, str(caught.value)

    listed, messages, mistake = ask([*SERVE, "prompt"], conversation, folder=tmp_path)
    boxed = next(prompt for prompt in listed if prompt.name == "qa_boxed")
    assert [argument.name for argument in boxed.arguments] == ["q_ls", "template", "escape"]
    assert boxed.arguments[0].required
    assert all(argument.description for prompt in listed for argument in prompt.arguments)
    assert [message.role for message in messages] == ["user", "user"]
    assert ["谁应退还押金？" in messages[0].content.text, "Who?" in messages[1].content.text] == [True, True]
    assert "none.jinja" in mistake


SLOW = """
import os
import subprocess
import sys
import time
from typing import Annotated

from steelyard.pipelines.server import Server, progress

app = Server("slow", __file__)


@app.tool("seconds->slept")
def sleep(seconds: Annotated[float, "how long"]) -> dict[str, float]:
    "Sleep, and count the tenths."
    tenths = round(seconds * 10)
    for done in range(tenths):
        progress(done, tenths)
        time.sleep(0.1)
    return {"slept": seconds}


@app.tool("->line")
def babble() -> dict[str, str]:
    "Print, as a library that knows no better."
    print("loading …", flush=True)
    os.write(1, b"from below\\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    return {"line": sys.stdin.read()}


@app.tool("->done")
def die() -> dict[str, str]:
    "Fail as a program fails."
    raise ZeroDivisionError("a bug of the tool")


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def slow(tmp_path):
    """The command that starts a server of somebody's own."""
    program = tmp_path / "servers" / "slow" / "src" / "slow.py"
    program.parent.mkdir(parents=True)
    program.write_text(SLOW, encoding="utf-8")
    return [sys.executable, str(program)]


def test_a_long_call_says_how_far_it_is(slow):
    notices = []

    async def hear(done, total, message):
        notices.append((done, total, message))

    async def conversation(client):
        return await client.call_tool("sleep", {"seconds": 2.5}, progress_callback=hear)

    assert ask(slow, conversation).structured_content == {"slept": 2.5}
    assert [done for done, _, _ in notices[:2]] == [1.0, 2.0]  # a busy machine may send more
    counts = [int(re.fullmatch(r"sleep: (\d+) of 25", message)[1]) for _, _, message in notices]
    assert 0 < counts[0] < counts[1] < 25


def test_a_tool_that_prints_does_not_break_the_stream(slow):
    async def conversation(client):
        return [await called(client, "babble", {}) for _ in range(2)]

    assert ask(slow, conversation) == [{"line": ""}, {"line": ""}]


def test_a_tool_with_a_bug_does_not_end_its_server(slow):
    async def conversation(client):
        with contextlib.suppress(MCPError):
            assert (await client.call_tool("die", {})).is_error
        return await called(client, "sleep", {"seconds": 0})

    assert ask(slow, conversation) == {"slept": 0}


def test_calls_do_not_wait_for_each_other(slow):
    order = []

    async def conversation(client):
        async def sleep(seconds):
            await client.call_tool("sleep", {"seconds": seconds})
            order.append(seconds)

        await asyncio.gather(sleep(1.5), sleep(0.1))

    ask(slow, conversation)
    assert order == [0.1, 1.5]


# --- what the documentation shows ---

PAGES = [ROOT / "docs" / language / "guides" / "pipelines.md" for language in ("en", "zh")]


def test_the_server_of_the_documentation_works(tmp_path):
    (program,) = re.findall(r"```py\n(.*?)```", PAGES[0].read_text("utf-8"), re.DOTALL)
    path = tmp_path / "servers" / "wordcount" / "src" / "wordcount.py"
    path.parent.mkdir(parents=True)
    path.write_text(program, encoding="utf-8")

    async def conversation(client):
        return await called(client, "count", {"ans_ls": ["a long word", ""], "shortest": 2})

    assert ask([*SERVE, str(path.parents[1])], conversation) == {"count_ls": [2, 0]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parts[-3])
def test_the_settings_of_the_documentation_work(page):
    local, far = (
        json.loads(block)["mcpServers"]["steelyard"]
        for block in re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    )
    assert [local["command"], *local["args"]] == ["steelyard", "serve", "evaluation"]
    assert far["headers"] == {"Authorization": "Bearer ${STEELYARD_TOKEN}"}


# --- streamable HTTP ---


@pytest.fixture(scope="module")
def open_address():
    with serving("evaluation", "--http", "127.0.0.1:0") as served:
        yield served.address


@pytest.fixture(scope="module")
def guarded_address():
    with serving("evaluation", "--http", "127.0.0.1:0", "--token", TOKEN) as served:
        yield served.address


async def weigh(client):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    given = await called(client, "evaluate_trec", {**TREC, "metrics": ["map"]})
    return tools, given["eval_res"]["map"]


EXPECTED = (TOOLS, 0.40488070571403906)  # map of trec_eval's test files, as test_tools_weigh_as_the_library_does has it


def test_many_answers_fit_into_one_call(open_address):
    count, text = 5000, "原文" * 200

    async def converse():
        async with Client(open_address) as client:
            arguments = {"pred_ls": [text] * count, "gt_ls": [[text]] * count, "metrics": ["em"]}
            return await called(client, "evaluate", arguments)

    assert asyncio.run(converse())["eval_res"]["em"] == [1.0] * count


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http(open_address, mode):
    async def converse():
        async with Client(open_address, mode=mode) as client:
            return await weigh(client)

    assert asyncio.run(converse()) == EXPECTED


def test_with_a_token(guarded_address):
    async def converse():
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(streamable_http_client(guarded_address, http_client=http)) as client,
        ):
            return await weigh(client)

    assert asyncio.run(converse()) == EXPECTED


INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "mcp", "version": "0.1.0"},
    },
}


def post(address, **headers):
    accepted = {"Accept": "application/json, text/event-stream", **headers}
    with httpx2.Client() as http:
        return http.post(address, headers=accepted, json=INITIALIZE)


@pytest.mark.parametrize(
    "brought", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", f"bearer  {TOKEN}"]
)
def test_without_the_token_nobody_comes_in(guarded_address, brought):
    answer = post(guarded_address, **({"Authorization": brought} if brought else {}))
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert answer.text == "a bearer token is needed\n"


def test_the_name_of_the_scheme_has_any_case(guarded_address):
    assert [
        post(guarded_address, Authorization=f"{scheme} {TOKEN}").status_code for scheme in ("bearer", "BEARER")
    ] == [
        200,
        200,
    ]


def test_a_body_that_is_announced_as_too_large_is_refused_at_once(open_address):
    parts = urlsplit(open_address)
    head = f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Length: {10**12}\r\n\r\n"
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(head.encode())
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413 ")


def test_a_page_elsewhere_cannot_reach_a_server_on_this_machine(open_address):
    assert post(open_address).status_code == 200
    assert post(open_address, Host="evil.example").status_code == 421
    assert post(open_address, Origin="https://evil.example").status_code == 403


def test_an_address_that_others_reach_needs_a_token(capsys, monkeypatch):
    monkeypatch.delenv("STEELYARD_TOKEN", raising=False)
    for host in ("0.0.0.0", "192.0.2.1", "example.com"):
        assert main(["serve", "evaluation", "--http", f"{host}:0"]) == 2
        assert capsys.readouterr().err == (
            f"--http: {host} can be reached from other machines: a token is needed\n"
            "hint: set STEELYARD_TOKEN to a long random text, or use --token; "
            "clients send it as: Authorization: Bearer TOKEN\n"
        )


@pytest.mark.parametrize("text", ["", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999", "a:-1"])
def test_what_is_no_address(capsys, text):
    assert main(["serve", "evaluation", "--http", text]) == 2
    assert capsys.readouterr().err == (
        f"--http: an address must be HOST:PORT, not {text!r}\n"
        "hint: for example --http 127.0.0.1:8080; port 0 selects a free port\n"
    )


def test_a_server_that_does_not_exist(capsys):
    assert main(["serve", "evaluaton"]) == 2
    assert capsys.readouterr().err == "no server is called 'evaluaton'\nhint: did you mean 'evaluation'?\n"


@pytest.mark.parametrize("name", ["prompt", "benchmark"])
def test_a_folder_of_the_same_name_does_not_hide_a_server(name):
    assert (ROOT / name).is_dir()
    done = subprocess.run(
        [*SERVE, name], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_port_that_is_taken(open_address):
    port = open_address.removesuffix("/mcp").rpartition(":")[2]
    words = [*SERVE, "evaluation", "--http", f"127.0.0.1:{port}"]
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("--http: ")
    assert "Traceback" not in done.stderr


def test_an_address_of_the_sixth_version_is_one_that_can_be_called():
    with serving("sayhello", "--http", "[::1]:0") as served:
        assert re.fullmatch(r"http://\[::1\]:\d+/mcp", served.address)
        assert post(served.address).status_code == 200


# --- lines written by hand, as UltraRAG's client writes them ---


class Wire:
    """JSON-RPC over the standard input and output of a server, line by line."""

    def __init__(self, process):
        self.process = process
        self._lines: queue.Queue[Any] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._number = 0

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))

    def tell(self, method, parameters=None):
        self._write({"jsonrpc": "2.0", "method": method, **({"params": parameters} if parameters else {})})

    def ask(self, method, parameters=None):
        """The answer to a request; what the server tells in between is passed over."""
        self._number += 1
        asked = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self._write({**asked, **({"params": parameters} if parameters is not None else {})})
        while True:
            result = self._lines.get(timeout=DEADLINE)
            if result.get("id") == self._number:
                return result

    def close(self):
        """Close the server's input, and give its exit code."""
        self.process.stdin.close()
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        return code

    def _write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@contextlib.contextmanager
def wired(command, folder=ROOT):
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        wire = Wire(process)
        try:
            yield wire
        finally:
            if process.poll() is None:
                process.kill()
                wire.close()


def greeted(wire, version="2025-11-25"):
    answer = wire.ask("initialize", {**INITIALIZE["params"], "protocolVersion": version})
    wire.tell("notifications/initialized")
    return answer["result"]


@pytest.fixture
def project(tmp_path):
    """A folder with a copy of our server, as a project of UltraRAG has it."""
    shutil.copytree(ROOT / "servers" / "evaluation", tmp_path / "servers" / "evaluation")
    return tmp_path


BUILD = {
    "name": "build",
    "arguments": {"parameter_file": "servers/evaluation/parameter.yaml"},
    "_meta": {"progressToken": 1},
}
ARGUMENTS = {"pred_ls": ["Paris"], "gt_ls": [["Paris"]], "metrics": ["em"], "save_path": None, "profile": "steelyard"}


def test_ultrarag_builds_and_runs_our_server(project):
    with wired(PROGRAM, project) as wire:
        assert greeted(wire)["protocolVersion"] == "2025-11-25"
        assert wire.ask("tools/call", BUILD)["result"] == {
            "content": [],
            "structuredContent": {"result": None},
            "isError": False,
        }
        tools = {tool["name"]: tool for tool in wire.ask("tools/list")["result"]["tools"]}
        answer = wire.ask("tools/call", {"name": "evaluate", "arguments": ARGUMENTS})["result"]
        assert wire.ask("ping")["result"] == {}
        assert wire.close() == 0
    assert list(tools) == TOOLS
    annotation = "pred_ls,gt_ls,metrics,save_path,profile,id_ls,memory_q_ls,ret_psg->eval_res"
    assert tools["evaluate"]["annotations"]["output"] == annotation
    assert json.loads(answer["content"][0]["text"])["eval_res"]["avg_em"] == 1.0
    assert answer["isError"] is False
    assert read_yaml(project / "servers/evaluation/server.yaml").plain() == SERVER_FILE


SERVER_FILE = {
    "path": "servers/evaluation/src/evaluation.py",
    "parameter": "servers/evaluation/parameter.yaml",
    "tools": {
        "evaluate": {
            "input": {
                "pred_ls": "pred_ls",
                "gt_ls": "gt_ls",
                "metrics": "$metrics",
                "save_path": "$save_path",
            },
            "output": ["eval_res"],
        },
        "evaluate_trec": {
            "input": {
                "run_path": "$run_path",
                "qrels_path": "$qrels_path",
                "metrics": "$ir_metrics",
                "ks": "$ks",
                "save_path": "$save_path",
            },
            "output": ["eval_res"],
        },
        "evaluate_trec_pvalue": {
            "input": {
                "run_new_path": "$run_new_path",
                "run_old_path": "$run_old_path",
                "qrels_path": "$qrels_path",
                "metrics": "$ir_metrics",
                "ks": "$ks",
                "n_resamples": "$n_resamples",
                "save_path": "$save_path",
            },
            "output": ["eval_res"],
        },
        "evaluate_legal": {
            "input": {
                "id_ls": "id_ls",
                "pred_ls": "pred_ls",
                "legal_path": "$legal_path",
                "save_path": "$save_path",
            },
            "output": ["eval_res"],
        },
    },
    "prompts": {},
}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18"])
def test_older_versions_of_the_protocol(version):
    with wired([*SERVE, "evaluation"]) as wire:
        assert greeted(wire, version)["protocolVersion"] == version
        answer = wire.ask("tools/call", {"name": "evaluate", "arguments": ARGUMENTS})["result"]
        assert json.loads(answer["content"][0]["text"])["eval_res"]["em"] == [1.0]
        assert wire.ask("tools/none")["error"]["code"] == -32601
        assert wire.close() == 0


def test_a_line_that_is_no_message_is_survived():
    with wired([*SERVE, "sayhello"]) as wire:
        greeted(wire)
        wire.process.stdin.write("hello?\n[]\n\n")
        answer = wire.ask("tools/call", {"name": "greet", "arguments": {"name": "杆秤"}})["result"]
        assert json.loads(answer["content"][0]["text"]) == {"msg": "Hello, 杆秤!"}
        assert wire.close() == 0


# --- TypeScript's SDK ---


@pytest.fixture(scope="module")
def node():
    """The command that runs our client of the TypeScript SDK."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (NODE / "node_modules").is_dir():
        pytest.skip("the TypeScript SDK is not installed: npm ci --prefix tests/node")
    return ["node", str(NODE / "client.mjs")]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_typescript_sdk(node, guarded_address, transport):
    words = [guarded_address] if transport == "http" else [*SERVE, "evaluation"]
    done = subprocess.run(
        [*node, *words],
        cwd=ROOT,
        env={**os.environ, "TOKEN": TOKEN},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["server"] == {"name": "evaluation", "version": steelyard.__version__}
    assert [tool["name"] for tool in result["tools"]] == TOOLS
    assert result["answers"]["structuredContent"]["eval_res"]["acc"] == [1, 1]
    assert result["answers"]["structuredContent"]["eval_res"]["em"] == [0, 1]
    ranking = json.loads(result["ranking"]["content"][0]["text"])["eval_res"]
    assert ranking["map"] == EXPECTED[1]
    assert result["wrong"]["isError"] is True
    assert result["wrong"]["content"][0]["text"] == f"evaluate_trec: 'qrels_path' is a required property\n{HINT}"


def test_the_lock_names_no_registry():
    text = (NODE / "package-lock.json").read_text("utf-8")
    assert "resolved" not in text
    assert "http" not in re.sub(r'"http-errors"|node_modules/http-errors', "", text)
    assert text.count('"integrity"') == text.count('"node_modules/')
