"""The MCP client with servers of others: their results, and the message if one ends, hangs or prints to stdout."""

import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from pipelines.served import TOKEN, serving

from steelyard.cli import main
from steelyard.errors import SystemFailure
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.client import Endpoint, ServerPool

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("plain_server.py")
DEADLINE = 10.0
NOISE_HINT = "hint: only MCP messages may be printed there: let the server print to standard error"
NOISY = "the server 'plain' printed to its standard output"
DEAD_HINT = "hint: run its program manually to see the cause"
SLOW_HINT = "hint: allow it more time with --timeout"


class CommandResult(NamedTuple):
    """What a command gave: its exit code, and what it printed, without the moment in names of files."""

    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with one foreign server, which is the current one; `python` is the one that runs the tests."""
    settle(tmp_path, "plain")
    (tmp_path / "log").mkdir()
    monkeypatch.setenv("PLAIN_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def steelyard(capsys):
    """Run a command."""

    def run(*words):
        code = main(words)
        out, err = capsys.readouterr()
        return CommandResult(code, out, re.sub(r"_\d{8}_\d{6}(-\d+)?\.json", "_TIME.json", err))

    return run


def settle(folder, name):
    (folder / "servers" / name / "src").mkdir(parents=True)
    shutil.copy(PROGRAM, folder / "servers" / name / "src" / f"{name}.py")
    (folder / "servers" / name / "parameter.yaml").write_text("mark: '!'\nstyle: short\n")


def write(here, *steps, servers="  plain: servers/plain"):
    lines = "".join(f"- {step}\n" for step in steps)
    (here / "p.yaml").write_text(f"servers:\n{servers}\npipeline:\n{lines}")


def moments(here, name, moment):
    """The ids and times that a server has left."""
    path = here / "log" / f"{name}.{moment}"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(line.split()[0]), float(line.split()[1])) for line in lines]


def assert_all_gone(here):
    """Every server that was started has ended."""
    started = [moment for path in (here / "log").glob("*.started") for moment in moments(here, path.stem, "started")]
    assert started
    deadline = time.monotonic() + DEADLINE
    while any(Path(f"/proc/{number}").exists() for number, _ in started):
        assert time.monotonic() < deadline, "a server outlived the command"
        time.sleep(0.02)


def snapshot_steps(here):
    (snapshot,) = (here / "output").glob("memory__p_*.json")
    return [call["step"] for call in json.loads(snapshot.read_text())]


# --- what they offer ---


def test_building_asks_a_foreign_server(here, steelyard):
    write(here, "plain.make", "plain.shout", "plain.ask")
    result = steelyard("build", "p.yaml")
    assert result == (0, "", "written: parameters/p_parameter.yaml\nwritten: server/p_server.yaml\n")
    assert read_yaml(here / "servers/plain/server.yaml").plain()["path"] == "servers/plain/src/plain.py"
    assert read_yaml(here / "parameters/p_parameter.yaml").plain() == {"plain": {"mark": "!", "style": "short"}}
    assert read_yaml(here / "server/p_server.yaml").plain() == {
        "plain": {
            "tools": {
                "make": {"input": {}, "output": ["xs"]},
                "shout": {"input": {"xs": "xs", "mark": "$mark"}, "output": ["ys"]},
            },
            "prompts": {"ask": {"input": {"xs": "xs", "style": "$style"}, "output": ["prompt_ls"]}},
            "parameter": "servers/plain/parameter.yaml",
            "path": "servers/plain/src/plain.py",
        }
    }
    assert_all_gone(here)


def test_a_run_after_building_uses_the_edited_parameters(here, steelyard):
    write(here, "plain.make", "plain.shout")
    steelyard("build", "p.yaml")
    (here / "parameters/p_parameter.yaml").write_text("plain: {mark: '？'}\n")
    assert steelyard("run", "p.yaml", "--json") == (
        0,
        '{"ys": ["a？", "乙？"]}\n',
        "snapshot: output/memory__p_TIME.json\n",
    )
    assert_all_gone(here)


def test_a_run_needs_no_building(here, steelyard):
    write(here, "plain.make", "plain.shout")
    assert steelyard("run", "p.yaml", "--json").out == '{"ys": ["a!", "乙!"]}\n'
    assert not (here / "server").exists()
    assert (here / "servers/plain/server.yaml").exists()


def test_an_edited_server_file_is_trusted(here, steelyard):
    write(here, "plain.make", "plain.act")
    steelyard("build", "p.yaml")
    assert steelyard("run", "p.yaml", "--json").out == '{"done": 2}\n'
    file = here / "server/p_server.yaml"
    file.write_text(file.read_text().replace("- done\n", "- done\n      - extra\n"))
    assert steelyard("run", "p.yaml", "--json").out == '{"done": 2, "extra": "more"}\n'


def test_a_server_without_a_build_tool_is_known_by_its_list(here, steelyard, monkeypatch):
    monkeypatch.setenv("MODE_OF_plain", "listed")
    write(here, "plain.make", "plain.shout", "plain.ask", "plain.look")
    seen = json.loads(steelyard("run", "p.yaml", "--json").out)["seen"]
    assert [message["content"]["text"] for message in seen] == ['{"xs": "[\\"a\\", \\"乙\\"]"}', "a", "乙"]
    assert not (here / "servers/plain/server.yaml").exists()
    assert steelyard("build", "p.yaml").code == 0
    tools = read_yaml(here / "server/p_server.yaml").plain()["plain"]["tools"]
    assert tools["shout"] == {"input": {"xs": "xs", "mark": "$mark"}, "output": ["ys"]}
    assert steelyard("run", "p.yaml", "--json").code == 0
    assert_all_gone(here)


def test_an_unknown_tool_offers_the_nearest(here, steelyard):
    write(here, "plain.mke")
    result = steelyard("run", "p.yaml")
    assert result == (2, "", "p.yaml:4: no tool is called 'mke'\nhint: did you mean 'make'?\n")
    assert_all_gone(here)


def test_prompts_take_texts_and_their_messages_reach_the_next_tool(here, steelyard):
    write(here, "plain.make", "plain.ask", "plain.look")
    first = json.dumps({"xs": '["a", "乙"]', "style": "short"}, ensure_ascii=False)
    messages = [{"role": "user", "content": {"type": "text", "text": text}} for text in (first, "a", "乙")]
    assert json.loads(steelyard("run", "p.yaml", "--json").out) == {"seen": messages}
    # in the snapshot, which people read, they are texts
    (snapshot,) = (here / "output").glob("memory__p_*.json")
    assert json.loads(snapshot.read_text())[1]["memory"] == {"memory_prompt_ls": [first, "a", "乙"]}


# --- what goes wrong ---

AT_START = {
    "die at start": (
        "p.yaml:2: the server 'plain' ended before it answered (start): "
        f"ModuleNotFoundError: No module named 'faiss'\n{DEAD_HINT}\n"
    ),
    "die in silence": (
        f"p.yaml:2: the server 'plain' ended before it answered (start): it printed no error\n{DEAD_HINT}\n"
    ),
    "hang at start": f"p.yaml:2: the server 'plain' did not answer in time (start)\n{SLOW_HINT}\n",
}
IN_A_CALL = {
    "die in a call": f": the server 'plain' ended before it answered (act): out of memory\n{DEAD_HINT}\n",
    "hang in a call": f": the server 'plain' did not answer in time (act)\n{SLOW_HINT}\n",
    "no JSON": f": {NOISY}: '42 is the answer', and did not answer in time (act)\n{NOISE_HINT}\n",
    "no message": f": {NOISY}: '{{\"answer\": 42}}', and did not answer in time (act)\n{NOISE_HINT}\n",
    "JSON-RPC error": ": the server 'plain' failed (act): no such index\n",
    "error": ": the index is empty\n",
    "silent error": ": the server reported a failure without a message\n",
    "text": ": the answer is not JSON: 'all done, 完成'\n",
    "list": " returned list, not an object\n",
    "too little": " did not return 'done'\n",
}


def patience(mode):
    """Where nothing hangs, nothing should be waited for."""
    return "2" if mode.startswith(("hang", "no ")) else "60"


@pytest.mark.parametrize("mode", AT_START)
def test_a_server_that_does_not_start(here, steelyard, monkeypatch, mode):
    write(here, "plain.make", "plain.act")
    monkeypatch.setenv("MODE_OF_plain", mode)
    result = steelyard("run", "p.yaml", "--timeout", patience(mode))
    assert result == (3, "", AT_START[mode])
    assert not list(here.glob("output/*"))
    assert_all_gone(here)


def test_a_server_that_does_not_start_cannot_be_built(here, steelyard, monkeypatch):
    write(here, "plain.make")
    monkeypatch.setenv("MODE_OF_plain", "die at start")
    assert steelyard("build", "p.yaml") == (3, "", AT_START["die at start"])
    assert not (here / "server").exists()
    assert_all_gone(here)


@pytest.mark.parametrize("mode", IN_A_CALL)
def test_a_server_that_fails_in_a_call(here, steelyard, monkeypatch, mode):
    write(here, "plain.make", "plain.act")
    monkeypatch.setenv("MODE_OF_plain", mode)
    result = steelyard("run", "p.yaml", "--timeout", patience(mode))
    command = f"steelyard run p.yaml --resume --timeout {patience(mode)}"
    expected = f"snapshot: output/memory__p_TIME.json\nresume with: {command}\n"
    assert result == (3, "", f"{expected}p.yaml:5: plain.act{IN_A_CALL[mode]}")
    assert snapshot_steps(here) == ["plain.make"]
    assert_all_gone(here)


@pytest.mark.parametrize(("mode", "line"), [("noise", "loading weights …"), ("noise at start", "Welcome!")])
def test_prints_between_messages_are_passed_over_with_one_warning(here, steelyard, monkeypatch, mode, line):
    write(here, "plain.make", "plain.act", "plain.act")
    monkeypatch.setenv("MODE_OF_plain", mode)
    result = steelyard("run", "p.yaml", "--timeout", "60", "--json")
    assert (result.code, result.out) == (0, '{"done": 2}\n')
    warning = f"{NOISY}: {line!r} (ignored; {NOISE_HINT.removeprefix('hint: ')})\n"
    assert result.err == f"{warning}snapshot: output/memory__p_TIME.json\n"
    assert_all_gone(here)


def test_a_run_that_a_dead_server_ended_goes_on(here, steelyard, monkeypatch):
    write(here, "plain.make", "plain.ask", "plain.act", "plain.look")
    monkeypatch.setenv("MODE_OF_plain", "die in a call")
    assert steelyard("run", "p.yaml").code == 3
    monkeypatch.setenv("MODE_OF_plain", "")
    result = steelyard("run", "p.yaml", "--resume", "--json")
    assert result.code == 0
    assert [message["content"]["text"] for message in json.loads(result.out)["seen"]][1:] == ["a", "乙"]
    assert snapshot_steps(here) == ["plain.make", "plain.ask", "plain.act", "plain.look"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_a_time_that_is_none(here, steelyard, seconds):
    write(here, "plain.make")
    with pytest.raises(SystemExit) as ended:
        steelyard("run", "p.yaml", f"--timeout={seconds}")
    assert ended.value.code == 2


# --- several, ours, and far ones ---


def test_servers_start_together(here, steelyard, monkeypatch):
    settle(here, "other")
    monkeypatch.setenv("PLAIN_DELAY", "1")
    write(here, "plain.make", "other.act", servers="  plain: servers/plain\n  other: servers/other")
    assert steelyard("run", "p.yaml", "--json").out == '{"done": 2}\n'
    started = [moments(here, name, "started")[0][1] for name in ("plain", "other")]
    ready = [moments(here, name, "ready")[0][1] for name in ("plain", "other")]
    assert max(started) < min(ready)
    assert_all_gone(here)


def test_one_that_fails_ends_the_others(here, steelyard, monkeypatch):
    settle(here, "other")
    monkeypatch.setenv("MODE_OF_other", "die at start")
    write(here, "plain.make", "other.act", servers="  plain: servers/plain\n  other: servers/other")
    result = steelyard("run", "p.yaml")
    assert result == (3, "", AT_START["die at start"].replace("p.yaml:2", "p.yaml:3").replace("plain", "other"))
    assert_all_gone(here)


WHO = """
import os
from steelyard.pipelines.server import Server

