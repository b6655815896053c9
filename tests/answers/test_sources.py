"""Answers are read as the file has them: every name found, every value kept, every doubt an error with its place."""

import gzip
import io
import json
from typing import Any

import numpy as np
import pytest
from complaints import complaint
from hypothesis import given
from hypothesis import strategies as st

import steelyard
from steelyard.answers.sources import Answers, answers_of, read_questions, stream_answers
from steelyard.errors import ConfigError
from steelyard.io.layouts import ID, PREDICTION, QUESTION, REFERENCES
from steelyard.io.streams import text_blocks

VALUE_HINT = (
    "hint: a prediction is text, references are text or a list of texts; mapping={FIELD: COLUMN} selects other columns"
)
ID_HINT = 'hint: every row needs a unique id; mapping={"id": "COLUMN"} selects another column'
NONE = {"counts.predictions_missing": 0, "counts.rows_unreferenced": 0, "counts.predictions_empty": 0}


def read_answers(path, **settings) -> Answers:
    """All rows of a file at once."""
    source = stream_answers(path, **settings)
    rows = [row for batch in source.batches() for row in batch]
    return Answers(source.name, rows, source.digest, source.counts)


def lines(*rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def read(write):
    """The answers in a JSONL file of these rows."""

    def read(*rows, **settings) -> Answers:
        return read_answers(write("a.jsonl", lines(*rows)), **settings)

    return read


LOGS: Any = {
    "ragflow": {
        "code": 0,
        "data": {
            "answer": "The deposit is 30,000 yuan [ID:0].",
            "reference": {"chunks": [{"id": "c1", "content": "The deposit is 30,000 yuan.", "document_name": "a.pdf"}]},
        },
    },
    "dify": {
        "answer": "The deposit is 30,000 yuan.",
        "metadata": {
            "usage": {"total_tokens": 100, "total_price": "0.0012"},
            "retriever_resources": [{"segment_id": "c1", "content": "The deposit is 30,000 yuan.", "position": 1}],
        },
    },
    "fastgpt": {
        "choices": [{"message": {"content": "The deposit is 30,000 yuan [67e517e74767063e882d6861](CITE)."}}],
        "responseData": [
            {"quoteList": [{"id": "67e517e74767063e882d6861", "q": "The deposit is 30,000 yuan.", "a": ""}]}
        ],
    },
    "openwebui": {
        "choices": [{"message": {"content": "The deposit is 30,000 yuan [1]."}}],
        "sources": [
            {
                "source": {"name": "a.pdf"},
                "document": ["The deposit is 30,000 yuan."],
                "metadata": [{"source": "a.pdf"}],
            }
        ],
    },
}


@pytest.mark.parametrize("product", LOGS)
@pytest.mark.parametrize("is_inside", [False, True])
def test_a_log_of_a_product(product, is_inside, tmp_path):
    body = {"response": LOGS[product]} if is_inside else LOGS[product]
    beside = {"id": "q1", "question": "How much is the deposit?", "references": ["30,000 yuan"]}
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**beside, **body}) + "\n", "utf-8")
    table = steelyard.evaluate_answers(path, metrics="Correct,ValuesGrounded,CitationR", keep=True)
    cites = 0 if product == "dify" else 1
    assert [table.mean(metric) for metric in table.metrics] == [1, 1, cites]
    assert table.ids == ["q1"]
    assert table.outputs[0]["contexts"][0].strip() == "The deposit is 30,000 yuan."
    if product == "dify":
        assert steelyard.evaluate_answers(path, metrics="Tokens,Cost").mean("Cost") == 0.0012


def test_a_failure_of_a_product_in_its_log(tmp_path):
    path = tmp_path / "log.jsonl"
    failed = {"id": "q2", "question": "Who?", "code": 102, "message": "No such chat", "data": {}, "references": ["x"]}
    rows = [{"id": "q1", "question": "How much?", "references": ["x"], **LOGS["ragflow"]}, failed]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    table = steelyard.evaluate_answers(path, metrics="EM")
    assert "No such chat" in table.failures[1]


def test_a_row_is_kept_as_it_is(write):
    path = write(
        "a.jsonl", "\ufeff\n" + lines({"id": "q1", "question": "?", "golden_answers": ["x", "y"], "pred": "z"})
    )
    answers = read_answers(path)
    (row,) = answers.rows
    assert (row.id, row.question) == ("q1", "?")
    assert (row.prediction, row.references, row.nested, row.tags) == ("z", (("x", "y"),), False, {})
    assert (answers.name, answers.counts) == (str(path), NONE)


