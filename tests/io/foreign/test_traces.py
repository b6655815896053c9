"""Traces: OTLP-JSON, rows of spans, Langfuse and MLflow; contexts, verdicts, and what was not recorded."""

import json
from pathlib import Path

import pytest
from complaints import complaint
from foreign_files import DATA, fields_of, title_of

from steelyard.io.foreign import langfuse_scores, otel_evaluations

TRACES = DATA / "traces"
TITLES = {
    "openinference-otlp": "OTLP-JSON",
    "genai-otlp": "OTLP-JSON",
    "openinference-rows": "rows of spans",
    "genai-rows": "rows of spans",
    "langfuse-traces": "Langfuse",
    "langfuse-observations": "Langfuse",
    "langfuse-scores": "Langfuse scores",
    "langfuse-scores-v3": "Langfuse scores",
    "mlflow-traces": "MLflow traces",
    "mlflow-frame": "MLflow traces",
    "otel-evaluations": "OpenTelemetry evaluations",
}


def trace(name: str) -> Path:
    return TRACES / f"{name}.jsonl"


def bare(fields):
    return {name: value for name, value in fields.items() if name != "extra"}


@pytest.mark.parametrize("name", TITLES)
def test_each_file_is_recognised(name):
    assert title_of(trace(name)) == TITLES[name]


@pytest.mark.parametrize("convention", ["openinference", "genai"])
def test_rows_of_spans_say_what_otlp_says(convention):
    one, other = fields_of(trace(f"{convention}-otlp")), fields_of(trace(f"{convention}-rows"))
    assert list(map(bare, one)) == list(map(bare, other))


def test_indices_of_attributes_are_sorted_as_numbers():
    first = fields_of(trace("openinference-otlp"))[0]
    assert first["retrieved_context_ids"] == [f"d{number}" for number in range(12)]
    assert first["contexts"][10] == {
        "id": "d10",
        "text": "Clause 10 of the lease.",
        "score": 0.5,
        "metadata": {"page": 10, "file": "lease.txt"},
    }


def test_the_question_and_answer_of_the_root_count():
    first, second, *_ = fields_of(trace("openinference-otlp"))
    assert (first["question"], first["prediction"]) == (
        "When was the lease signed?",
        "It was signed on 3 May 2021 [1].",
    )
    assert first["tags"] == {"language": "en"}
    assert (second["question"], second["prediction"]) == ("Who pays for heating?", "The tenant pays.")


def test_several_retrievers_keep_their_order_and_a_text_without_id_gets_its_hash():
    second = fields_of(trace("openinference-otlp"))[1]
    assert [context["text"] for context in second["contexts"]] == [
        "Clause 0 of the lease.",
        "Clause 1 of the lease.",
        "Heating is paid by the tenant.",
    ]
    assert second["retrieved_context_ids"][2] == "84fd86a7c9179e7f"


def test_the_last_reranker_wins():
    assert fields_of(trace("openinference-otlp"))[2]["retrieved_context_ids"] == ["d0", "d2"]


def test_a_trace_that_failed_has_an_error():
    failed = fields_of(trace("openinference-otlp"))[3]
    assert failed["error"] == "RuntimeError: the index is not there"


def test_annotations_and_evaluations_are_scores():
    first, second, *_ = fields_of(trace("openinference-otlp"))
    assert first["scores"] == {"faithfulness": 0.75, "tone": None}
    assert first["unscored"] == {"tone": "polite"}
    assert first["notes"] == {"faithfulness": "faithful: clause 0 says so"}
    assert second["scores"] == {"relevance": 1.0}


def test_content_that_was_not_recorded_is_named():
    first, second = fields_of(trace("genai-otlp"))
    assert first["question"] == "When was the lease signed?"
    assert first["retrieved_context_ids"] == ["d3", "d1"]
    assert "contexts" not in first
    assert first["extra"]["otlp"]["not_recorded"] == ["contexts"]
    assert second["extra"]["otlp"]["not_recorded"] == ["question", "prediction", "contexts"]


