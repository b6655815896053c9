"""Messages of a run before its first step and at its end."""

import shutil
from pathlib import Path

import pytest

from steelyard.cli import main

ROOT = Path(__file__).parents[2]
ASK = """servers:
  benchmark: servers/benchmark
  evaluation: servers/evaluation
pipeline:
- benchmark.get_data
- evaluation.evaluate
"""
PARAMETERS = """benchmark:
  benchmark:
    path: answers.jsonl
    key_map: {q_ls: q, gt_ls: gold, pred_ls: answer}
evaluation:
  metrics: [em]
  save_path: null
"""


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Two answers, one of them right, and the pipeline that evaluates them."""
    (tmp_path / "answers.jsonl").write_text(
        '{"q": "1?", "gold": ["one"], "answer": "one"}\n{"q": "2?", "gold": ["two"], "answer": "one"}\n'
    )
    (tmp_path / "p.yaml").write_text(ASK)
    (tmp_path / "parameters").mkdir()
    (tmp_path / "parameters" / "p_parameter.yaml").write_text(PARAMETERS)
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return tmp_path


def run_with(text: str, *arguments: str) -> int:
    Path("parameters/p_parameter.yaml").write_text(text)
    return main(["run", "p.yaml", *arguments])


@pytest.mark.slow
def test_the_command_that_goes_on_repeats_the_options_of_the_run(answers, capsys, monkeypatch):
    monkeypatch.setenv("RETRIEVER_ADOPT", "")  # --adopt sets it: it is taken back after the test
    Path("other file.yaml").write_text(PARAMETERS + "  legal_path: nowhere\n")
    Path("p.yaml").write_text(ASK + "- evaluation.evaluate_trec\n")
    shutil.rmtree("data")
    given = ["run", "p.yaml", "--param", "other file.yaml", "--servers", "ours", "--adopt", "--lang", "zh"]
    assert main([*given, "--isolated"]) != 0
    err = capsys.readouterr().err
    command = "steelyard run p.yaml --resume --param 'other file.yaml' --servers ours --lang zh --isolated --adopt\n"
    assert err.count(f"继续运行：{command}") == 1
    assert "快照：output/" in err
    assert main(["run", "p.yaml"]) != 0
    assert "\nresume with: steelyard run p.yaml --resume\n" in capsys.readouterr().err


def test_build_under_lang_zh_is_chinese(answers, capsys):
    assert main(["build", "p.yaml"]) == 0
    capsys.readouterr()
    assert main(["build", "p.yaml", "--lang", "zh"]) == 0
    assert "新增：无；" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("    limt: 3", "no setting is called 'limt'\nhint: did you mean 'limit'?"),
        ("    shufle: true", "no setting is called 'shufle'\nhint: did you mean 'shuffle'?"),
        ("    limit: 0", "limit must be an integer of at least 1, or -1 for all, not 0"),
        ("    shuffle: 1", "shuffle must be true or false, not 1"),
    ],
)
def test_settings_of_a_benchmark_are_checked_with_their_line(answers, capsys, line, message):
    assert run_with(PARAMETERS.replace("    key_map", f"{line}\n    key_map")) == 2
    location = "parameters/p_parameter.yaml:4"
    assert capsys.readouterr().err == f"{location}: benchmark.get_data: {message}\n"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("[em]", "[em, rouge-z]", 6, "no metric is called 'rouge-z'"),
        ("save_path: null", "profile: ultra", 7, "no profile is called 'ultra'"),
    ],
)
@pytest.mark.parametrize("isolated", [[], ["--isolated"]])
def test_names_of_an_evaluation_are_checked_before_the_first_step(  # noqa: PLR0917 - two parametrizations
    answers, capsys, old, new, line, message, isolated
):
    assert run_with(PARAMETERS.replace(old, new), *isolated) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"parameters/p_parameter.yaml:{line}: evaluation.evaluate: {message}\nhint: did you mean")
    assert "snapshot" not in err
    assert not Path("output").exists()


def test_a_missing_file_is_told_with_the_line_of_its_parameter(answers, capsys):
    assert run_with(PARAMETERS.replace("answers.jsonl", "nothing.jsonl")) == 2
    location = "parameters/p_parameter.yaml:3: benchmark.get_data: nothing.jsonl: no such file\n"
    assert capsys.readouterr().err.startswith(location)
    Path("p.yaml").write_text(ASK.replace("- benchmark.get_data\n- evaluation.evaluate", "- evaluation.evaluate_trec"))
    assert run_with("evaluation:\n  run_path: data/run_a.txt\n  qrels_path: data/none.txt\n") == 2
    location = "parameters/p_parameter.yaml:3: evaluation.evaluate_trec: data/none.txt: no such file\n"
    assert location in capsys.readouterr().err


def test_build_says_which_parameters_run_refuses(answers, capsys):
    Path("parameters/p_parameter.yaml").write_text(PARAMETERS + "  metrix: [em]\n")
    assert main(["build", "p.yaml"]) == 0
    refusal = "parameters/p_parameter.yaml:8: evaluation has no parameter 'metrix'\nhint: did you mean 'metrics'?\n"
    assert f"must be corrected before the pipeline can run:\n{refusal}" in capsys.readouterr().err
    assert main(["run", "p.yaml"]) == 2
    assert capsys.readouterr().err == refusal


def test_a_list_of_the_wrong_type_is_named_in_plain_words(answers, capsys):
    assert run_with(PARAMETERS.replace("[em]", "{em: 1}")) == 2
    assert "evaluation.metrics must be a list of texts or text or null, not" in capsys.readouterr().err


@pytest.mark.slow
def test_notices_of_servers_in_processes_of_their_own_are_shown(answers, capsys):
    Path("answers.jsonl").write_text('{"q": "1?", "gold": ["?"], "answer": "A"}\n')
    for isolated in ([], ["--isolated"]):
        assert run_with(PARAMETERS.replace("save_path: null", "save_path: out/r.json"), *isolated) == 0
        err = capsys.readouterr().err
        assert "1 of 1 question has references that are not English, or have no words for profile ultrarag:" in err
        assert err.count("saved: out/r_") == 1


MODEL = """servers:
  generation: servers/generation