@pytest.mark.parametrize("write_name", [str.lower, str.upper])
def test_every_name_is_known(read, write_name):
    for name in ID:
        assert read({write_name(name): 7, "pred": "a", "gold": "b"}).rows[0].id == "7"
    for name in QUESTION:
        assert read({write_name(name): "what?", "pred": "a", "gold": "b"}).rows[0].question == "what?"
    for name in REFERENCES:
        assert read({write_name(name): "b", "response": "a"}).rows[0].references == (("b",),)
    for name in PREDICTION:
        assert read({write_name(name): "a", "reference": "b"}).rows[0].prediction == "a"


def test_the_names_that_are_promised():
    assert " ".join(ID) == "id qid query_id _id question_id"
    assert " ".join(QUESTION) == "question query user_input input q_ls"
    assert " ".join(REFERENCES) == (
        "golden_answers references reference answers expected_output target gt_answer generation_gt "
        "ground_truth ground_truths gold gold_answers gt_ls"
    )
    assert " ".join(PREDICTION) == (
        "pred_answer prediction pred response actual_output output answer generated_answer pred_ls"
    )


def test_answer_is_the_reference_beside_a_prediction_without_references(read):
    for name in set(PREDICTION) - {"answer"}:
        row = read({"answer": "gold", name: "mine"}).rows[0]
        assert (row.prediction, row.references) == ("mine", (("gold",),))


def test_the_first_name_wins_for_ids_and_questions(read):
    row = read({"question_id": 1, "id": 2, "input": "i", "query": "q", "pred": "a", "gold": "b"}).rows[0]
    assert (row.id, row.question) == ("2", "q")


