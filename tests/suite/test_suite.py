"""The suite itself: its vectors fit their schema; programs that lie, stop, hang or write nonsense are seen through."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import run
from jsonschema import Draft202012Validator

from steelyard.errors import InputError, SystemFailure, UnknownName
from steelyard.suite.outcomes import check_program, is_equal, judged, outcome_of
from steelyard.suite.programs import Program
from steelyard.suite.targets import read_targets
from steelyard.suite.vectors import Accepted, Vector, chosen_vectors, read_vectors, suite_folder

FOLDER = suite_folder()
FILES = sorted((FOLDER / "vectors").glob("*/*.json"))
SCHEMA = Draft202012Validator(json.loads((FOLDER / "schema.json").read_text("utf-8")))
VECTORS = read_vectors()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_files_fit_the_schema(path):
    found = json.loads(path.read_text("utf-8"))
    assert not [error.message for error in SCHEMA.iter_errors(found)]
    assert {each["id"].rpartition("/")[0] for each in found["vectors"]} == {f"{path.parent.name}/{path.stem}"}


def test_ids_are_unique_and_inputs_differ():
    assert len({vector.id for vector in VECTORS}) == len(VECTORS)
    asked = [json.dumps([vector.computes, vector.input], sort_keys=True) for vector in VECTORS]
    twice = {vector.id for vector, text in zip(VECTORS, asked, strict=True) if asked.count(text) > 1}
    assert not twice


def test_every_name_that_is_computed_is_explained():
    for family in {vector.family for vector in VECTORS}:
        known = json.loads((FOLDER / "computes" / f"{family}.json").read_text("utf-8"))
        assert {vector.computes for vector in VECTORS if vector.family == family} == known.keys()
        assert all(each.keys() == {"input", "output"} for each in known.values())


def test_what_faulty_programs_gave_is_a_fault():
    documented = [vector for vector in VECTORS if "got" in vector.origin]
    assert documented
    for vector in documented:
        assert judged(vector, vector.origin["got"]).kind != "right", vector.id


def test_the_example_of_the_readme_is_a_vector():
    example = re.search(r"```json\n(.*?)```", (FOLDER / "README.md").read_text("utf-8"), re.DOTALL)
    found = json.loads(example[1])
    topic = json.loads((FOLDER / "vectors" / f"{found['id'].rpartition('/')[0]}.json").read_text("utf-8"))
    assert found in topic["vectors"]


def test_targets_say_what_they_need():
    for target in read_targets().values():
        assert target.packages, target.name
        pinned = [re.search(r"==\d|@\d", package) for package in target.packages]
        assert target.name == "steelyard" or all(pinned), target.name


# --- values ---


@pytest.mark.parametrize(
    ("value", "expected", "same"),
    [
        (0.3333333, 1 / 3, True),
        (0.33, 1 / 3, False),
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (None, None, True),
        (0, None, False),
        ("1", 1, False),
        ([0.5, None], [0.5, None], True),
        ([0.5], [0.5, 0.5], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        ("中", "中", True),
    ],
)
def test_values_are_compared_by_kind_and_tolerance(value, expected, same):
    assert is_equal(value, expected, 1e-6) is same


def vector_of(**fields):
    given = {"id": "rankings/x/y", "computes": "f", "input": {"n": 1}, "expected": 1, "result": "valid", "origin": {}}
    return Vector(**{**given, **fields})


def test_a_convention_is_no_fault_but_another_value_is():
    vector = vector_of(result="acceptable", accepted=[Accepted(0.5, "half")])
    assert (judged(vector, 1).kind, judged(vector, 0.5).convention, judged(vector, 0.4).kind) == (
        "right",
        "half",
        "fault",
    )


def test_a_refusal_is_no_fault_where_it_is_accepted(tmp_path):
    vector = vector_of(result="acceptable", accepted=[Accepted(None, "refused")])
    with program(tmp_path, "reply['error'] = 'no'") as each:
        found = outcome_of(each, vector)
    assert (found.kind, found.convention, found.why) == ("convention", "refused", "no")


# --- programs ---

ANSWERS = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if "start" in request:
        reply = {"name": "mine", "version": "1", "computes": ["f"]}
    else:
        reply = {"id": request["id"]}
        BODY
    print(json.dumps(reply), flush=True)
"""


def program(tmp_path, body, **settings):
    path = tmp_path / "mine.py"
    path.write_text(ANSWERS.replace("BODY", body), "utf-8")
    return Program([sys.executable, str(path)], **settings)


