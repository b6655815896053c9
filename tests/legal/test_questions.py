"""Questions are checked as a whole, and every fault is told with its line, its pointer, and the nearest right name."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from platforms import posix

from steelyard.documents.pages import read_document
from steelyard.errors import InputError, SteelyardError
from steelyard.legal.benchmark.questions import (
    QuestionFile,
    benchmark_folder,
    find_document,
    question_paths,
    read_benchmark,
    read_question_file,
)
from steelyard.legal.question_types import types_by_name

PROJECT = Path(__file__).parents[2]

FACT = {
    "id": "fact_001",
    "type": "fact_exact",
    "question": "霍听澜一共收了多少装修款？",
    "expected": {"amount_total": 42000},
    "required_evidence": [
        {"page": 2, "must_include": "42000元", "section": "qa_pair", "speaker": "answer", "is_critical": True}
    ],
    "scoring": {"numeric_exact": True, "citation_required": True},
    "metadata": {"difficulty": "easy", "category": "monetary", "tags": ["金额", "收款"]},
}
EVIDENCE = {
    "id": "evidence_001",
    "type": "evidence_set",
    "question": "有哪些证据表明霍听澜承诺退款？",
    "expected": {"evidence_count_min": 2, "key_points": ["承诺退款"]},
    "required_evidence": [{"page": 2, "must_include": "我愿意把剩下的钱退给他"}],
    "scoring": {"evidence_recall_min": 0.8, "evidence_precision_min": 0.7, "citation_required": True},
}
GAP = {
    "id": "conflict_gap_001",
    "question": "42000元具体用到哪里了？",
    "should_abstain": True,
    "hallucination_penalty": "high",
    "required_quote": "具体请了谁吃饭...都忘记了",
    "evidence_location": {"page": 4, "lines": "105-107"},
    "expected_behavior": "System must refuse to provide specific details...",
    "scoring": {"abstention_required": True, "hallucination_check": "must_not_invent_details", "quote_required": True},
}


def file_of(*questions, kind="fact_exact", **more) -> dict:
    return {"benchmark_type": kind, "description": "虚构", "document": "d.md", "questions": list(questions), **more}


@pytest.fixture
def read(write):
    """The question file of this content."""

    def read(content, name: str = "q.json") -> QuestionFile:
        return read_question_file(
            write(name, content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
        )

    return read


@pytest.fixture
def complaint(read, tmp_path):
    """What is said about a question file; its folder is left out."""

    def complaint(content) -> str:
        with pytest.raises(InputError) as caught:
            read(content)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return complaint


def changed(question, pointer, value) -> dict:
    """The question with one value changed, or taken away if it is `...`."""
    question = copy.deepcopy(question)
    inner = question
    *keys, last = [int(key) if key.isdigit() else key for key in pointer.split("/")[1:]]
    for key in keys:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return question


def test_a_file_of_questions(read, tmp_path):
    second = {key: value for key, value in FACT.items() if key != "type"} | {"id": "fact_002"}
    text = json.dumps(
        file_of(FACT, second, evaluation_criteria={"passing_threshold": 1.0}), ensure_ascii=False, indent=1
    )
    file = read(text)
    assert (file.path, file.type, file.description) == (str(tmp_path / "q.json"), "fact_exact", "虚构")
    assert (file.document, file.criteria) == ("d.md", {"passing_threshold": 1.0})
    assert len(file.digest) == 64
    assert [question.fields["type"] for question in file.questions] == ["fact_exact", "fact_exact"]
    assert file.questions[0].fields == FACT
    line = 1 + next(n for n, row in enumerate(text.split("\n")) if "fact_002" in row)
    assert file.questions[1].where == f"{tmp_path / 'q.json'}:{line - 1}#/questions/1"


def test_a_byte_order_mark_is_no_matter(write):
    assert read_question_file(write("q.json", b"\xef\xbb\xbf" + json.dumps(file_of(FACT)).encode())).questions


@pytest.mark.parametrize(
    ("question", "kind"), [(FACT, "fact_exact"), (EVIDENCE, "evidence_set"), (GAP, "conflict_gap")]
)
def test_the_three_types(read, question, kind):
    (found,) = read(file_of(question, kind=kind)).questions
    assert found.fields == {"type": kind, **question}


def test_one_file_may_mix_types(read):
    kinds = [question.fields["type"] for question in read(file_of(FACT, EVIDENCE, GAP, kind="conflict_gap")).questions]
    assert kinds == ["fact_exact", "evidence_set", "conflict_gap"]


GOOD: dict[str, tuple[Any, str, Any]] = {
    "every expected value": (
        FACT,
        "/expected",
        {
            "amount_total": 42000.5,
            "amount_breakdown": [30000, {"amount": 12000, "description": "银行"}],
            "date": "2020-08-30",
            "date_range": {"start": "2020-06-05", "end": "2020-06-05"},
            "count": 0,
            "text_answer": "否",
            "boolean_answer": False,
            "entity": "霍听澜",
        },
    ),
    "every flag": (
        FACT,
        "/scoring",
        {
            "numeric_exact": False,
            "date_exact": True,
            "citation_required": False,
            "partial_credit": True,
            "approx_policy": "strict",
            "weight": 2,
            "entity_aliases": ["小霍"],
            "evidence_recall_min": 0,
            "evidence_precision_min": 1,
            "abstention_required": False,
            "hallucination_check": "must_report_conflict",
            "hallucination_penalty": 0.5,
            "quote_required": False,
        },
    ),
    "aliases": (FACT, "/aliases", ["小霍", "霍某"]),
    "aliases by another name": (FACT, "/entity_aliases", ["小霍"]),
    "no evidence where no citation is needed": (
        {key: value for key, value in FACT.items() if key != "required_evidence"},
        "/scoring",
        {"citation_required": False},
    ),
    "your own metadata": (FACT, "/metadata", {"notes": "见第2页", "reviewed": {"by": "A"}}),
    "a penalty in figures": (GAP, "/hallucination_penalty", 0.75),
    "abstention inside expected": (changed(GAP, "/should_abstain", ...), "/expected", {"should_abstain": True}),
    "a control with its answer": (
        changed(changed(GAP, "/should_abstain", False), "/scoring/abstention_required", False),
        "/expected",
        {"should_abstain": False, "date": "2020-10-15", "key_points": ["十月"]},
    ),
    "other quotations": (GAP, "/additional_quotes", ["都花了"]),
    "other places": (GAP, "/additional_evidence", [{"page": 3, "lines": "7, 9–11"}, {"page": 4}]),
    "a conflict": (
        GAP,
        "/conflicting_evidence",
        [
            {"page": 3, "must_include": "前后给过两次", "speaker": "answer"},
            {"page": 4, "must_include": "应该是三次", "section": "qa_pair"},
        ],
    ),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_the_schema_allows(read, case):
    question, pointer, value = GOOD[case]
    read(file_of(changed(question, pointer, value), kind=question.get("type", "conflict_gap")))


def test_your_own_criteria(read):
    criteria = {"description": "…", "max_snippet_chars": 400, "passing_score": {"hallucination_rate": 0.0}}
    instructions = {"rules": ["材料没有的，不答"]}
    file = read(file_of(FACT, evaluation_criteria=criteria, system_instructions=instructions))
    assert file.criteria == criteria


P = "q.json:1: /questions/0"
EXPECTED = "amount_total, amount_breakdown, date, date_range, count, boolean_answer, entity, text_answer"
BAD: dict[str, tuple[Any, str, Any, str]] = {
    "a day that is none": (
        FACT,
        "/expected/date",
        "2020-02-30",
        P + "/expected/date: '2020-02-30' is not a date (YYYY-MM-DD)",
    ),
    "a month that is none": (
        FACT,
        "/expected/date",
        "2020-13-01",
        P + "/expected/date: '2020-13-01' is not a date (YYYY-MM-DD)",
    ),
    "a date in short": (
        FACT,
        "/expected/date",
        "2020-8-30",
        P + "/expected/date: '2020-8-30' is not a date (YYYY-MM-DD)",
    ),
    "a date in digits": (
        FACT,
        "/expected/date",
        "20200830",
        P + "/expected/date: '20200830' is not a date (YYYY-MM-DD)",
    ),
    "a range that is inverted": (
        FACT,
        "/expected/date_range",
        {"start": "2020-08-31", "end": "2020-06-05"},
        P + "/expected/date_range: the range ends before it begins: 2020-08-31 to 2020-06-05",
    ),
    "a range with one end": (
        FACT,
        "/expected/date_range",
        {"start": "2020-08-31"},
        P + "/expected/date_range: the field 'end' is missing",
    ),
    "an amount in words": (
        FACT,
        "/expected/amount_total",
        "42000",
        P + "/expected/amount_total: must be a number, not '42000'",
    ),
    "an amount that is true": (
        FACT,
        "/expected/amount_total",
        True,
        P + "/expected/amount_total: must be a number, not true",
    ),
    "an amount below 0": (FACT, "/expected/amount_total", -1, P + "/expected/amount_total: must be at least 0, not -1"),
    "half a count": (FACT, "/expected/count", 2.5, P + "/expected/count: must be an integer, not 2.5"),
    "a breakdown of words": (
        FACT,
        "/expected/amount_breakdown",
        ["30000"],
        P + "/expected/amount_breakdown/0: must be an object or a number, not '30000'",
    ),
    "an empty breakdown": (
        FACT,
        "/expected/amount_breakdown",
        [],
        P + "/expected/amount_breakdown: must not be empty",
    ),
    "nothing expected": (FACT, "/expected", {}, P + "/expected: must not be empty"),
    "no expected": (FACT, "/expected", ..., P + ": the field 'expected' is missing"),
    "an expected list": (FACT, "/expected", [], P + "/expected: must be an object, not []"),
    "an empty entity": (FACT, "/expected/entity", " ", P + "/expected/entity: must not be empty"),
    "a misspelt field": (
        FACT,
        "/expected/amount_totl",
        1,
        P + "/expected/amount_totl: no field is called 'amount_totl'; did you mean 'amount_total'?",
    ),
    "an unknown field": (
        FACT,
        "/expected/xyz",
        1,
        P + f"/expected/xyz: no field is called 'xyz'; known: {EXPECTED}",
    ),
    "a misspelt field of the question": (
        FACT,
        "/required_evidense",
        [],
        P + "/required_evidense: no field is called 'required_evidense'; did you mean 'required_evidence'?",
    ),
    "a misspelt flag": (
        FACT,
        "/scoring/numeric_exakt",
        True,
        P + "/scoring/numeric_exakt: no field is called 'numeric_exakt'; did you mean 'numeric_exact'?",
    ),
    "a field of another type": (
        EVIDENCE,
        "/expected/amount_total",
        1,
        P + "/expected/amount_total: no field is called 'amount_total'; known: evidence_count_min, key_points",
    ),
    "a mistyped type": (
        FACT,
        "/type",
        "fact_exat",
        P + "/type: no question type is called 'fact_exat'; did you mean 'fact_exact'?",
    ),
    "an unknown type": (
        FACT,
        "/type",
        "trivia",
        P + f"/type: no question type is called 'trivia'; known: {', '.join(types_by_name())}",
    ),
    "a type that is no text": (FACT, "/type", 3, P + "/type: must be text, not 3"),
    "a quotation of blanks": (
        GAP,
        "/required_quote",
        "____ ……",
        P + "/required_quote: a quotation must have words",
    ),
    "a quotation of the question": (
        GAP,
        "/additional_quotes",
        ["都花了", "用到哪里"],
        P + "/additional_quotes/1: all words of the quotation are in the question itself",
    ),
    "an empty id": (FACT, "/id", "", P + "/id: must not be empty"),
    "no question": (FACT, "/question", ..., P + ": the field 'question' is missing"),
    "an empty must_include": (
        FACT,
        "/required_evidence/0/must_include",
        " ",
        P + "/required_evidence/0/must_include: must not be empty",
    ),
    "page 0": (FACT, "/required_evidence/0/page", 0, P + "/required_evidence/0/page: must be at least 1, not 0"),
    "a speaker": (
        FACT,
        "/required_evidence/0/speaker",
        "judge",
        P + "/required_evidence/0/speaker: 'judge' is not one of: question, answer",
    ),
    "no evidence for a citation": (
        FACT,
        "/required_evidence",
        [],
        P + "/scoring/citation_required: a citation is required, but required_evidence is missing",
    ),
    "a threshold": (
        EVIDENCE,
        "/scoring/evidence_recall_min",
        80,
        P + "/scoring/evidence_recall_min: must be between 0 and 1, not 80",
    ),
    "an evidence set without evidence": (
        EVIDENCE,
        "/required_evidence",
        ...,
        P + ": the field 'required_evidence' is missing",
    ),
    "an evidence set with none": (EVIDENCE, "/required_evidence", [], P + "/required_evidence: must not be empty"),
    "a count of evidence": (
        EVIDENCE,
        "/expected/evidence_count_min",
        0,
        P + "/expected/evidence_count_min: must be at least 1, not 0",
    ),
    "a penalty": (
        GAP,
        "/hallucination_penalty",
        "hihg",
        P + "/hallucination_penalty: 'hihg' is not one of: high, medium, low",
    ),
    "a penalty above 1": (
        GAP,
        "/hallucination_penalty",
        1.5,
        P + "/hallucination_penalty: must be between 0 and 1, not 1.5",
    ),
    "a penalty of no kind": (
        GAP,
        "/hallucination_penalty",
        [],
        P + "/hallucination_penalty: must be text or a number, not []",
    ),
    "no word on abstention": (GAP, "/should_abstain", ..., P + ": the field 'should_abstain' is missing"),
    "two words on abstention": (
        GAP,
        "/expected",
        {"should_abstain": False},
        P + "/expected/should_abstain: contradicts the field should_abstain of the question",
    ),
    "a flag against abstention": (
        GAP,
        "/scoring/abstention_required",
        False,
        P + "/scoring/abstention_required: contradicts the field should_abstain of the question",
    ),
    "a quotation that is not there": (
        GAP,
        "/required_quote",
        ...,
        P + "/scoring/quote_required: a quotation is required, but required_quote is missing",
    ),
    "other quotations in place of none": (
        changed(changed(GAP, "/required_quote", ...), "/scoring", {}),
        "/additional_quotes",
        ["都花了"],
        P + "/additional_quotes: these are alternatives to required_quote, which is missing",
    ),
    "lines that are inverted": (
        GAP,
        "/evidence_location/lines",
        "107-105",
        P + "/evidence_location/lines: the range ends before it begins: 107 to 105",
    ),
    "lines in words": (
        GAP,
        "/evidence_location/lines",
        "第三行",
        P + "/evidence_location/lines: '第三行' is not of the form 105-107",
    ),
    "a conflict of one": (
        GAP,
        "/conflicting_evidence",
        [{"page": 1, "must_include": "前后给过两次"}],
        P + "/conflicting_evidence: at least 2 entries are required, not 1",
    ),
    "a difficulty": (
        FACT,
        "/metadata",
        {"difficulty": "trivial"},
        P + "/metadata/difficulty: 'trivial' is not one of: easy, medium, hard",
    ),
    "a long value": (FACT, "/question", ["长" * 80], P + f'/question: must be text, not ["{"长" * 58}…'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_questions(complaint, case):
    question, pointer, value, message = BAD[case]
    kind = question.get("type", "conflict_gap")
    assert complaint(file_of(changed(question, pointer, value), kind=kind)) == message
    if question is EVIDENCE:  # a question that says no type of its own is checked as well
        assert complaint(file_of(changed(changed(question, "/type", ...), pointer, value), kind=kind)) == message


ROOT = "benchmark_type, description, document, questions, evaluation_criteria, system_instructions"
BAD_FILES = {
    "nothing": ("", "q.json: it is empty"),
    "a list": ("[]", "q.json:1: must be an object, not []"),
    "no questions": (file_of(), "q.json:1: /questions: must not be empty"),
    "questions that are no list": (file_of() | {"questions": {}}, "q.json:1: /questions: must be a list, not {}"),
    "a question that is none": (file_of("q"), "q.json:1: /questions/0: must be an object, not 'q'"),
    "nothing at all": (
        "{}",
        "q.json:1: the field 'benchmark_type' is missing\nq.json:1: the field 'document' is missing\n"
        "q.json:1: the field 'questions' is missing",
    ),
    "a mistyped type": (
        file_of({**GAP, "expected": {"date_range": 3}}, kind="conflict-gap"),
        "q.json:1: /benchmark_type: no question type is called 'conflict-gap'; did you mean 'conflict_gap'?",
    ),
    "a misspelt field": (
        file_of(FACT, evaluation_criterea={}),
        "q.json:1: /evaluation_criterea: no field is called 'evaluation_criterea'; did you mean 'evaluation_criteria'?",
    ),
    "an unknown field": (file_of(FACT, xyz=1), f"q.json:1: /xyz: no field is called 'xyz'; known: $schema, {ROOT}"),
    "a threshold": (
        file_of(FACT, evaluation_criteria={"passing_threshold": -0.1, "max_snippet_chars": 0}),
        "q.json:1: /evaluation_criteria/passing_threshold: must be between 0 and 1, not -0.1\n"
        "q.json:1: /evaluation_criteria/max_snippet_chars: must be at least 1, not 0",
    ),
    "an id twice": (file_of(FACT, FACT), "q.json:1: duplicate id 'fact_001' (first at q.json:1)"),
    "NaN": ('{"questions": [\n{"expected":\n{"amount_total": NaN}}]}', "q.json:3: NaN is not a valid JSON number"),
    "a key twice": ('{"document": "a",\n"document": "b"}', "q.json:2: duplicate key 'document' in one object"),
    "no JSON": ('{"questions": [\n{"a" 1]}', "q.json:2: this is not JSON: Expecting ':' delimiter (column 6)"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(complaint, case):
    content, message = BAD_FILES[case]
    assert complaint(content) == message


def test_all_faults_are_told_in_the_order_of_the_file(complaint):
    questions = [FACT, changed(FACT, "/expected/date", "2020-13-01"), changed(GAP, "/should_abstain", ...)]
    questions[2]["type"] = "conflict_gap"
    content = json.dumps(file_of(*questions), ensure_ascii=False, indent=1)
    rows = content.split("\n")
    line = 1 + next(n for n, row in enumerate(rows) if "2020-13-01" in row)
    again = 1 + [n for n, row in enumerate(rows) if "fact_001" in row][1]
    gap = 1 + next(n for n, row in enumerate(rows) if "conflict_gap_001" in row) - 1
    assert complaint(content) == (
        f"q.json:{line}: /questions/1/expected/date: '2020-13-01' is not a date (YYYY-MM-DD)\n"
        f"q.json:{gap}: /questions/2: the field 'should_abstain' is missing\n"
        f"q.json:{again}: duplicate id 'fact_001' (first at q.json:7)"
    )


def test_twenty_faults_are_enough(complaint):
    message = complaint(file_of(*({"id": f"q{n}", "question": "?"} for n in range(50))))
    assert message.count("the field 'expected' is missing") == 20
    assert message.endswith("(the first 20 problems; there may be more)")


def test_questions_must_be_utf8(write):
    path = write("q.json", json.dumps(file_of(FACT), ensure_ascii=False).encode("gb18030"))
    with pytest.raises(InputError, match="this is not UTF-8 text"):
        read_question_file(path)


# folders


@pytest.fixture
def folder(tmp_path):
    """A benchmark folder of these files."""

    def folder(**files) -> Path:
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_json", ".json").replace("_md", ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
        return tmp_path

    return folder


def test_a_folder_of_questions(folder):
    path = folder(questions__b_json=file_of(FACT), questions__a_json=file_of(GAP, kind="conflict_gap"), other_json="[]")
    assert [(Path(file.path).name, file.type) for file in read_benchmark(path)] == [
        ("a.json", "conflict_gap"),
        ("b.json", "fact_exact"),
    ]


def test_a_folder_without_an_inner_one(folder):
    pages = {"pages": [{"page": 1, "text": "a"}]}
    path = folder(b_json=file_of(FACT), pages_json=pages, list_json="[1]", half_json={"benchmark_type": "fact_exact"})
    assert [found.name for found in question_paths(path)] == ["b.json", "half.json"]


def complaint_of(read, *values) -> str:
    with pytest.raises(SteelyardError) as caught:
        read(*values)
    return str(caught.value)


def test_bad_folders(folder, tmp_path):
    path = folder(
        questions__a_json=file_of(FACT),
        questions__b_json=file_of(changed(FACT, "/expected/count", 1.5)),
        questions__c_json=file_of(FACT),
    )
    inner = path / "questions"
    assert complaint_of(read_benchmark, path) == (
        f"{inner / 'b.json'}:1: /questions/0/expected/count: must be an integer, not 1.5\n"
        f"{inner / 'c.json'}:1: duplicate id 'fact_001' (first at {inner / 'a.json'}:1)"
    )
    (tmp_path / "empty").mkdir()
    assert complaint_of(read_benchmark, tmp_path / "empty") == (
        f"{tmp_path / 'empty'}: it contains no questions\n"
        "hint: a benchmark folder contains questions/*.json, or question files"
    )
    assert complaint_of(read_benchmark, tmp_path / "none") == f"{tmp_path / 'none'}: there is no such folder"


@pytest.mark.parametrize("place", ["questions__d_md", "d_md", "documents__d_md"])
def test_documents_are_found(folder, place):
    path = folder(questions__a_json=file_of(FACT), **{place: "text"})
    (file,) = read_benchmark(path)
    assert find_document(file, path).read_text() == "text"


def test_documents_that_are_not_found(folder):
    path = folder(questions__a_json=file_of(FACT, document="d.md").__or__({"document": "trancript.md"}))
    (file,) = read_benchmark(path)
    place = f"{path / 'questions' / 'a.json'}:1"
    assert complaint_of(find_document, file, path) == (
        f"{place}: there is no document 'trancript.md'\n"
        "hint: documents are searched for beside the questions, in the benchmark folder, in its folder documents, "
        "and beside the benchmark"
    )
    folder(documents__transcript_md="text")
    assert complaint_of(find_document, file, path) == (
        f"{place}: there is no document 'trancript.md'\nhint: did you mean 'transcript.md'?"
    )


# the schema itself


def test_the_schema_is_one_and_every_fault_it_can_find_has_words():
    from jsonschema import Draft202012Validator

    schema = json.loads((benchmark_folder() / "schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    quiet = {"properties", "items", "$ref", "$defs", "$schema", "allOf", "if", "then", "not", "const", "title"}
    quiet |= {"description", "examples", "required", "additionalProperties", "$comment"}
    worded = {"type", "enum", "minimum", "exclusiveMinimum", "maximum", "pattern", "minItems", "minProperties"}
    worded |= {"format"}
    assert keywords(schema) <= quiet | worded


def keywords(schema) -> set[str]:
    found = set(schema)
    for key in ("properties", "$defs"):
        found |= {word for inner in schema.get(key, {}).values() for word in keywords(inner)}
    for key in ("items", "if", "then", "not"):
        found |= keywords(schema[key]) if key in schema else set()
    return found | {word for inner in schema.get("allOf", ()) for word in keywords(inner)}


def test_the_benchmark_beside_the_sources_is_found():
    assert benchmark_folder() == Path(__file__).parents[2] / "benchmark"


PAGES_WITH_QUESTIONS = (
    "benchmark/SCHEMA.md",
    "benchmark/SCHEMA.en.md",
    "docs/en/guides/legal.md",
    "docs/zh/guides/legal.md",
)


@pytest.mark.parametrize("page", PAGES_WITH_QUESTIONS)
def test_the_examples_of_the_documentation_are_sound(read, write, page):
    blocks = re.findall(r"```json\n(.*?)```", (PROJECT / page).read_text("utf-8"), re.DOTALL)
    examples = [block for block in blocks if json.loads(block).keys() & {"pages", "questions", "expected"}]
    assert examples
    for example_text in examples:
        content = json.loads(example_text)
        if "pages" in content:
            assert read_document(write("d.json", example_text)).pages
        else:
            read(example_text if "questions" in content else file_of(content))


@pytest.mark.parametrize("page", ["SCHEMA.md", "SCHEMA.en.md"])
def test_every_field_and_the_version_are_in_the_documentation(page):
    schema = json.loads((benchmark_folder() / "schema.json").read_text("utf-8"))
    text = (PROJECT / "benchmark" / page).read_text("utf-8")
    assert schema["$comment"] == "version 1.0.0"
    assert "1.0.0" in text
    assert [name for name in fields_of(schema) if name != "$schema" and name not in text] == []


def fields_of(schema) -> set[str]:
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    return set(schema.get("properties", {})) | {name for each in inner for name in fields_of(each)}


def test_the_examples_of_the_seed_document(read, real):
    """As they stand there, but for the evidence, which it leaves out."""
    text = (real.parents[1] / "seeds" / "legal-rag-benchmark-schema.md").read_text("utf-8")
    blocks = [block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"id"' in block]
    shown = '[{"page": 2, "must_include": "会退回给他"}]'
    questions = [json.loads(block.replace("[...]", shown)) for block in blocks]
    kinds = ["fact_exact", "evidence_set", "conflict_gap"]
    for kind, question in zip(kinds, questions, strict=True):
        assert read(file_of(question, kind=kind, evaluation_criteria={})).questions[0].fields["type"] == kind


def test_the_case_beside_the_project(real):
    files = read_benchmark(real.parent / "legal_zh" / "case")
    assert [(file.type, len(file.questions)) for file in files] == [
        ("conflict_gap", 6),
        ("evidence_set", 4),
        ("fact_exact", 6),
    ]


# the bundled questions


def words_in(text: str) -> set[str]:
    """The words of an English text; all pieces of one to three characters of a Chinese one."""
    if text.isascii():
        return set(re.findall("[a-z]{2,}", text.lower()))
    return {text[at : at + length] for length in (1, 2, 3) for at in range(len(text) - length + 1)}


@pytest.mark.parametrize("is_english", [False, True])
def test_no_word_gives_a_gap_away(is_english):
    """A system must not tell from the style of a question (究竟, exactly) that the document does not answer it."""
    gaps: list[set[str]] = []
    others: set[str] = set()
    for file in read_benchmark(benchmark_folder()):
        for fields in (question.fields for question in file.questions):
            if fields["question"].isascii() is is_english:
                gaps += [words_in(fields["question"])] if fields.get("should_abstain") else []
                others |= words_in(fields["question"]) if fields.get("should_abstain") is False else set()
    found = {word for words in gaps for word in words - others}
    assert [word for word in found if sum(word in words for words in gaps) >= 0.3 * len(gaps)] == []


# anything

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def pointers(value, pointer=""):
    yield pointer
    members = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in members:
        yield from pointers(inner, f"{pointer}/{key}")


WHOLE = file_of(FACT, EVIDENCE, GAP, kind="conflict_gap", evaluation_criteria={"passing_threshold": 1})


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from([p for p in pointers(WHOLE) if p]), VALUES), min_size=1, max_size=3))
@example([("/questions/0/type", ["fact_exact"])])
@example([("/questions/2/scoring", None)])
def test_no_value_gives_a_traceback(tmp_path_factory, changes):
    content = WHOLE
    for pointer, value in changes:
        try:
            content = changed(content, pointer, value)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change took the place away
    assert_read_or_refused(tmp_path_factory, json.dumps(content, ensure_ascii=False).encode(errors="surrogatepass"))


@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
@example(b'{"questions":[' + b'{"id":' + b"[" * 900 + b"]" * 900 + b"}]}")
def test_no_content_gives_a_traceback(tmp_path_factory, content):
    assert_read_or_refused(tmp_path_factory, content)


def assert_read_or_refused(tmp_path_factory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "q.json"
    path.write_bytes(content)
    try:
        assert read_question_file(path).questions
    except SteelyardError as caught:
        error = caught
    else:
        return
    assert all(problem.where.startswith(str(path)) for problem in error.problems)


@pytest.fixture
def benchmark_of(tmp_path):
    """A benchmark whose questions name a document, with a secret beside its folder."""

    def make(name: str) -> Path:
        folder = tmp_path / "benchmark"
        (folder / "questions").mkdir(parents=True)
        (folder / "documents").mkdir()
        (folder / "documents" / "inside.txt").write_text("text", encoding="utf-8")
        (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
        (folder / "documents" / "link.txt").symlink_to(tmp_path / "secret.txt")
        (folder / "documents" / "near.txt").symlink_to(folder / "documents" / "inside.txt")
        content = {**file_of(FACT), "document": name}
        (folder / "questions" / "q.json").write_text(json.dumps(content), encoding="utf-8")
        return folder

    return make


@posix
@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.txt", "../../secret.txt", "link.txt", "C:\\secret.txt"])
def test_a_document_outside_the_benchmark_is_refused(benchmark_of, name):
    folder = benchmark_of(name)
    (file,) = read_benchmark(folder)
    with pytest.raises(InputError) as caught:
        find_document(file, folder)
    assert str(caught.value.message) == f"this document is outside the benchmark folder: {name!r}"
    assert "--documents DIR" in str(caught.value)
    assert caught.value.where.startswith(file.path)


@posix
@pytest.mark.parametrize("name", ["inside.txt", "near.txt", "documents/inside.txt"])
def test_a_document_inside_the_benchmark_is_found(benchmark_of, name):
    folder = benchmark_of(name)
    assert find_document(read_benchmark(folder)[0], folder).read_text() == "text"


@posix
@pytest.mark.parametrize("name", ["secret.txt", "link.txt", "../../secret.txt"])
def test_another_folder_may_be_allowed(benchmark_of, tmp_path, name):
    folder = benchmark_of(name)
    assert find_document(read_benchmark(folder)[0], folder, tmp_path).read_text() == "secret"


@posix
def test_a_link_to_questions_elsewhere_is_refused(benchmark_of, tmp_path):
    folder = benchmark_of("inside.txt")
    (tmp_path / "secret.json").write_text('{"questions": "secret"}')
    link = next(Path(folder).rglob("*.json")).parent / "more.json"
    link.symlink_to(tmp_path / "secret.json")
    with pytest.raises(InputError) as caught:
        read_benchmark(folder)
    assert str(caught.value.message) == "this link points outside the benchmark folder"
    assert caught.value.where == str(link)


@posix
def test_a_name_with_nul_is_a_message(benchmark_of):
    folder = benchmark_of("a\0b")
    with pytest.raises(InputError, match="this is not a valid file name"):
        find_document(read_benchmark(folder)[0], folder)


@posix
@pytest.mark.parametrize("command", [["validate"], ["bench", "--system", "builtin:baseline"]])
def test_commands_refuse_what_lies_outside(benchmark_of, command, capsys, tmp_path, monkeypatch):
    from steelyard.cli import main

    monkeypatch.chdir(tmp_path)
    folder = benchmark_of("../secret.txt")
    assert main([command[0], str(folder), *command[1:]]) == 2
    written = capsys.readouterr()
    assert "this document is outside the benchmark folder: '../secret.txt'" in written.out + written.err
    assert main([command[0], str(folder), *command[1:], "--documents", str(tmp_path / "none")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
