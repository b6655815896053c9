"""Search-o1, notes and surveys from end to end: rows of a branch part, and every question gets its own answer."""

import json
from pathlib import Path

import pytest

from bench.ultrarag_data import FACTS, write_data
from bench.ultrarag_stub import Model, read_templates, serving
from steelyard.cli import main

ROOT = Path(__file__).parents[2]
SERVERS = ["benchmark", "retriever", "prompt", "generation", "custom", "router", "evaluation"]
SEARCH_O1 = """
- custom.search_o1_init_list
- prompt.search_o1_init
- generation.generate
- loop:
    times: 4
    steps:
    - branch:
        router: [router.search_o1_check]
        branches:
          retrieve:
          - custom.search_o1_query_extract
          - retriever.retriever_search: {input: {query_list: extract_query_list}}
          - custom.search_o1_reasoning_extract
          - custom.search_o1_combine_list
          - prompt.search_o1_reasoning_indocument
          - generation.generate
          - custom.search_o1_extract_final_information
          - custom.search_o1_combine_final_information
          - prompt.search_o1_insert
          - generation.generate
          stop: []
- custom.output_extract_from_boxed
"""
NOTES = """
- custom.init_citation_registry
- prompt.webnote_gen_plan
- generation.generate: {output: {ans_ls: plan_ls}}
- prompt.webnote_init_page
- generation.generate: {output: {ans_ls: page_ls}}
- loop:
    times: 4
    steps:
    - branch:
        router: [router.webnote_check_page]
        branches:
          incomplete:
          - prompt.webnote_gen_subq
          - generation.generate: {output: {ans_ls: subq_ls}}
          - retriever.retriever_search: {input: {query_list: subq_ls}, output: {ret_psg: psg_ls}}
          - custom.assign_citation_ids_stateful: {input: {ret_psg: psg_ls}, output: {ret_psg: psg_ls}}
          - prompt.webnote_fill_page
          - generation.generate: {output: {ans_ls: page_ls}}
          complete: []
- prompt.webnote_gen_answer
- generation.generate
- custom.output_extract_from_boxed
"""
SURVEY_STEPS = {
    "search": ("search", "custom.surveycpm_parse_search_response"),
    "analyst-init_plan": ("init_plan", "custom.surveycpm_after_init_plan"),
    "write": ("write", "custom.surveycpm_after_write"),
    "analyst-extend_plan": ("extend_plan", "custom.surveycpm_after_extend"),
}
SEARCHED = """
          - retriever.retriever_batch_search: {input: {batch_query_list: keywords_ls}}
          - custom.surveycpm_process_passages_with_citation"""


def survey():
    branches = "".join(
        f"""
          {state}:
          - prompt.surveycpm_{prompt}
          - generation.generate
          - {after}: {{input: {{response_ls: ans_ls}}}}{SEARCHED if state == "search" else ""}
          - custom.surveycpm_update_state"""
        for state, (prompt, after) in SURVEY_STEPS.items()
    )
    return f"""
- custom.surveycpm_init_citation_registry
- custom.surveycpm_state_init
- loop:
    times: 40
    steps:
    - branch:
        router: [router.surveycpm_state_router]
        branches:{branches}
          done: []
- custom.surveycpm_format_output
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run steps on the invented questions with a stub for a model; the last value of every variable."""
    monkeypatch.chdir(tmp_path)
    write_data(tmp_path)

    def run_steps(steps, questions="q_ls"):
        with serving(Model(read_templates(ROOT / "prompt"), mixed=True)) as address:
            _write(tmp_path, steps, questions, address)
            assert main(["run", "p.yaml"]) == 0
        (snapshot,) = tmp_path.glob("output/memory_*.json")
        recorded = json.loads(snapshot.read_text(encoding="utf-8"))
        return {name: value for step in recorded for name, value in step["memory"].items()}

    return run_steps


def _write(folder, steps, questions, address):
    servers = "".join(f"  {name}: servers/{name}\n" for name in SERVERS)
    first = f"- benchmark.get_data: {{output: {{q_ls: {questions}}}}}\n- retriever.retriever_init\n"
    made = "- retriever.retriever_embed\n- retriever.retriever_index\n- generation.generation_init"
    (folder / "p.yaml").write_text(f"servers:\n{servers}pipeline:\n{first}{made}{steps}", encoding="utf-8")
    stub = {"openai": {"model_name": "stub", "base_url": f"{address}/v1", "api_key": "stub"}}
    parameters = {
        "benchmark": {
            "benchmark": {
                "path": "data/invented.jsonl",
                "key_map": {"q_ls": "question", "gt_ls": "golden_answers"},
            }
        },
        "retriever": {
            "backend": "openai",
            "backend_configs": stub,
            "corpus_path": "data/invented_corpus.jsonl",
            "top_k": 2,
        },
        "generation": {"backend": "openai", "backend_configs": stub},
    }
    (folder / "parameters").mkdir()
    (folder / "parameters" / "p_parameter.yaml").write_text(json.dumps(parameters), encoding="utf-8")


@pytest.mark.slow
def test_search_o1_answers_every_question(run):
    found = run(SEARCH_O1)
    assert found["memory_pred_ls"] == [f"{fact.answer}" for fact in FACTS]
    assert [len(queries) for queries in found["memory_total_subq_list"]] == [1, 1, 1, 1]
    assert [queries[0] == "<PAD>" for queries in found["memory_total_subq_list"]] == [False, True, False, True]


@pytest.mark.slow
def test_notes_answer_every_question(run):
    found = run(NOTES)
    assert found["memory_pred_ls"] == [fact.answer for fact in FACTS]
    assert [psg if isinstance(psg, str) else psg[0][:4] for psg in found["memory_psg_ls"]] == [
        *("[1] ", "<UNSET>"),
        *("[1] ", "<UNSET>"),
    ]


@pytest.mark.slow
def test_surveys_are_written_to_the_end(run):
    found = run(survey(), "instruction_ls")
    assert found["memory_state_ls"] == ["done"] * 4
    for fact, text in zip(FACTS, found["memory_ans_ls"], strict=True):
        assert text.startswith(f"# On {fact.topic}\n\n## 1 Part 1\n\nOn section-1: {fact.thought} [1]")
    # every second one is planned with one section and not extended
    assert ["### 1.2 More" in text for text in found["memory_ans_ls"]] == [True, False, True, False]
