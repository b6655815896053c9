"""Pipelines: read, bound and run; faults of other implementations are not repeated."""

import contextlib
import json
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from properties import examples

from steelyard.cli import main
from steelyard.errors import InputError, SteelyardError, SystemFailure, UnknownName
from steelyard.io.yamls import dump_yaml, read_yaml
from steelyard.pipelines.build import build
from steelyard.pipelines.check import check_parameters
from steelyard.pipelines.client import ServerPool
from steelyard.pipelines.load import load_parameters, load_servers
from steelyard.pipelines.plan import bind, history_variables
from steelyard.pipelines.run import UNSET, RunState, new_journal, prepare_run, run_steps
from steelyard.pipelines.spec import read_pipeline

TOY = """
from steelyard.pipelines.server import Server

app = Server("toy", __file__)
LOG = []


@app.tool("->xs,ys")
def make():
    LOG.append("make")
    return {"xs": ["a", "b", "c", "d"], "ys": ["a!", "b!", "c!", "d!"]}


@app.tool("xs,$mark->xs".replace("$", ""))
def add(xs, mark):
    LOG.append("add")
    return {"xs": [x + mark for x in xs]}


@app.tool("xs,names->zs")
def named(xs, names: list[str]):
    return {"zs": [f"{x}:{len(names)}" for x in xs]}


@app.tool("xs->xs")
def number(xs):
    return {"xs": 3}


@app.tool("xs->xs")
def mapping(xs):
    return {"xs": {"data": 1, "state": "yes"}}


@app.tool("xs->xs")
def no_data(xs):
    return {"xs": [{"state": "yes"} for x in xs]}


@app.tool("xs->xs")
def list_state(xs):
    return {"xs": [{"data": x, "state": ["yes"]} for x in xs]}


@app.tool("xs->")
def silent(xs):
    return None


@app.tool("xs->zs")
def broken(xs):
    return 1 / 0


@app.prompt("xs->prompt_ls")
def ask(xs):
    return [x + "?" for x in xs]


@app.prompt("xs->prompt_ls")
def ask_badly(xs):
    return "one text"


@app.tool("->word")
def beside():
    import toy_helper

    return {"word": toy_helper.WORD}


@app.tool("->word")
def environment():
    import os

    return {"word": os.environ["TOY_WORD"]}


@app.tool("memory_xs->joined")
def rounds(history):
    return {"joined": [" ".join(words) for words in zip(*history, strict=True)]}


@app.tool("xs->seen")
def seen(xs):
    return {"seen": list(xs)}


@app.tool("xs->first,second")
def split(xs):
    return {"first": xs[:2], "second": xs[2:], "extra": 1}


@app.tool("xs,ys->zs")
def pair(xs, ys):
    return {"zs": [f"{y}~{x}" for x, y in zip(xs, ys, strict=True)]}


@app.tool("xs->xs")
def even(xs):
    return {"xs": [{"data": x, "state": "even" if number % 2 else "odd"} for number, x in enumerate(xs)]}


@app.tool("xs->xs")
def all_done(xs):
    return {"xs": [{"data": x, "state": "stop"} for x in xs]}


@app.tool("memory_xs->count")
def remember(history):
    return {"count": len(history)}


@app.tool("xs")
def short(xs):
    return {"xs": xs[:1]}


@app.tool("xs->none_such")
def forgetful(xs):
    return {}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with one toy server, which is the current one."""
    (tmp_path / "servers" / "toy" / "src").mkdir(parents=True)
    (tmp_path / "servers" / "toy" / "src" / "toy.py").write_text(TOY)
    (tmp_path / "servers" / "toy" / "parameter.yaml").write_text("mark: '!'\nother: 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ran(NamedTuple):
    variables: dict
    snapshots: list


def write(here, steps):
    path = here / "p.yaml"
    path.write_text("servers:\n  toy: servers/toy\npipeline:\n" + steps)
    return path


def run(here, steps):
    pipeline = read_pipeline(write(here, steps))
    bound, parameters = prepare_run(pipeline, ServerPool({}))
    state = RunState(parameters.values, new_journal(here / "output", "", here / "p.yaml"), history_variables(bound))
    try:
        run_steps(bound, state)
    finally:
        snapshot = state.journal.finish(complete=True)
    return Ran(state.variables, json.loads(snapshot.read_text()))


def test_steps_share_variables_and_parameters(here):
    state = run(here, "- toy.make\n- toy.add\n- toy.add\n")
    assert state.variables["xs"] == ["a!!", "b!!", "c!!", "d!!"]
    assert [call["step"] for call in state.snapshots] == ["toy.make", "toy.add", "toy.add"]
    assert state.snapshots[0]["memory"].keys() == {"memory_xs", "memory_ys"}


def test_every_loop_runs_in_full(here):
    loop = "- loop:\n    times: 3\n    steps: [toy.add]\n"
    assert run(here, "- toy.make\n" + loop + loop).variables["xs"][0] == "a" + "!" * 6
    nested = "- loop:\n    times: 2\n    steps:\n    - loop:\n        times: 3\n        steps: [toy.add]\n"
    assert run(here, "- toy.make\n" + nested).variables["xs"][0] == "a" + "!" * 6


def test_an_override_is_for_its_own_step(here):
    steps = "- toy.make\n- toy.add:\n    input: {xs: ys}\n    output: {xs: zs}\n- toy.add\n"
    state = run(here, steps)
    assert state.variables["zs"][0] == "a!!"
    assert state.variables["xs"][0] == "a!"


def test_an_output_that_is_not_renamed_is_kept(here):
    state = run(here, "- toy.make\n- toy.split:\n    output: {first: one}\n")
    assert (state.variables["one"], state.variables["second"]) == (["a", "b"], ["c", "d"])
    assert "extra" not in state.variables


def test_a_parameter_may_be_named_in_an_override(here):
    assert run(here, "- toy.make\n- toy.add:\n    input: {mark: $mark}\n").variables["xs"][0] == "a!"


def test_rows_stay_in_pairs_through_branches(here):
    branch = "- branch:\n    router: [toy.even]\n    branches:\n      even: [toy.pair]\n      odd: []\n"
    state = run(here, "- toy.make\n" + branch)
    assert state.variables["zs"] == [UNSET, "b!~b", UNSET, "d!~d"]
    assert state.variables["xs"] == ["a", "b", "c", "d"]


def test_after_a_router_the_snapshot_holds_plain_values_as_upstreams_does(here):
    steps = (
        "- toy.make\n- branch:\n    router: [toy.even]\n    branches:\n      odd: []\n      even:\n      - toy.add\n"
        "      - branch:\n          router: [toy.even]\n          branches: {even: [], odd: []}\n"
    )
    left = [call["memory"]["memory_xs"] for call in run(here, steps).snapshots]
    assert left == [list("abcd"), list("abcd"), ["a", "b!", "c", "d!"], ["a", "b!", "c", "d!"]]


def test_branches_run_in_the_order_of_the_file_and_nest(here):
    steps = (
        "- toy.make\n- branch:\n    router: [toy.even]\n    branches:\n"
        "      odd: [toy.add]\n      even:\n      - branch:\n          router: [toy.even]\n"
        "          branches: {even: [toy.add, toy.add], odd: []}\n"
    )
    assert run(here, steps).variables["xs"] == ["a!", "b", "c!", "d!!"]


def test_a_loop_ends_when_nothing_is_left_to_do(here):
    branch = "    - branch:\n        router: [toy.all_done]\n        branches: {stop: [], go: [toy.add]}\n"
    state = run(here, "- toy.make\n- loop:\n    times: 10\n    steps:\n" + branch)
    assert [call["step"] for call in state.snapshots] == ["toy.make", "toy.all_done"]


def test_memory_is_every_value_so_far(here):
    assert run(here, "- toy.make\n- toy.add\n- toy.remember\n").variables["count"] == 2


def test_in_a_branch_every_round_of_a_history_is_cut_to_its_rows(here):
    branch = "- branch:\n    router: [toy.even]\n    branches:\n      even: [toy.rounds]\n      odd: []\n"
    ran = run(here, "- toy.make\n- toy.add\n- toy.add\n" + branch)
    assert ran.variables["joined"] == [UNSET, "b b! b!! b!!", UNSET, "d d! d!! d!!"]


def test_a_parameter_is_passed_whole_into_a_branch(here):
    (here / "servers" / "toy" / "parameter.yaml").write_text("mark: '!'\nother: 1\nnames: [k1, k2, k3, k4]\n")
    branch = "- branch:\n    router: [toy.even]\n    branches:\n      even: [toy.named]\n      odd: []\n"
    assert run(here, "- toy.make\n" + branch).variables["zs"] == [UNSET, "b:4", UNSET, "d:4"]


def test_a_history_holds_what_a_router_routed_and_not_its_states(here):
    branch = "- branch:\n    router: [toy.even]\n    branches:\n      even: []\n      odd: []\n"
    ran = run(here, "- toy.make\n" + branch + "- toy.rounds\n")
    assert ran.variables["joined"] == ["a a", "b b", "c c", "d d"]


@pytest.mark.parametrize("router", ["number", "mapping", "no_data", "list_state"])
def test_a_router_that_gives_something_else(here, router):
    branch = f"- branch:\n    router: [toy.{router}]\n    branches:\n      yes: []\n"
    with pytest.raises(SystemFailure) as caught:
        run(here, "- toy.make\n" + branch)
    where = f"{here / 'p.yaml'}:6"
    assert str(caught.value) == f"{where}: toy.{router} must return a list of objects with data and state"


def test_a_router_that_gives_nothing_is_refused_before_anything_runs(here):
    with pytest.raises(InputError, match="the last step of a router must be a tool with an output"):
        run(here, "- toy.make\n- branch:\n    router: [toy.silent]\n    branches:\n      yes: []\n")


def test_a_parameter_that_no_tool_knows_is_an_error(here):
    (here / "parameters").mkdir()
    (here / "parameters" / "p_parameter.yaml").write_text("toy:\n  mark: x\n  makr: y\n")
    with pytest.raises(InputError) as caught:
        run(here, "- toy.make\n- toy.add\n")
    path = here / "parameters" / "p_parameter.yaml"
    assert str(caught.value) == f"{path}:3: toy has no parameter 'makr'\nhint: did you mean 'mark'?"


def test_a_parameter_of_the_wrong_type_is_an_error(here):
    (here / "parameters").mkdir()
    (here / "parameters" / "p_parameter.yaml").write_text("toy:\n  names: five\n")
    with pytest.raises(InputError) as caught:
        run(here, "- toy.make\n- toy.named\n")
    path = here / "parameters" / "p_parameter.yaml"
    assert str(caught.value) == f"{path}:2: toy.names must be a list of texts, not 'five'"


def test_parameters_of_other_servers_are_left_out_and_told(here, capsys):
    (here / "shared.yaml").write_text("toy: {mark: '?'}\nretriever: {top_k: 3}\n")
    path = write(here, "- toy.make\n- toy.add\n")
    assert main(["run", str(path), "--param", "shared.yaml", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["xs"][0] == "a?"
    assert "not a server of this pipeline: retriever (parameters ignored)\n" in err
    (here / "shared.yaml").write_text("toyy: {mark: '?'}\n")
    assert main(["run", str(path), "--param", "shared.yaml"]) == 2
    assert capsys.readouterr().err == "shared.yaml:1: the pipeline has no server 'toyy'\nhint: did you mean 'toy'?\n"


def test_a_bug_in_a_server_of_the_user_is_told_with_its_step(here, capsys):
    assert main(["run", str(write(here, "- toy.make\n- toy.broken\n"))]) == 3
    assert f"{here / 'p.yaml'}:5: toy.broken: ZeroDivisionError: division by zero\n" in capsys.readouterr().err


def test_a_prompt_gives_a_list_of_texts(here):
    assert run(here, "- toy.make\n- toy.ask\n").variables["prompt_ls"] == ["a?", "b?", "c?", "d?"]
    with pytest.raises(SystemFailure, match=r"toy\.ask_badly must return a list of texts$"):
        run(here, "- toy.make\n- toy.ask_badly\n")


def test_what_lies_beside_a_program_can_be_imported(here):
    (here / "servers" / "toy" / "src" / "toy_helper.py").write_text("WORD = 'beside'\n")
    assert run(here, "- toy.beside\n").variables["word"] == "beside"


@pytest.mark.parametrize("line", ["1 / 0", "raise SystemExit(5)", "import nothing_like_it", "def"])
def test_a_program_that_cannot_be_imported(here, line, capsys):
    program = here / "servers" / "toy" / "src" / "toy.py"
    program.write_text(f"from steelyard.pipelines.server import Server\n{line}\n")
    assert main(["run", str(write(here, "- toy.make\n"))]) == 2
    assert capsys.readouterr().err.startswith(f"{here / 'p.yaml'}:2: servers/toy/src/toy.py cannot be imported: ")


def test_a_build_that_fails_leaves_the_parameter_file(here):
    (here / "parameters").mkdir()
    path = here / "parameters" / "p_parameter.yaml"
    path.write_text("# nothing yet\n")
    with pytest.raises(UnknownName):
        build(read_pipeline(write(here, "- toy.mke\n")), ServerPool({}))
    assert path.read_text() == "# nothing yet\n"


def test_building_what_is_the_same_keeps_its_comments(here):
    path = write(here, "- toy.make\n- toy.add\n")
    built = build(read_pipeline(path), ServerPool({}))
    built.parameters.write_text("# mine\ntoy:\n  mark: '?'  # why\n")
    build(read_pipeline(path), ServerPool({}))
    assert built.parameters.read_text() == "# mine\ntoy:\n  mark: '?'  # why\n"


def test_a_file_of_environment_variables_is_read(here, monkeypatch, capsys):
    monkeypatch.delenv("TOY_WORD", raising=False)
    (here / ".env").write_text("# secrets\n\nexport TOY_WORD='from a file'\n")
    assert main(["run", str(write(here, "- toy.environment\n")), "--json", "--log_level", "warn"]) == 0
    assert json.loads(capsys.readouterr().out) == {"word": "from a file"}
    monkeypatch.delenv("TOY_WORD", raising=False)
    (here / ".env").write_text("TOY_WORD: x\n")
    assert main(["run", "p.yaml"]) == 2
    assert capsys.readouterr().err == ".env:1: a line must be NAME=value, not 'TOY_WORD: x'\n"


MISTAKES = {
    "- tou.make": (UnknownName, "{path}:4: no server is called 'tou'\nhint: did you mean 'toy'?"),
    "- toy.mke": (UnknownName, "{path}:4: no tool is called 'mke'\nhint: did you mean 'make'?"),
    "- toy.add": (
        InputError,
        "{path}:4: no step before toy.add provides 'xs'\nhint: add a step that provides it: toy.make",
    ),
    "- toy.make\n- toy.add:\n    input: {xz: ys}": (
        InputError,
        "{path}:5: toy.add has no argument 'xz'\nhint: known: xs, mark",
    ),
    "- toy.make\n- toy.add:\n    input: {mark: $mrk}": (
        InputError,
        "{path}:5: toy has no parameter 'mrk'\nhint: did you mean 'mark'?",
    ),
    "- toy.make\n- toy.add:\n    input: {xs: 3}": (InputError, "{path}:6: the variable for 'xs' must be text, not 3"),
    "- loop:\n    times: 0\n    steps: []": (InputError, "{path}:5: times must be an integer of at least 1, not 0"),
    "- loop:\n    times: 200\n    steps: [{loop: {times: 200, steps: [toy.make]}}]": (
        InputError,
        "{path}:5: times is above the limit of 10,000 (40,000)\nhint: to raise the limit, set STEELYARD_LOOP_TIMES",
    ),
    "- loop:\n    times: 1000000\n    steps: []": (
        InputError,
        "{path}:5: times is above the limit of 10,000 (1,000,000)\nhint: to raise the limit, set STEELYARD_LOOP_TIMES",
    ),
    "- loop:\n    steps: []": (InputError, "{path}:5: a loop needs 'times'"),
    "- toy.make.x": (InputError, "{path}:4: a step must be server.tool, not 'toy.make.x'\n"),
    "- {a.b: 1, c.d: 2}": (InputError, "{path}:4: one step is needed here, not 2\n"),
    "- toy.make\n- toy.make: {inputs: {}}": (
        InputError,
        "{path}:5: no field is called 'inputs'\nhint: known: input, output",
    ),
}


@pytest.mark.parametrize("steps", MISTAKES)
def test_mistakes_are_found_before_anything_runs(here, steps):
    kind, message = MISTAKES[steps]
    with pytest.raises(kind) as caught:
        run(here, steps + "\n")
    assert str(caught.value).startswith(message.format(path=here / "p.yaml"))


def test_a_tool_that_gives_too_little(here):
    with pytest.raises(SteelyardError, match=r"p.yaml:5: toy.forgetful did not return 'none_such'$"):
        run(here, "- toy.make\n- toy.forgetful\n")
    branch = "- branch:\n    router: [toy.even]\n    branches: {even: [toy.short], odd: []}\n"
    with pytest.raises(SteelyardError, match=r"toy\.short returned 1 item for 2 rows$"):
        run(here, "- toy.make\n" + branch)


def test_building_keeps_what_users_have_edited(here):
    path = write(here, "- toy.make\n- toy.add\n")
    built = build(read_pipeline(path), ServerPool({}))
    assert built.parameters.read_text() == "toy:\n  mark: '!'\n"
    assert (built.added, built.kept) == (("toy.mark",), ())
    built.parameters.write_text("toy:\n  mark: '?'\n  other: 2\n")
    again = build(read_pipeline(path), ServerPool({}))
    assert (again.added, again.kept) == ((), ("toy.mark",))
    assert read_yaml(again.parameters).plain() == {"toy": {"mark": "?", "other": 2}}
    assert run(here, "- toy.make\n- toy.add\n").variables["xs"][0] == "a?"
    tools = read_yaml(again.servers).plain()["toy"]["tools"]
    assert tools["add"] == {"input": {"xs": "xs", "mark": "$mark"}, "output": ["xs"]}


def test_an_empty_parameter_file_is_told_and_built_anew(here):
    (here / "parameters").mkdir()
    empty = here / "parameters" / "p_parameter.yaml"
    empty.write_text("")
    with pytest.raises(InputError) as caught:
        run(here, "- toy.make\n- toy.add\n")
    hint = "delete it to use the defaults of the servers, or write it again: steelyard build"
    assert str(caught.value) == f"{empty}: the file has no parameters\nhint: {hint}"
    build(read_pipeline(here / "p.yaml"), ServerPool({}))
    assert run(here, "- toy.make\n- toy.add\n").variables["xs"][0] == "a!"


def test_a_row_that_no_branch_has_set_reaches_the_next_tool_as_nothing(here):
    branch = "- branch:\n    router: [toy.even]\n    branches:\n      even: [toy.pair]\n      odd: []\n"
    ran = run(here, "- toy.make\n" + branch + "- toy.seen:\n    input: {xs: zs}\n")
    assert ran.variables["seen"] == [None, "b!~b", None, "d!~d"]


def test_a_snapshot_is_kept_when_a_step_fails(here, capsys):
    path = write(here, "- toy.make\n- toy.forgetful\n")
    assert main(["run", str(path)]) == 3
    (snapshot,) = (here / "output").glob("memory__p_*.json")
    assert [call["step"] for call in json.loads(snapshot.read_text())] == ["toy.make"]
    assert "Traceback" not in capsys.readouterr().err


def test_the_last_result_as_json(here, capsys):
    assert main(["run", str(write(here, "- toy.make\n- toy.add\n")), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"xs": ["a!", "b!", "c!", "d!"]}


@given(
    st.text(st.sampled_from("servers:pipline- \n{}[]toy.makeloop3$\"'#&*!%@`\t"), max_size=80) | st.text(max_size=30)
)
def test_no_text_gives_a_traceback(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("p") / "p.yaml"
    path.write_text(text, encoding="utf-8", errors="replace")
    with contextlib.suppress(SteelyardError):
        read_pipeline(path)


def test_a_key_said_twice(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("servers:\n  a: x\n  a: y\n")
    with pytest.raises(InputError, match=r"p.yaml:3: duplicate key 'a' \(first on line 2\)"):
        read_pipeline(path)


NAMES = st.sampled_from(
    ["toy.make", "toy.add", "toy.even", "toy.ask", "toy", "toy.x.y", "tou.make", "", "loop", "branch"]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 3) | st.floats(allow_nan=True) | NAMES | st.text(max_size=5)
KEYS = NAMES | st.sampled_from(["input", "output", "times", "steps", "router", "branches", "servers", "pipeline", "xs"])
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
STEP = NAMES | ANYTHING
WHOLE = st.fixed_dictionaries(
    {"servers": st.just({"toy": "servers/toy"}) | ANYTHING, "pipeline": st.lists(STEP, max_size=4) | ANYTHING}
)


@pytest.mark.slow
@examples(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(WHOLE, st.fixed_dictionaries({"toy": ANYTHING}) | ANYTHING, st.fixed_dictionaries({"toy": ANYTHING}) | ANYTHING)
def test_no_pipeline_parameters_or_server_file_give_a_traceback(here, pipeline, parameters, server):
    (here / "parameters").mkdir(exist_ok=True)
    (here / "server").mkdir(exist_ok=True)
    (here / "p.yaml").write_text(dump_yaml(pipeline), encoding="utf-8")
    (here / "parameters" / "p_parameter.yaml").write_text(dump_yaml(parameters), encoding="utf-8")
    (here / "server" / "p_server.yaml").write_text(dump_yaml(server), encoding="utf-8")
    with contextlib.suppress(SteelyardError):
        read = read_pipeline(here / "p.yaml")
        loaded = load_servers(read, ServerPool({}))
        parameters = load_parameters(read, loaded, None)
        bind(read, loaded, parameters)
        check_parameters(loaded, parameters)