@pytest.mark.parametrize(
    ("body", "expected", "kind"),
    [
        ("reply['value'] = 1", 1, "right"),
        ("reply['value'] = 2", 1, "fault"),
        ("reply['value'] = float('nan')", 1, "fault"),
        ("reply['error'] = 'no'", 1, "fault"),
        ("reply['error'] = 'no'", None, "right"),
        ("reply['value'] = 0", None, "fault"),
        ("reply['unsupported'] = 'no'", 1, "unsupported"),
        ("pass", 1, "fault"),
        ("pass", None, "fault"),
        ("reply['value'] = 10**400", 0.5, "fault"),
        ("print('[' * 90000)", 1, "fault"),
        ("print('noise')", 1, "fault"),
        ("reply.update(id='another', value=1)", 1, "fault"),
        ("print('null')", 1, "fault"),
        ("sys.exit(3)", None, "fault"),
        ("time.sleep(60)", None, "fault"),
    ],
)
def test_replies_are_judged(tmp_path, body, expected, kind):
    with program(tmp_path, body, seconds=3.0 if "sleep" in body else 30.0) as each:
        assert outcome_of(each, vector_of(expected=expected)).kind == kind


def test_a_program_that_ends_is_started_again(tmp_path):
    body = "sys.exit(3) if request['input']['n'] == 1 else reply.update(value=1)"
    vectors = [vector_of(), vector_of(id="rankings/x/z", input={"n": 2}), vector_of(computes="g")]
    with program(tmp_path, body) as each:
        found = check_program(each, vectors)
    assert [(outcome.id, outcome.kind) for outcome in found.outcomes] == [
        ("rankings/x/y", "fault"),
        ("rankings/x/z", "right"),
    ]


def test_programs_that_do_not_start_say_why(tmp_path):
    (tmp_path / "broken.py").write_text("import nothing_like_this", "utf-8")
    broken = Program([sys.executable, str(tmp_path / "broken.py")])
    with broken, pytest.raises(SystemFailure, match="nothing_like_this"):
        broken.start()
    with pytest.raises(InputError):
        Program([str(tmp_path / "absent")]).start()


def test_of_what_node_writes_the_error_is_said(tmp_path):
    lines = ["node:internal:1", "Error [CODE]: Cannot find package 'x'", "    at y {", "}", "", "Node.js v20.0.0"]
    (tmp_path / "broken.py").write_text("import sys; sys.exit(" + repr("\n".join(lines)) + ")", "utf-8")
    with Program([sys.executable, str(tmp_path / "broken.py")]) as each, pytest.raises(SystemFailure) as caught:
        each.start()
    assert "Cannot find package" in str(caught.value)


def test_vectors_are_chosen_by_id_topic_and_family():
    one = VECTORS[0]
    assert chosen_vectors(VECTORS, [one.id]) == [one]
    assert one in chosen_vectors(VECTORS, [one.id.rpartition("/")[0]])
    assert {vector.family for vector in chosen_vectors(VECTORS, [one.family])} == {one.family}
    with pytest.raises(UnknownName):
        chosen_vectors(VECTORS, ["rankings/nothing"])


def test_files_that_are_no_vectors_are_refused(tmp_path):
    with pytest.raises(InputError):
        read_vectors(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.json").write_text('{"vectors": [{"id": 1}]}', "utf-8")
    with pytest.raises(InputError, match=re.escape(str(tmp_path / "a" / "b.json"))):
        read_vectors(tmp_path)


# --- the command ---


def faulty(tmp_path: Path) -> str:
    """A program that answers 7 to everything that a family asks."""
    names = sorted({vector.computes for vector in VECTORS if vector.family == VECTORS[0].family})
    path = tmp_path / "seven.py"
    path.write_text(ANSWERS.replace('["f"]', repr(names)).replace("BODY", "reply['value'] = 7"), "utf-8")
    return f"{sys.executable} {path}"


def test_faults_are_listed_with_a_line_that_repeats_each(tmp_path):
    words = ("conformance", "--program", faulty(tmp_path))
    done = run(*words, "-o", "x.json", "-o", "x.xml", "-o", "x.md", "-o", "x.html", cwd=tmp_path)
    assert done.returncode == 1
    found = json.loads((tmp_path / "x.json").read_text("utf-8"))
    faults = [each["id"] for each in found["outcomes"] if each["kind"] == "fault"]
    lines = [line for line in done.stdout.splitlines() if line.startswith("steelyard conformance --program ")]
    assert [line.split()[-1] for line in lines] == faults
    suite = ElementTree.parse(tmp_path / "x.xml").getroot().find("testsuite")
    assert suite.get("failures") == str(len(faults))
    for name in ("x.md", "x.html"):
        assert faults[0] in (tmp_path / name).read_text("utf-8")
    assert run(*words, faults[0], cwd=tmp_path).returncode == 1


def test_a_program_that_answers_nothing_has_not_passed(tmp_path):
    words = faulty(tmp_path)
    path = tmp_path / words.split("/")[-1]
    path.write_text(path.read_text("utf-8").replace("reply['value'] = 7", "reply['unsupported'] = 'no'"), "utf-8")
    done = run("conformance", "--program", words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert "answered none of the" in done.stderr


def test_numbers_that_json_does_not_have_are_null(tmp_path):
    words = faulty(tmp_path)
    path = tmp_path / words.split("/")[-1]
    path.write_text(path.read_text("utf-8").replace("= 7", "= {'a': [float('nan'), float('inf')]}"), "utf-8")
    done = run("conformance", "--program", words, "--json", "-o", "x.json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    for text in (done.stdout, (tmp_path / "x.json").read_text("utf-8")):
        faults = [each for each in json.loads(text)["outcomes"] if each["kind"] == "fault"]
        assert {"a": [None, None]} in [each.get("value") for each in faults]


def test_the_suite_needs_the_standard_library_alone(tmp_path):
    words = (sys.executable, "-S", "-m", "steelyard.suite", "--program", faulty(tmp_path), VECTORS[0].id)
    environment = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "mine 1:" in done.stdout) == (1, True), done.stderr
    fault = json.loads(done.stdout.splitlines()[0])
    assert (fault["value"], fault["expected"], fault["origin"]) == (7, VECTORS[0].expected, VECTORS[0].origin["where"])


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("--target", "ranks"), 2, "ranks"),
        (("--program", "x", "--target", "ranx"), 2, "--program"),
        (("rankings/none",), 2, "rankings/none"),
        (("--program", "/nowhere/x"), 2, "/nowhere/x"),
        (("--program", ""), 2, ""),
        (("--program", "'x"), 2, "'x"),
        (("-o", "x.txt"), 2, "x.txt"),
    ],
)
def test_wrong_uses_are_named(tmp_path, words, code, text):
    done = run("conformance", *words, cwd=tmp_path)
    assert (done.returncode, text in done.stderr, "Traceback" in done.stderr) == (code, True, False)