app = Server("who", __file__)


@app.tool("->number")
def am_i() -> dict[str, int]:
    return {"number": os.getpid()}


if __name__ == "__main__":
    app.run()
"""


def test_isolated_means_another_process(here, steelyard):
    (here / "servers/who/src").mkdir(parents=True)
    (here / "servers/who/src/who.py").write_text(WHO)
    write(here, "who.am_i", servers="  who: servers/who")
    assert json.loads(steelyard("run", "p.yaml", "--json").out) == {"number": os.getpid()}
    isolated = json.loads(steelyard("run", "p.yaml", "--json", "--isolated").out)["number"]
    assert isolated != os.getpid()
    assert not Path(f"/proc/{isolated}").exists()


def test_isolated_gives_the_same(here, steelyard):
    for folder in ("examples", "data"):
        shutil.copytree(ROOT / folder, here / folder)
    within = steelyard("run", "examples/eval_trec.yaml", "--json")
    apart = steelyard("run", "examples/eval_trec.yaml", "--json", "--isolated")
    assert (within.code, apart.code) == (0, 0)
    results = [json.loads(run.out)["eval_res"] for run in (apart, within)]
    assert results[0] == results[1]
    assert json.loads(apart.out)["eval_res"]["map"] > 0
    assert len(list(here.glob("output/evaluate_results_*.json"))) == 2


WITH_DEFAULT = """
from steelyard.pipelines.server import Server