AMBIGUOUS = {
    "predictions": ({"response": "a", "output": "b", "gold": "c"}, "response", "output", "prediction"),
    "references": ({"response": "a", "gold": "b", "target": "c"}, "target", "gold", "references"),
    "answer beside both": ({"answer": "a", "pred": "b", "gold": "c"}, "pred", "answer", "prediction"),
    "upper and lower case": ({"Pred": "a", "pred": "b", "gold": "c"}, "Pred", "pred", "prediction"),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_two_columns_with_equal_right(write, case):
    row, first, second, field = AMBIGUOUS[case]
    path = write("a.jsonl", lines(row))
    assert complaint(read_answers, path) == (
        f"{path}: {first!r} and {second!r} could both be {field!r}\n"
        f'hint: specify the column, for example: mapping={{"{field}": "{first}"}}'
    )
    assert read_answers(path, mapping={field: second}).rows


def test_columns_that_differ_from_row_to_row_are_two_columns(write):
    path = write("a.jsonl", lines({"gold": "c", "pred": "a"}, {"gold": "c", "response": "a"}))
    assert "'pred' and 'response' could both be 'prediction'" in complaint(read_answers, path)


def test_a_mapping_names_columns(read):
    row = {"key": "k", "what": "w", "right": "r", "said": "s", "kind": {"area": "tax"}, "answer": "no", "output": "no"}
    mapping = {"id": "key", "question": "what", "references": "right", "prediction": "said", "tags": "kind"}
    found = read(row, mapping=mapping).rows[0]
    assert (found.id, found.question, found.prediction, found.references) == ("k", "w", "s", (("r",),))
    assert found.tags == {"area": "tax"}
    assert read({"kind": "tax", "answer": "a", "gold": "b"}, mapping={"tags": "kind"}).rows[0].tags == {"kind": "tax"}


def test_a_mapping_frees_the_other_names(read):
    row = read({"answer": "a", "output": "b"}, mapping={"references": "output"}).rows[0]
    assert (row.prediction, row.references) == ("a", (("b",),))
    row = read({"answer": "a", "said": "b"}, mapping={"prediction": "said"}).rows[0]
    assert (row.prediction, row.references) == ("b", (("a",),))


def test_a_mapping_that_names_nothing(write):
    path = write("a.jsonl", lines({"pred": "a", "gold": "b"}))
    assert complaint(read_answers, path, mapping={"refs": "gold"}, kind=ConfigError) == (
        "no field is called 'refs'\nhint: known: id, question, references, prediction, tags, contexts, "
        "reference_contexts, retrieved_context_ids, reference_context_ids"
    )
    assert complaint(read_answers, path, mapping={"reference": "gold"}, kind=ConfigError) == (
        "no field is called 'reference'\nhint: did you mean 'references'?"
    )
    assert complaint(read_answers, path, mapping={"answer": "pred"}, kind=ConfigError) == (
        "no field is called 'answer'\nhint: did you mean 'prediction'?"
    )
    ragas = write("b.jsonl", lines({"user_input": "q", "response": "a", "reference": "b", "retrieved_contexts": []}))
    assert complaint(read_answers, ragas, mapping={"references": "gold"}) == (
        f"{ragas}: no column is called 'gold'\nhint: known: user_input, response, reference, retrieved_contexts"
    )
    assert complaint(read_answers, path, mapping={"references": "golds"}) == (
        f"{path}: no column is called 'golds'\nhint: did you mean 'gold'?"
    )
    both = {"references": "gold", "prediction": "gold"}
    assert complaint(read_answers, path, mapping=both, kind=ConfigError) == (
        "the column 'gold' is given for both 'references' and 'prediction'"
    )


def test_the_columns_of_a_format_are_named_as_in_the_file(write):
    path = write("a.jsonl", lines({"question": "a", "answer": "b", "contexts": ["c"], "ref_ans": "d"}))
    assert (
        f"{path}: no column contains 'references'; columns: 'question', 'answer', 'contexts', 'ref_ans'\n"
        in complaint(read_answers, path)
    )


def test_no_column_for_a_field(write):
    path = write("a.jsonl", lines({"text": "a", "gold": "b"}))
    assert complaint(read_answers, path) == (
        f"{path}: no column contains 'prediction'; columns: 'text', 'gold'\n"
        "hint: accepted names: pred_answer, prediction, pred, response, actual_output, output, answer, "
        'generated_answer, pred_ls; select another column with mapping={"prediction": "COLUMN"}'
    )
    path = write("b.jsonl", lines({"answer": "a"}))
    assert complaint(read_answers, path) == (
        f"{path}: no column contains 'references'; columns: 'answer'\n"
        "hint: accepted names: golden_answers, references, reference, answers, expected_output, target, gt_answer, "
        "generation_gt, ground_truth, ground_truths, gold, gold_answers, gt_ls; "
        'select another column with mapping={"references": "COLUMN"}, or another file with references=FILE;'
        " metrics such as ValuesGrounded and Refusal need no references (metrics=)"
    )


def test_tags(read):
    row = {"pred": "a", "gold": "b", "Category": "tax", "type": 3, "language": "", "task": ["x"]}
    row["metadata"] = {"court": "BGH", "year": 2020, "final": True, "share": 0.5, "pages": [1], "none": None}
    tags = {"Category": "tax", "court": "BGH", "year": "2020", "final": "true", "share": "0.5"}
    assert read(row).rows[0].tags == tags
    assert read(row | {"tags": {"court": "BVerfG"}}).rows[0].tags["court"] == "BGH"
    assert read({"pred": "a", "gold": "b", "tags": ["x"]}).rows[0].tags == {}


PREDICTIONS = {
    "text": ("a", "a", {}),
    "nothing": (None, None, {"counts.predictions_missing": 1}),
    "empty text": ("", "", {"counts.predictions_empty": 1}),
    "an integer": (42, "42", {"counts.predictions_as_text": 1}),
    "a number": (4.5, "4.5", {"counts.predictions_as_text": 1}),
    "a boolean": (True, "true", {"counts.predictions_as_text": 1}),
    "a list of one text": (["a"], "a", {}),
    "FlashRAG's output": ({"prompt": "p", "pred": "a"}, "a", {}),
}


@pytest.mark.parametrize("case", PREDICTIONS)
def test_predictions(read, case):
    given, expected, counts = PREDICTIONS[case]
    for answers in (read({"pred": given, "gold": "b"}), answers_of([given], ["b"])):
        assert answers.rows[0].prediction == expected
        assert answers.counts == NONE | counts


def test_an_absent_prediction_is_missing(read):
    answers = read({"gold": "b"}, {"gold": "b", "pred": "a"})
    assert [row.prediction for row in answers.rows] == [None, "a"]
    assert answers.counts == NONE | {"counts.predictions_missing": 1}


GROUPS = {
    "text": ("a", (("a",),), False),
    "empty text": ("", (("",),), False),
    "a number": (4, (("4",),), False),
    "a list": (["a", 1, False, 2.5], (("a", "1", "false", "2.5"),), False),
    "groups": ([["a", "b"], ["c"]], (("a", "b"), ("c",)), True),
    "one group": ([["a", "b"]], (("a", "b"),), True),
    "nothing": (None, (), False),
    "an empty list": ([], (), False),
    "an empty group": ([[]], (), False),
}


@pytest.mark.parametrize("case", GROUPS)
def test_references(read, case):
    given, groups, nested = GROUPS[case]
    for answers in (read({"pred": "a", "gold": given}), answers_of(["a"], [given])):
        assert (answers.rows[0].references, answers.rows[0].nested) == (groups, nested)
        assert answers.counts == NONE | {"counts.rows_unreferenced": int(not groups)}


BAD_VALUES: dict[str, tuple[dict[str, Any], str]] = {
    "several predictions": ({"pred": ["a", "b"]}, 'the prediction must be text, not ["a", "b"]'),
    "no prediction in a list": ({"pred": []}, "the prediction must be text, not []"),
    "a number in a list": ({"pred": [1]}, "the prediction must be text, not [1]"),
    "an object": ({"pred": {"文": "a"}}, 'the prediction must be text, not {"文": "a"}'),
    "a reference that is an object": ({"gold": {"a": 1}}, 'a reference must be text, not {"a": 1}'),
    "null among references": ({"gold": ["a", None]}, "a reference must be text, not null"),
    "null in a group": ({"gold": [["a"], [None]]}, "a reference must be text, not null"),
    "texts and lists": ({"gold": ["a", ["b"]]}, 'the references mix texts and lists of texts: ["a", ["b"]]'),
    "lists too deep": ({"gold": [[["a"]]]}, 'a reference must be text, not ["a"]'),
    "an empty group": ({"gold": [["a"], []]}, 'a group of references is empty: [["a"], []]'),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_values_that_are_refused(write, case):
    change, message = BAD_VALUES[case]
    path = write("a.jsonl", lines({"pred": "a", "gold": "b"}, {"pred": "a", "gold": "b"} | change))
    assert complaint(read_answers, path) == f"{path}:2: {message}\n{VALUE_HINT}"


def test_the_first_twenty_problems_come_at_once(write):
    path = write("a.jsonl", lines(*({"pred": [], "gold": "b"} for _ in range(30))))
    assert complaint(read_answers, path).split("\n") == [
        *(f"{path}:{n}: the prediction must be text, not []" for n in range(1, 21)),
        "(the first 20 problems; there may be more)",
        VALUE_HINT,
    ]


def test_ids(read):
    rows = [{"pred": "a", "gold": "b"}] * 2
    assert [row.id for row in read(*rows).rows] == ["1", "2"]
    assert [row.id for row in read(*({"id": n} | row for n, row in enumerate(rows))).rows] == ["0", "1"]


def test_bad_ids(write):
    row = {"pred": "a", "gold": "b"}
    ids: list[dict[str, Any]] = [
        {"id": "q1"},
        {"id": "q1"},
        {"id": 1.5},
        {"id": True},
        {"id": ""},
        {"id": None},
        {},
        {"id": 7},
        {"id": "7"},
    ]
    path = write("a.jsonl", "\n\n" + lines(*(found | row for found in ids)))
    assert complaint(read_answers, path).split("\n") == [
        f"{path}:4: duplicate id 'q1' (first on line 3)",
        f"{path}:5: the id must be text or an integer, not 1.5",
        f"{path}:6: the id must be text or an integer, not true",
        f'{path}:7: the id must be text or an integer, not ""',
        f"{path}:8: the id must be text or an integer, not null",
        f"{path}:9: the id must be text or an integer, not null",
        f"{path}:11: duplicate id '7' (first on line 10)",
        ID_HINT,
    ]
    path = write("a.json", json.dumps([{"id": 1} | row] * 2))
    assert complaint(read_answers, path) == f"{path}#/1: duplicate id '1' (first at {path}#/0)\n{ID_HINT}"


def test_files_without_rows(write):
    for name, content in {"a.jsonl": "\n \n", "a.json": "[]", "a.csv": "id,pred,gold\n"}.items():
        path = write(name, content)
        assert complaint(read_answers, path) == f"{path}: it contains no rows"
    path = write("a.json", '{"pred": "a"}')
    message, hint = complaint(read_answers, path).split("\n")
    assert message == f"{path}: an array of objects is required, not a single value"
    assert hint.endswith('to_json(FILE, orient="records")')


CELLS = {
    "text": ("a", (("a",),), False),
    "an array": ('"[""a"",""b""]"', (("a", "b"),), False),
    "groups": ('"[[""a""],[""b""]]"', (("a",), ("b",)), True),
    "nothing": ("", (), False),
    "an empty array": ("[]", (), False),
    "text in brackets": ("[sic] a", (("[sic] a",),), False),
    "a number": ("1.50", (("1.50",),), False),
}


@pytest.mark.parametrize("case", CELLS)
def test_cells(write, case):
    cell, groups, nested = CELLS[case]
    row = read_answers(write("a.csv", f'\ufeffid,pred,gold\n1,"[""p""]",{cell}\n')).rows[0]
    assert (row.prediction, row.references, row.nested) == ('["p"]', groups, nested)


def test_a_cell_with_a_list_that_is_not_json(write):
    path = write("a.tsv", "pred\tgold\na\t['a', 'b']\n")
    assert complaint(read_answers, path) == (
        f"{path}:2: a list in a cell must be a JSON array, not \"['a', 'b']\"\n{VALUE_HINT}"
    )


def test_parquet_with_list_columns(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"id": [1, 2, 3], "response": ["a", None, "c"], "golden_answers": [["x", "y"], [], None]}
    parquet.write_table(pyarrow.table(table), tmp_path / "a.parquet")
    nested = {"pred": [1.5, float("nan")], "gold": [[["x"], ["y", "z"]], [["w"]]]}
    parquet.write_table(pyarrow.table(nested), tmp_path / "b.parquet")
    answers = read_answers(tmp_path / "a.parquet")
    assert [row.references for row in answers.rows] == [(("x", "y"),), (), ()]
    assert answers.counts == NONE | {"counts.predictions_missing": 1, "counts.rows_unreferenced": 2}
    answers = read_answers(tmp_path / "b.parquet")
    assert [(row.prediction, row.references, row.nested) for row in answers.rows] == [
        ("1.5", (("x",), ("y", "z")), True),
        (None, (("w",),), True),
    ]


def test_compressed_files_and_standard_input(write, monkeypatch):
    import zstandard

    content = lines({"pred": "a", "gold": "b"}).encode()
    plain = read_answers(write("a.jsonl", content))
    packed = read_answers(write("a.jsonl.gz", gzip.compress(content)))
    dense = read_answers(write("a.jsonl.zst", zstandard.compress(content)))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    piped = read_answers("-")
    assert plain.digest == packed.digest == dense.digest == piped.digest
    assert (piped.name, piped.rows[0].prediction) == ("<stdin>", "a")


@pytest.fixture
def join(write):
    def join(predictions, references, **settings) -> Answers:
        paths = write("predictions.jsonl", lines(*predictions)), write("references.jsonl", lines(*references))
        return read_answers(paths[0], references=paths[1], **settings)

    return join


def test_two_files_are_joined_by_id(join, tmp_path):
    predictions = [
        {"id": "b", "answer": "B", "type": "x"},
        {"id": 9, "answer": 3},
        {"id": "1", "answer": "", "query": "?"},
    ]
    references = [{"qid": 1, "answer": ["one"]}, {"qid": "a", "answer": "A"}, {"qid": "b", "answer": None, "type": "y"}]
    answers = join(predictions, references)
    rows = [(row.id, row.prediction, row.references, row.question, dict(row.tags)) for row in answers.rows]
    assert rows == [
        ("1", "", (("one",),), "?", {}),
        ("a", None, (("A",),), "", {}),
        ("b", "B", (), "", {"type": "y"}),
    ]
    assert answers.name == str(tmp_path / "predictions.jsonl")
    assert answers.counts == {
        "counts.predictions_missing": 1,
        "counts.rows_unreferenced": 1,
        "counts.predictions_empty": 1,
        "counts.predictions_as_text": 1,
        "counts.predictions_unmatched": 1,
    }
    assert len(answers.digest) == 64
    assert answers.digest != join(predictions, references[::-1]).digest


def test_the_references_file_has_the_last_word(join):
    answers = join([{"id": 1, "pred": "a", "gold": "old", "target": "old"}], [{"id": 1, "gold": "new", "pred": "no"}])
    assert (answers.rows[0].prediction, answers.rows[0].references) == ("a", (("new",),))


def test_a_mapping_over_two_files(join, tmp_path):
    predictions, references = [{"key": 1, "answer": "a"}], [{"id": 1, "answer": "b"}]
    mapping = {"id": "key", "prediction": "answer", "references": "answer"}
    row = join(predictions, references, mapping=mapping).rows[0]
    assert (row.id, row.prediction, row.references) == ("1", "a", (("b",),))
    assert complaint(join, predictions, references, mapping={"references": "key"}) == (
        f"{tmp_path / 'references.jsonl'}: no column is called 'key'\nhint: known: id, answer"
    )


def test_files_without_ids_are_joined_by_row(join, tmp_path):
    answers = join([{"pred": "a"}, {"pred": "b"}], [{"gold": "c"}, {"gold": "d"}])
    assert [(row.id, row.prediction, row.references) for row in answers.rows] == [
        ("1", "a", (("c",),)),
        ("2", "b", (("d",),)),
    ]
    assert answers.counts == NONE | {"counts.joined_by_row": 2}
    paths = tmp_path / "predictions.jsonl", tmp_path / "references.jsonl"
    assert complaint(join, [{"pred": "a"}], [{"gold": "c"}, {"gold": "d"}]) == (
        f"{paths[0]}: 1 row, but {paths[1]} has 2\n"
        "hint: without an id column the files are joined row by row and must have the same number of rows"
    )


def test_files_that_cannot_be_joined(join, tmp_path):
    paths = tmp_path / "predictions.jsonl", tmp_path / "references.jsonl"
    assert complaint(join, [{"pred": "a"}], [{"id": 1, "gold": "c"}]) == (
        f"{paths[0]}: there is no id column, but {paths[1]} has one\n{ID_HINT}"
    )
    assert complaint(join, [{"id": 1, "pred": "a"}], [{"gold": "c"}]) == (
        f"{paths[1]}: there is no id column, but {paths[0]} has one\n{ID_HINT}"
    )
    assert complaint(join, [{"id": 1, "pred": "a"}], [{"id": "q1", "gold": "c"}]) == (
        f"{paths[0]}: no id of the predictions is in {paths[1]}\n"
        "hint: the references begin with id 'q1'; do both files belong to the same test set?"
    )


def test_python_values():
    answers = answers_of(
        ["a", np.float64("nan"), np.int64(3)], ["x", ("y", "z"), np.array(["v", "w"])], ids=["p", 2, 3]
    )
    assert [(row.id, row.prediction, row.references) for row in answers.rows] == [
        ("p", "a", (("x",),)),
        ("2", None, (("y", "z"),)),
        ("3", "3", (("v", "w"),)),
    ]
    assert [row.id for row in answers_of(["a", "b"], ["c", "d"]).rows] == ["1", "2"]
    assert answers_of(["a"], ["b"]).digest != answers_of(["a"], ["c"]).digest


def test_bad_python_values():
    assert complaint(answers_of, ["a"], ["b", "c"]) == "1 prediction, 2 references"
    assert complaint(answers_of, ["a"], ["b"], ids=[1, 2]) == "2 ids, 1 prediction"
    assert complaint(answers_of, [], []) == "answers: it contains no rows"
    assert complaint(answers_of, ["a"] * 2, ["b"] * 2, ids=["q", "q"]) == (
        f"row 2: duplicate id 'q' (first at row 1)\n{ID_HINT}"
    )
    assert (
        complaint(answers_of, ["a", {1}], ["b"] * 2) == f'row 2: the prediction must be text, not "{{1}}"\n{VALUE_HINT}'
    )


groups = st.lists(st.text(), min_size=1)
written = st.lists(
    st.fixed_dictionaries({"pred": st.none() | st.text(), "gold": groups | st.lists(groups, min_size=1)}), min_size=1
)


@pytest.mark.slow
@given(written, st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory, rows, ascii_only):
    path = tmp_path_factory.mktemp("answers") / "a.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows), "utf-8", newline="\n")
    found = read_answers(path).rows
    assert [row.prediction for row in found] == [row["pred"] for row in rows]
    back = [list(map(list, row.references)) if row.nested else list(row.references[0]) for row in found]
    assert back == [row["gold"] for row in rows]
    again = answers_of([row["pred"] for row in rows], [row["gold"] for row in rows]).rows
    assert [row.references for row in again] == [row.references for row in found]


LONG = 5000  # rows: more than are read together


def long_file(write, row_of, name="a.jsonl"):
    return write(name, lines(*(row_of(number) for number in range(LONG))))


def test_a_long_file_is_read_in_order(write):
    path = long_file(write, lambda n: {"id": f"q{n}", "pred": str(n), "gold": [f"g{n}"]})
    answers = read_answers(path)
    assert [row.id for row in answers.rows] == [f"q{n}" for n in range(LONG)]
    assert [row.references for row in answers.rows[-2:]] == [((f"g{LONG - 2}",),), ((f"g{LONG - 1}",),)]
    assert answers.counts == NONE


def test_an_id_that_comes_again_much_later_is_found(write):
    path = long_file(write, lambda n: {"id": "q3" if n == 4500 else f"q{n}", "pred": "a", "gold": "b"})
    assert complaint(read_answers, path) == f"{path}:4501: duplicate id 'q3' (first on line 4)\n{ID_HINT}"


def test_the_prediction_may_begin_late(write):
    path = long_file(write, lambda n: {"id": n, "gold": "b"} | ({"pred": "a"} if n > 4000 else {}))
    answers = read_answers(path)
    assert (answers.counts["counts.predictions_missing"], answers.rows[-1].prediction) == (4001, "a")


def test_columns_that_change_their_meaning_late_are_refused(write):
    path = long_file(write, lambda n: {"gold": "b", "pred": "a"} | ({"id": "q"} if n == 4000 else {}))
    assert complaint(read_answers, path) == (
        f"{path}:4001: new columns appear here and change the meaning of the columns\n"
        "hint: give every row the same fields, or specify the column: mapping={FIELD: COLUMN}"
    )
    path = long_file(write, lambda n: {"gold": "b", "pred": "a"} | ({"response": "c"} if n == 4000 else {}))
    assert "'pred' and 'response' could both be 'prediction'" in complaint(read_answers, path)


def test_a_tag_may_begin_late(write):
    path = long_file(write, lambda n: {"gold": "b", "pred": "a"} | ({"category": "x"} if n == 4000 else {}))
    assert [row.tags for row in read_answers(path).rows[3999:4002]] == [{}, {"category": "x"}, {}]


@pytest.mark.slow
def test_at_most_twenty_problems_of_a_long_file_are_said(write):
    path = long_file(write, lambda n: {"gold": "b", "pred": ["a", "b"]})
    assert complaint(read_answers, path).count("the prediction must be text") == 20


def test_blocks_of_a_file_are_cut_between_lines(monkeypatch, write):
    monkeypatch.setattr("steelyard.io.records.text_blocks", lambda stream: text_blocks(stream, 7))
    rows = [{"id": n, "pred": "法院\u2028x", "gold": "日本"} for n in range(9)]
    path = write("a.jsonl", lines(*rows))
    assert [(row.id, row.prediction) for row in read_answers(path).rows] == [(str(n), "法院\u2028x") for n in range(9)]
    path = write("a.csv", '\ufeffid,pred,gold\r\n1,"a\nb",c\r\n2,d,e\r\n')
    assert [(row.id, row.prediction) for row in read_answers(path).rows] == [("1", "a\nb"), ("2", "d")]


@pytest.mark.slow
def test_a_bad_byte_far_down_has_its_line(write):
    long = {"pred": "a" * 3000, "gold": "b"}  # several blocks of the reader
    path = write("a.jsonl", lines(*[long] * 2000).encode() + b'{"pred": "\xb7\xa8", "gold": "b"}\n')
    assert complaint(read_answers, path).startswith(f"{path}:2001: this is not UTF-8 text: byte 0xb7")


def test_rows_of_questions_have_their_answers_and_are_named_as_in_a_result(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "Capital?", "answer": "Paris", "references": ["Paris"]}\n', "utf-8")
    assert [(row.id, row.prediction) for row in read_questions(path)] == [("Capital?", "Paris")]
    path.write_text('{"question": "Capital?", "references": ["Paris"]}\n', "utf-8")
    assert [(row.id, row.prediction) for row in read_questions(path)] == [("Capital?", None)]