def test_other_conventions_are_faults_where_that_is_asked(tmp_path):
    body = "reply['value'] = {'rankings/queries/missing-counts-zero': 1}.get(request['id'], 0.5)"
    vector = next(each for each in VECTORS if each.id == "rankings/queries/missing-counts-zero")
    other = json.dumps(vector.accepted[0].value)
    path = tmp_path / "other.py"
    path.write_text(
        ANSWERS.replace('["f"]', repr([vector.computes])).replace("BODY", body.replace("1}", other + "}")), "utf-8"
    )
    words = ("conformance", "--program", f"{sys.executable} {path}", vector.id, "--json")
    assert [run(*words, *strict, cwd=tmp_path).returncode for strict in ((), ("--strict",))] == [0, 1]
    found = json.loads(run(*words, "--strict", cwd=tmp_path).stdout)["outcomes"][0]
    assert (found["kind"], found["expected"], found["why"]) == ("fault", vector.expected, vector.accepted[0].convention)


def test_a_line_that_repeats_a_fault_has_the_options_of_the_run(tmp_path):
    done = run("conformance", "--program", faulty(tmp_path), "--strict", "--timeout", "90", VECTORS[0].id, cwd=tmp_path)
    again = next(line for line in done.stdout.splitlines() if line.startswith("steelyard "))
    assert shlex.split(again)[2:] == ["--program", faulty(tmp_path), "--timeout", "90", "--strict", VECTORS[0].id]


def test_why_there_is_no_value_is_said_in_the_language(tmp_path):
    (tmp_path / "ends.py").write_text(ANSWERS.replace('"f"', f'"{VECTORS[0].computes}"').replace("BODY", "sys.exit(3)"))
    words = ("--program", f"{sys.executable} ends.py", VECTORS[0].id, "--lang", "zh", "-o", "x.xml", "-o", "x.json")
    done = run("conformance", *words, cwd=tmp_path)
    for text in (done.stdout, (tmp_path / "x.xml").read_text("utf-8")):
        assert ("程序已退出" in text, "the program ended" in text) == (True, False)
    assert "the program ended" in json.loads((tmp_path / "x.json").read_text("utf-8"))["outcomes"][0]["why"]


@pytest.mark.parametrize("path", sorted((FOLDER / "results").iterdir()), ids=lambda path: path.stem)
def test_results_are_those_of_the_vectors_of_today(path):
    found, by_id = json.loads(path.read_text("utf-8")), {vector.id: vector for vector in VECTORS}
    for each in found.get("outcomes", []):
        vector = by_id[each["id"]]
        assert (each["expected"], each["origin"]) == (vector.expected, vector.origin["where"]), vector.id
        assert "value" not in each or judged(vector, each["value"]).kind == each["kind"], vector.id


def test_vectors_are_shown(tmp_path):
    done = run("conformance", "--show", VECTORS[0].id, cwd=tmp_path)
    assert json.loads(done.stdout)["input"] == VECTORS[0].input


@pytest.mark.slow
def test_steelyard_passes_whole(tmp_path):
    done = run("conformance", "-o", "x.json", cwd=tmp_path)
    found = json.loads((tmp_path / "x.json").read_text("utf-8"))
    assert [each for each in found["outcomes"] if each["kind"] != "right"] == []
    assert (done.returncode, len(found["outcomes"])) == (0, len(VECTORS))
