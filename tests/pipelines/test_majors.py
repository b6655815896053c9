"""Both majors of the MCP library, and fastmcp upon the first: our servers and our client, in every combination."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pipelines.served import NEEDS_SIDE, PATHS, ROOT, SERVE, TOKEN, serving, under

HERE = Path(__file__).parent
MINUTES = 180

pytestmark = NEEDS_SIDE


@pytest.fixture(scope="module")
def addresses():
    """For each major, where our prompt server and our greeting server listen."""
    words = {"prompt": [], "sayhello": ["--token", TOKEN]}
    with (
        serving("prompt", "--http", "127.0.0.1:0", environment=under(1)) as first,
        serving("prompt", "--http", "127.0.0.1:0", environment=under(2)) as second,
        serving("sayhello", "--http", "127.0.0.2:0", *words["sayhello"], environment=under(1)) as greeting,
        serving("sayhello", "--http", "127.0.0.1:0", *words["sayhello"], environment=under(2)) as guarded,
    ):
        yield {"prompt": [first.address, second.address], "sayhello": [greeting.address, guarded.address]}


def run(script, argument, major):
    command = [sys.executable, "-W", "ignore", str(HERE / script), json.dumps(argument)]
    done = subprocess.run(
        command, cwd=ROOT, env=under(major), capture_output=True, text=True, timeout=MINUTES, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_the_client_of_fastmcp_asks_our_servers_on_both_majors(addresses):
    started = [{"command": [*SERVE, "prompt"], "path": PATHS[major]} for major in (1, 2)]
    results = run("fast_client.py", [*started, *addresses["prompt"]], 1)
    assert len(results) == 4
    for result in results:
        assert result == results[0]
    first, second = results[0]["first"], results[0]["second"]
    assert ["谁应退还押金？" in first[0], "Who?" in first[1]] == [True, True]
    # a prompt of prompts: the messages came as JSON text, and null is no path of a template
    assert second[0].startswith(first[0])
    assert second[1] == ""


@pytest.mark.slow
def test_the_annotation_of_a_tool_is_listed_over_http_and_over_pipes(addresses):
    greeting = [{"command": [*SERVE, "sayhello"], "path": PATHS[major], **NOWHERE} for major in (1, 2)]
    far = [{**here(address), "path": ""} for address in addresses["sayhello"]]
    for major in (1, 2):
        output = run("our_client.py", [*greeting, *far], major)
        assert output["mcp"].startswith(f"{major}.")
        assert output["warnings"] == []
        for result in output["results"]:
            assert result == {
                "notes": {"build": None, "greet": "name->msg"},
                "given": {"msg": "Hello, 乙!"},
                "error": "SystemFailure: greet has no argument 'nam'",
            }


@pytest.mark.slow
@pytest.mark.parametrize("major", [1, 2])
def test_a_client_that_disconnects_leaves_no_traceback(major):
    with serving("prompt", "--http", "127.0.0.1:0", environment=under(major)) as served:
        run("fast_client.py", [served.address] * 3, 1)  # three clients disconnect, then their process ends
        served.process.terminate()
        served.process.wait(MINUTES)
        assert served.stderr() == f"serving prompt on {served.address}\n"


NOWHERE = {"address": "", "headers": {}, "kind": "ours"}


def here(address):
    return {"command": [], "address": address, "headers": {"Authorization": f"Bearer {TOKEN}"}, "kind": "ours"}


@pytest.mark.slow
@pytest.mark.parametrize("major", [1, 2])
def test_a_server_made_with_fastmcp(major):
    program = [sys.executable, "-W", "ignore", str(HERE / "fast_server.py")]
    output = run("our_client.py", [{**NOWHERE, "command": program, "path": PATHS[1], "kind": "fast"}], major)
    (result,) = output["results"]
    assert result["prompts"] == ["ask", "again"]
    assert result["notes"]["answer"] == "q_ls->ans_ls"
    assert result["second"] == ["Q: a A: x", "Q: 乙 A: y"]
    assert result["given"] == {"ans_ls": ["a!"]}
    (warning,) = output["warnings"]
    assert "printed to its standard output: 'loading weights …'" in warning
