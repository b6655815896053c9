"""The generation server: a backend is chosen, prompts are answered, the key comes from the environment."""

from pathlib import Path

import pytest
from rag.chat_stub import failure, serving

from steelyard import ConfigError, SystemFailure
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.load import load_program
from steelyard.pipelines.server import callbacks

FOLDER = Path(__file__).parents[2] / "servers" / "generation"
PARAMETERS = read_yaml(FOLDER / "parameter.yaml").plain()


@pytest.fixture
def tools():
    loaded = load_program(FOLDER / "src" / "generation.py").tools
    return {name: tool.function for name, tool in loaded.items()}


@pytest.fixture
def stub():
    with serving() as server:
        yield server


def configs(stub, **settings):
    return {"openai": {"model_name": "m", "base_url": stub.url, "retries": 0, **settings}}


def test_bindings():
    tools = load_program(FOLDER / "src" / "generation.py").tools
    bound = {name: tool.binding.resolve(PARAMETERS) for name, tool in tools.items()}
    settings = ["$backend_configs", "$sampling_params", "$extra_params", "$backend"]
    assert {name: (list(each.inputs.values()), each.outputs) for name, each in bound.items()} == {
        "generation_init": (settings, ()),
        "generate": (["prompt_ls", "$system_prompt"], ("ans_ls", "ans_errors")),
        "multiturn_generate": (["messages", "$system_prompt"], ("ans_ls", "ans_errors")),
        "vllm_shutdown": ([], ()),
    }


def test_the_extractive_backend_says_once_that_it_found_nothing(tools):
    tools["generation_init"](backend="extractive")
    known = "资料：\n大桥于1874年通车。\n\n问题：大桥何时通车？"
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        assert tools["generate"]([known])["ans_ls"] == ["大桥于1874年通车。"]
        assert notices == []
        found = tools["generate"]([known, "问题：谁设计了这座塔？", "Question: who built the tower"])
        assert found["ans_ls"] == ["大桥于1874年通车。", "我不知道。", "I do not know."]
        tools["generate"](["问题：谁设计了这座塔？"])
    assert len(notices) == 1
    assert "found nothing for 2 of 3 prompts (answered with “I do not know.” or “我不知道。”)" in notices[0]


def test_the_defaults_answer_without_a_network(tools):
    chosen = {name: PARAMETERS[name] for name in ("backend_configs", "sampling_params", "extra_params", "backend")}
    assert tools["generation_init"](**chosen) is None
    prompt = "Answer in \\boxed{}.\n\nDocuments:\nThe bridge opened in 1874.\n\nQuestion: when did the bridge open"
    progress_calls = []
    with callbacks(on_progress=lambda done, total: progress_calls.append((done, total))):
        found = tools["generate"]([prompt, {"text": prompt}], PARAMETERS["system_prompt"])
    assert found == {
        "ans_ls": ["The bridge opened in 1874. \\boxed{1874}"] * 2,
        "ans_errors": [None, None],
        "ans_failed": 0,
    }
    assert progress_calls == [(1, 2), (2, 2)]
    assert tools["vllm_shutdown"]() is None


def test_nothing_is_answered_before_a_backend_is_chosen(tools):
    with pytest.raises(ConfigError) as caught:
        tools["generate"](["x"])
    assert str(caught.value) == ("no generator has been chosen\nhint: put generation.generation_init before this step")


def test_the_key_is_that_of_the_environment(tools, stub, monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", "sk-env")
    monkeypatch.setenv("LLM_BASE_URL", stub.url)
    stub.script = {"bad": failure(400, "no")}
    tools["generation_init"](configs(stub, api_key=""), {"temperature": 0}, {}, "openai")
    found = tools["generate"](["good", {"content": "bad"}], "Be brief.")
    assert found == {
        "ans_ls": ["re: good", None],
        "ans_errors": [None, "the model answered with status 400: no"],
        "ans_failed": 1,
    }
    assert {headers["authorization"] for _, headers, _ in stub.requests} == {"Bearer sk-env"}


def test_a_conversation_goes_on(tools, stub):
    tools["generation_init"](configs(stub), None, None, "openai")
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    assert tools["multiturn_generate"](said) == {"ans_ls": ["re: c"], "ans_errors": [None], "ans_failed": 0}
    assert stub.requests[0][2]["messages"] == said


FAILED = {"ans_ls": [None], "ans_errors": ["the model answered with status 400: no"], "ans_failed": 1}


def test_a_prompt_that_fails_alone_is_null_once_the_model_has_answered(tools, stub):
    stub.script = {"bad": failure(400, "no")}
    tools["generation_init"](configs(stub), None, None, "openai")
    with pytest.raises(SystemFailure, match=r"^every generation failed: the model answered with status 400: no$"):
        tools["generate"](["bad"])
    assert tools["generate"](["good"])["ans_ls"] == ["re: good"]
    assert tools["generate"](["bad"]) == FAILED
    assert tools["multiturn_generate"](["bad"]) == FAILED
    assert tools["generate"](["good"])["ans_ls"] == ["re: good"]


def test_a_backend_chosen_anew_has_not_answered_yet(tools, stub):
    stub.script = {"bad": failure(401, "no")}
    tools["generation_init"](configs(stub), None, None, "openai")
    tools["generate"](["good"])
    tools["generation_init"](configs(stub), None, None, "openai")
    with pytest.raises(SystemFailure, match=r"^every generation failed: .* status 401: no\nhint: the key is "):
        tools["generate"](["bad", "bad"])


def test_rows_that_were_not_set_prove_nothing(tools, stub):
    stub.script = {"bad": failure(401, "no")}
    tools["generation_init"](configs(stub), None, None, "openai")
    assert tools["generate"]([None, ""])["ans_failed"] == 2
    with pytest.raises(SystemFailure, match=r"^every generation failed: .* status 401: no\nhint: the key is "):
        tools["generate"](["", "bad"])