pipeline:
- generation.generation_init
"""


def test_settings_of_the_engine_of_vllm_are_left_out_with_one_notice(answers, capsys):
    Path("p.yaml").write_text(MODEL)
    engine = (
        "      gpu_ids: '2,3'\n      gpu_memory_utilization: 0.9\n      dtype: auto\n      trust_remote_code: true\n"
    )
    head = "generation:\n  backend: vllm\n  backend_configs:\n    vllm:\n      model_name_or_path: m\n"
    assert run_with(head + engine) == 2
    err = capsys.readouterr().err
    assert "p_parameter.yaml:5: generation.generation_init: backend_configs.vllm: vllm needs the base_url" in err
    assert "then set backend: openai" in err
    assert run_with(f"{head}      base_url: http://127.0.0.1:9/v1\n{engine}") == 0
    notice = "backend_configs.vllm: settings of the vLLM engine are ignored: gpu_ids, gpu_memory_utilization, dtype, "
    assert f"{notice}trust_remote_code\n" in capsys.readouterr().err
    assert run_with(f"{head}      base_url: http://127.0.0.1:9/v1\n      concurency: 3\n") == 2
    assert "p_parameter.yaml:7: generation.generation_init: backend_configs.vllm: no setting is called" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("parameters", "line", "message"),
    [
        (
            "  backend_configs:\n    opnai: {model_name: x}\n",
            3,
            "no backend is called 'opnai'\nhint: did you mean 'openai'?",
        ),
        (
            "  backend_configs:\n    openai:\n      model_name: x\n      concurency: 3\n",
            5,
            "backend_configs.openai: no setting is called 'concurency'\nhint: did you mean 'concurrency'?",
        ),
        (
            "  backend_configs:\n    openai:\n      zzz: 3\n",
            4,
            "backend_configs.openai: no setting is called 'zzz'\n"
            "hint: known: model_name, base_url, concurrency, retries, timeout, base_delay, proxy, api_key",
        ),
        (
            "  backend_configs:\n    vllm:\n      concurency: 3\n",
            4,
            "backend_configs.vllm: no setting is called 'concurency'\nhint: did you mean 'concurrency'?",
        ),
        (
            "  sampling_params:\n    temprature: 0\n",
            3,
            "sampling_params: 'temprature' is not a sampling parameter\nhint: did you mean 'temperature'?",
        ),
    ],
)
def test_unknown_names_below_parameters_are_refused_whatever_the_backend(answers, capsys, parameters, line, message):
    Path("p.yaml").write_text(MODEL)
    assert run_with(f"generation:\n{parameters}") == 2
    assert f"p_parameter.yaml:{line}: generation.generation_init: {message}\n" in capsys.readouterr().err


def test_settings_of_ultrarag_for_other_backends_are_accepted(answers):
    Path("p.yaml").write_text(MODEL)
    vllm = "    vllm: {model_name_or_path: m, gpu_ids: '2', gpu_memory_utilization: 0.9, dtype: auto}\n"
    hf = "    hf: {model_name_or_path: m, gpu_ids: '2', trust_remote_code: true, batch_size: 8}\n"
    sampling = "  sampling_params: {temperature: 0.7, top_p: 0.8, top_k: 20, max_tokens: 2048}\n"
    assert run_with(f"generation:\n  backend: extractive\n  backend_configs:\n{vllm}{hf}{sampling}") == 0


def test_a_server_that_is_down_is_told_with_its_address(answers, capsys):
    Path("p.yaml").write_text("servers:\n  far: http://127.0.0.1:9/mcp\npipeline:\n- far.tool\n")
    assert main(["run", "p.yaml"]) == 3
    err = capsys.readouterr().err
    assert "p.yaml:2: the server 'far' cannot be reached at http://127.0.0.1:9/mcp: " in err
    assert "hint: is it running, and is the address right?" in err


@pytest.mark.parametrize("placeholder", ["abc", "EMPTY"])
def test_a_placeholder_gives_way_to_the_key_of_the_environment(answers, capsys, monkeypatch, placeholder):
    Path("p.yaml").write_text(MODEL)
    text = (
        f"generation:\n  backend: openai\n  backend_configs:\n    openai: {{model_name: m, api_key: {placeholder}}}\n"
    )
    notice = f"backend_configs.openai.api_key is a placeholder ({placeholder}): LLM_API_KEY is used instead\n"
    monkeypatch.delenv("LLM_API_KEY", raising=False)
    assert run_with(text) == 0
    assert notice not in capsys.readouterr().err
    monkeypatch.setenv("LLM_API_KEY", "sk-mine")
    assert run_with(text) == 0
    assert notice in capsys.readouterr().err


GENERATE = """servers:
  benchmark: servers/benchmark
  generation: servers/generation