def test_events_of_evaluations_are_scores_and_failures_errors():
    first = fields_of(trace("genai-otlp"))[0]
    assert first["scores"] == {"Relevance": 4.0, "Fluency": None}
    assert first["errors"] == {"Fluency": "timeout"}


def test_columns_of_attributes_and_nested_attributes_are_the_same(tmp_path):
    nested = {
        "openinference": {"span": {"kind": "CHAIN"}},
        "input": {"value": "Q"},
        "output": {"value": "A"},
    }
    documents = [{"document.id": "d1", "document.content": "p", "document.metadata": '{"page": 2}'}]
    columns = {
        "context.trace_id": "t",
        "context.span_id": "b",
        "parent_id": "a",
        "span_kind": "RETRIEVER",
        "attributes.retrieval.documents": documents,
    }
    file = tmp_path / "spans.jsonl"
    rows = [columns, {"trace_id": "t", "span_id": "a", "attributes": nested}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (found,) = fields_of(file)
    assert (found["question"], found["prediction"]) == ("Q", "A")
    assert found["contexts"] == [{"id": "d1", "text": "p", "metadata": {"page": 2}}]


def test_ids_in_cells_stay_text(tmp_path):
    file = tmp_path / "spans.csv"
    file.write_text("trace_id,span_id,attributes.input.value,attributes.output.value\n0012,1e5,2021,42\n")
    (found,) = fields_of(file)
    assert (found["id"], found["question"], found["prediction"]) == ("0012", "2021", "42")
    file.write_text("traceId,name,value,dataType\n0012,1e5,0.5,NUMERIC\n")
    (found,) = fields_of(file)
    assert (found["id"], found["scores"]) == ("0012", {"1e5": 0.5})


def test_a_trace_of_langfuse_has_its_observations_and_scores():
    first, second = fields_of(trace("langfuse-traces"))
    assert (first["question"], first["prediction"]) == ("When was the lease signed?", "On 3 May 2021.")
    assert first["contexts"][0] == {"id": "d1", "text": "Signed on 3 May 2021.", "score": 0.9}
    assert first["retrieved_context_ids"] == ["d1", "be07e47b9c22ad81"]
    assert first["scores"] == {"faithfulness": 0.5, "helpful": 1.0, "tone": None, "relevance": 0.25}
    assert first["unscored"] == {"tone": "polite"}
    assert second["error"] == "the index is not there"


def test_an_answer_of_the_api_of_langfuse_is_read_too(tmp_path):
    rows = [json.loads(line) for line in trace("langfuse-traces").read_text().splitlines()]
    file = tmp_path / "traces.json"
    file.write_text(json.dumps({"data": rows, "meta": {"page": 1}}))
    assert fields_of(file) == fields_of(trace("langfuse-traces"))
    rows[1]["observations"] = [{"id": "x"}]
    file.write_text(json.dumps({"data": rows}))
    assert complaint(fields_of, file) == (
        f"{file}#/data/1: the field 'observations[0].type' is missing\n"
        "hint: read as Langfuse; mapping={FIELD: COLUMN} reads plain rows (convert: --from)"
    )


def test_observations_alone_are_grouped_by_trace():
    first, second = fields_of(trace("langfuse-observations"))
    assert (first["id"], first["prediction"]) == ("trace-1", "On 3 May 2021.")
    assert first["retrieved_context_ids"] == ["d1", "be07e47b9c22ad81"]
    assert second["question"] == "What is the deposit?"


@pytest.mark.parametrize("name", ["langfuse-scores", "langfuse-scores-v3"])
def test_scores_of_langfuse(name):
    (found,) = fields_of(trace(name))
    assert found["scores"] == {"faithfulness": 0.5, "helpful": 1.0, "tone": None, "relevance": 0.25}
    assert (found["unscored"], found["notes"]) == ({"tone": "polite"}, {"faithfulness": "one of two"})


def test_a_repeated_score_keeps_both_values(tmp_path):
    file = tmp_path / "scores.jsonl"
    scores = [
        {"traceId": "t", "name": "f", "value": 1, "dataType": "NUMERIC"},
        {"traceId": "t", "name": "f", "value": 0, "observationId": "o1", "dataType": "NUMERIC"},
    ]
    file.write_text("".join(json.dumps(score) + "\n" for score in scores))
    (found,) = fields_of(file)
    assert found["scores"] == {"f": 1.0, "f/o1": 0.0}


def test_our_scores_become_scores_of_langfuse_and_events(tmp_path):
    row = {
        "id": "q1",
        "scores": {"F1": 0.5, "EM": None, "BLEU": None},
        "unscored": {"EM": "no reference"},
        "errors": {"BLEU": "timeout"},
        "notes": {"F1": "half"},
    }
    langfuse_scores.write([row], tmp_path / "l.jsonl")
    assert _objects(tmp_path / "l.jsonl") == [
        {"traceId": "q1", "name": "F1", "value": 0.5, "dataType": "NUMERIC", "comment": "half"},
        {"traceId": "q1", "name": "EM", "value": "no reference", "dataType": "CATEGORICAL"},
    ]
    otel_evaluations.write([row], tmp_path / "o.jsonl")
    assert bare(fields_of(tmp_path / "o.jsonl")[0]) == row


def test_events_of_evaluations():
    found = fields_of(trace("otel-evaluations"))
    assert bare(found[0]) == {
        "id": "6513270e269e0d37f2a74de452e6b438",
        "scores": {"Relevance": 4.0, "Tone": None, "Fluency": None},
        "unscored": {"Tone": "polite"},
        "errors": {"Fluency": "timeout"},
        "notes": {"Relevance": "relevant: names the date"},
    }
    assert bare(found[1]) == {"id": "resp-2", "scores": {"Relevance": 1.0}}


def test_traces_of_mlflow_have_contexts_references_and_assessments():
    first, failed, third = fields_of(trace("mlflow-traces"))
    assert (first["question"], first["prediction"]) == ("When was the lease signed?", "On 3 May 2021.")
    assert first["references"] == ["3 May 2021"]
    assert first["contexts"][0] == {
        "id": "d1",
        "text": "Signed on 3 May 2021.",
        "metadata": {"doc_uri": "lease.txt"},
    }
    assert first["scores"] == {"groundedness": 1.0, "relevance": 1.0}
    assert failed["error"] == "RuntimeError: the index is not there"
    assert third["errors"] == {"safety": "no verdict in the reply"}
    assert third["scores"] == {"groundedness": 0.25, "safety": None}
    assert fields_of(trace("mlflow-frame")) == [first, failed, third]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t"}]}]}]}, "spans[0].spanId' is missing"),
        ({"resourceSpans": [{"scopeSpans": 3}]}, "'resourceSpans[0].scopeSpans' must be a list, not 3"),
        ({"resourceLogs": [{"scopeLogs": [{"logRecords": [7]}]}]}, "must be an object, not 7"),
        ({"info": {}, "data": {}}, "'data.spans' is missing"),
        ({"trace_id": "t", "spans": [{"name": "x"}]}, "'spans[0].span_id' is missing"),
        ({"trace_id": "t", "trace": "{"}, "this is not JSON"),
        ({"id": "a", "traceId": 5, "type": "SPAN"}, "'traceId' must be text, not 5"),
        ({"name": 1, "value": 1, "traceId": "t"}, "'name' must be text, not 1"),
        ({"name": "a", "value": 1, "subject": {"kind": "session", "id": "s"}}, "'traceId' is missing"),
        ({"context": {"trace_id": "t", "span_id": "s"}, "attributes": {}, "events": [1]}, "'events[0]' must be"),
    ],
)
def test_what_is_wrong_with_a_trace_is_one_message_with_its_line(row, message, tmp_path):
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(row) + "\n")
    said = complaint(fields_of, file)
    assert said.startswith(f"{file}:1")
    assert message in said


def _objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