app = Server("toy", __file__)


@app.tool("mark->marks")
def twice(mark: str = "!") -> dict[str, str]:
    return {"marks": mark * 2}
"""


def test_an_argument_with_a_default_needs_nothing_after_building_too(here, steelyard):
    (here / "servers/toy/src").mkdir(parents=True)
    (here / "servers/toy/src/toy.py").write_text(WITH_DEFAULT)
    write(here, "toy.twice", servers="  toy: servers/toy")
    assert steelyard("run", "p.yaml", "--json").out == '{"marks": "!!"}\n'
    assert steelyard("build", "p.yaml").code == 0
    assert steelyard("run", "p.yaml", "--json").out == '{"marks": "!!"}\n'


@pytest.fixture(scope="module")
def far():
    """The address of a server of ours that wants a token."""
    with serving("evaluation", "--http", "127.0.0.1:0", "--token", TOKEN) as served:
        yield served.address


HEADERS = '{Authorization: "Bearer ${SOME_VARIABLE}"}'


@pytest.fixture
def reached(here, far):
    """A pipeline that weighs a run by a server at an address."""
    write(here, "evaluation.evaluate_trec", servers=f"  evaluation:\n    path: {far}\n    headers: {HEADERS}")
    (here / "parameters").mkdir()
    (here / "parameters/p_parameter.yaml").write_text(
        f"evaluation: {{run_path: {ROOT}/data/results.test, qrels_path: {ROOT}/data/qrels.test, ir_metrics: [map]}}\n"
    )
    return here


def test_a_server_at_an_address(reached, steelyard, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", TOKEN)
    result = steelyard("run", "p.yaml", "--json")
    assert result.code == 0
    assert json.loads(result.out)["eval_res"]["map"] > 0


def test_a_server_at_an_address_can_be_built(reached, steelyard, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", TOKEN)
    before = steelyard("run", "p.yaml", "--json")
    assert steelyard("build", "p.yaml").code == 0
    assert TOKEN not in (reached / "server/p_server.yaml").read_text()
    assert steelyard("run", "p.yaml", "--json") == before


def test_a_folder_may_hold_nothing_but_an_address(here, far, steelyard, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", TOKEN)
    (here / "servers/far").mkdir()
    (here / "servers/far/parameter.yaml").write_text(
        f"path: {far}\nheaders: {HEADERS}\n"
        f"run_path: {ROOT}/data/results.test\nqrels_path: {ROOT}/data/qrels.test\nir_metrics: [map]\n"
    )
    write(here, "far.evaluate_trec", servers="  far: servers/far")
    before = steelyard("run", "p.yaml", "--json")
    assert before.code == 0
    assert steelyard("build", "p.yaml").code == 0
    after = steelyard("run", "p.yaml", "--json")
    assert (after.code, after.out) == (0, before.out)


def test_a_variable_that_is_not_set(reached, steelyard, monkeypatch):
    monkeypatch.delenv("SOME_VARIABLE", raising=False)
    result = steelyard("run", "p.yaml")
    assert result == (2, "", "p.yaml:3: the environment variable SOME_VARIABLE is not set\n")


def test_a_wrong_token_is_told_as_such(reached, steelyard, monkeypatch):
    monkeypatch.setenv("SOME_VARIABLE", "guess")
    result = steelyard("run", "p.yaml")
    assert result.code == 3
    assert result.err.startswith("p.yaml:3: the server 'evaluation' failed (start): ")
    assert "HTTP 401 Unauthorized\nhint: add its token to the pipeline" in result.err


def test_an_address_where_nobody_answers(here, steelyard):
    write(here, "far.evaluate_trec", servers="  far: http://127.0.0.1:9/mcp")
    result = steelyard("run", "p.yaml")
    expected = (
        "p.yaml:2: the server 'far' cannot be reached at http://127.0.0.1:9/mcp: All connection attempts failed\nhint: "
    )
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith(expected)


def test_a_far_server_that_goes_away_is_told_at_every_call():
    with serving("sayhello", "--http", "127.0.0.1:0") as served, ServerPool({}, timeout=5) as pool:
        pool.start([Endpoint("far", "p.yaml:2", address=served.address)])
        assert pool.call_tool("far", "greet", {"name": "x"}) == {"msg": "Hello, x!"}
        served.process.kill()
        served.process.wait()
        for _ in range(3):
            with pytest.raises(SystemFailure, match=r"^the server 'far' (ended before it answered|failed) \(greet\): "):
                pool.call_tool("far", "greet", {"name": "x"})