pipeline:
- benchmark.get_data
- generation.generation_init
"""
GENERATION = """generation:
  backend: {backend}
  backend_configs: {{{backend}: {settings}}}
  sampling_params: {sampling}
"""


@pytest.mark.parametrize(
    ("given", "line", "message"),
    [
        (("vllm", "{model_name_or_path: m}", "{}"), 7, "vllm needs the base_url of a running server"),
        (("openai", "{model_name: m, base_uri: 'http://127.0.0.1:9/v1'}", "{}"), 7, "did you mean 'base_url'?"),
        (("openai", "{model_name: m}", "{temprature: 0}"), 8, "did you mean 'temperature'?"),
        (("opnai", "{model_name: m}", "{}"), 6, "did you mean 'openai'?"),
    ],
)
def test_settings_of_generation_are_refused_before_the_first_step(answers, capsys, given, line, message):
    Path("p.yaml").write_text(GENERATE)
    backend, settings, sampling = given
    section = GENERATION.format(backend=backend, settings=settings, sampling=sampling)
    assert run_with(PARAMETERS.partition("evaluation:")[0] + section) == 2
    err = capsys.readouterr().err
    assert f"p_parameter.yaml:{line}: generation.generation_init: " in err
    assert message in err
    assert not Path("output").exists()


def test_a_field_that_no_row_has_is_told_with_its_own_line(answers, capsys):
    assert run_with(PARAMETERS.replace("{q_ls: q, gt_ls: gold,", "{q_ls: q,\n      gt_ls: golden,")) == 2
    err = capsys.readouterr().err
    assert "p_parameter.yaml:5: benchmark.get_data: answers.jsonl: " in err
    assert "'golden'" in err


def test_a_path_that_is_there_from_a_folder_above_names_that_folder(answers, capsys, monkeypatch):
    shutil.copy("p.yaml", "parameters")
    monkeypatch.chdir("parameters")
    assert main(["run", "p.yaml", "--param", "p_parameter.yaml"]) == 2
    assert "run in .., where answers.jsonl is\n" in capsys.readouterr().err


def test_a_step_that_is_missing_is_proposed(answers, capsys):
    steps = "- benchmark.get_data\n- retriever.retriever_init\n- prompt.qa_rag_boxed\n"
    servers = "servers: {benchmark: servers/benchmark, retriever: servers/retriever, prompt: servers/prompt}\n"
    Path("p.yaml").write_text(f"{servers}pipeline:\n{steps}")
    assert run_with(PARAMETERS.partition("evaluation:")[0]) == 2
    err = capsys.readouterr().err
    assert "p.yaml:5: no step before prompt.qa_rag_boxed provides 'ret_psg'" in err
    assert "add a step that provides it (retriever.retriever_search, " in err
    assert "define it in key_map of benchmark.benchmark" in err


def test_a_server_that_is_misspelt_is_named(answers, capsys):
    Path("p.yaml").write_text(ASK.replace("servers/evaluation", "servers/evaluaton"))
    assert main(["run", "p.yaml"]) == 2
    assert "did you mean 'servers/evaluation'?" in capsys.readouterr().err


def test_unknown_parameters_are_answered_with_parameters_alone(answers, capsys):
    assert run_with(PARAMETERS + "  zzz: 1\n") == 2
    err = capsys.readouterr().err
    assert "metrics" in err
    assert "pred_ls" not in err.partition("hint: ")[2]
