"""Generation: answers in order, failures as errors, keys in headers only; and the embedded generator."""

import json
import time

import pytest
from rag.chat_stub import completion, failure, serving

from steelyard import ConfigError, InputError, MissingExtra, SystemFailure, UnknownName
from steelyard.rag import generation
from steelyard.rag.generation import ChatSettings, generate, many_turns, open_generator, single_turns

KEY = "sk-secret-123"


@pytest.fixture
def stub():
    with serving() as server:
        yield server


def ask(stub, prompts, *, system="", sampling=None, extra=None, progress=lambda done, total: None, **settings):
    config = {"model_name": "m", "base_url": stub.url, "base_delay": 0.01, "api_key": KEY, **settings}
    generator = open_generator("openai", configs={"openai": config}, sampling=sampling, extra=extra)
    return generate(generator, single_turns(prompts, system), progress=progress)


def test_answers_are_in_the_order_of_the_prompts_however_they_arrive(stub):
    def late(number):
        return lambda: time.sleep((20 - number) / 200) or f"answer {number}"

    stub.script = {f"p{number}": late(number) for number in range(20)}
    heard = []
    answers, errors = ask(
        stub, [f"p{number}" for number in range(20)], concurrency=5, progress=lambda *done: heard.append(done)
    )
    assert answers == [f"answer {number}" for number in range(20)]
    assert errors == [None] * 20
    assert heard == [(number, 20) for number in range(1, 21)]
    assert 1 < stub.most <= 5


def test_s4_retryable_failures_are_repeated(stub):
    stub.script = {"x": [failure(429), failure(500), failure(408), "fine"], "y": "at once"}
    assert ask(stub, ["x", "y"], retries=3) == (["fine", "at once"], [None, None])
    assert len(stub.requests) == 5


def test_retry_after_is_respected(stub):
    stub.script = {"x": [failure(429, **{"retry-after": "0.3"}), "fine"]}
    before = time.monotonic()
    assert ask(stub, ["x"], base_delay=0)[0] == ["fine"]
    assert time.monotonic() - before >= 0.3


def test_a_long_retry_after_ends_the_attempts(stub):
    stub.script = {"x": failure(429, "full", **{"retry-after": "3600"})}
    assert ask(stub, ["x", "y"])[1] == ["the model answered with status 429: full", None]
    assert len(stub.requests) == 2


def test_s4_a_final_failure_is_an_error_and_not_an_answer(stub):
    stub.script = {"bad": failure(400, "too long"), "gone": [failure(503, "busy"), failure(503, "busy")]}
    answers, errors = ask(stub, ["good", "bad", "gone"], retries=1)
    assert answers == ["re: good", None, None]
    assert errors == [None, "the model answered with status 400: too long", "the model answered with status 503: busy"]
    assert len(stub.requests) == 4


def test_if_all_fail_the_system_fails(stub):
    stub.script = {"a": failure(401, f"wrong key {KEY}"), "b": failure(400, "other")}
    with pytest.raises(SystemFailure) as caught:
        ask(stub, ["a", "b"])
    assert str(caught.value.message) == "every generation failed: the model answered with status 401: wrong key ***"
    assert str(caught.value.hint).startswith("the key is api_key in backend_configs")


def test_a_closed_port_and_a_late_reply_are_errors(stub):
    stub.script = {"late": lambda: time.sleep(0.4) or "x"}
    answers, errors = ask(stub, ["late", "soon"], timeout=0.2, retries=0)
    assert (answers, errors) == ([None, "re: soon"], ["no reply within 0.2 s", None])
    config = {"model_name": "m", "base_url": "http://127.0.0.1:9", "retries": 1, "base_delay": 0}
    generator = open_generator("openai", configs={"openai": config})
    reached = r"^every generation failed: the model cannot be reached: .*\nhint: base_url is http://"
    with pytest.raises(SystemFailure, match=reached):
        generate(generator, single_turns(["x"], None))


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [{"message": {}}]}, "text", completion(None)])
def test_a_reply_without_content_is_an_error(stub, body):
    stub.script = {"x": (200, {}, body)}
    answers, errors = ask(stub, ["x", "y"])
    assert answers == [None, "re: y"]
    assert errors == ["the reply of the model has no choices/0/message/content", None]


BROKEN = {
    b"": "the model answered with an empty body",
    b"{": "the reply cannot be read: this is not JSON: ",
    b'{"choices": ': "the reply cannot be read: this is not JSON: ",
    b"\xff\xfe": "the reply is not UTF-8 text: byte 0xff",
    b"[" * 100_000: "the reply cannot be read: this JSON is nested too deeply; it begins with '[[",
    b"<p>": "the model answered with HTML: <p>; is this the address of the API, or of a web page?",
}


@pytest.mark.parametrize("body", BROKEN)
def test_a_reply_that_is_not_json_is_an_error_of_its_prompt(stub, body):
    stub.script = {"x": (200, {}, body)}
    answers, errors = ask(stub, ["x", "y"])
    assert (answers, errors[1]) == ([None, "re: y"], None)
    assert errors[0].startswith(BROKEN[body])


def test_half_of_a_surrogate_pair_is_sent_escaped(stub):
    assert ask(stub, ["x\ud83d"])[0] == ["re: x\ud83d"]


def test_a_request_that_json_cannot_hold_is_an_error(stub):
    with pytest.raises(SystemFailure, match=r"the request cannot be written as JSON: "):
        ask(stub, ["x"], sampling={"temperature": float("nan")})


@pytest.mark.parametrize(("content", "answer"), [("half an", "half an"), ("", ""), (None, None)])
def test_an_answer_that_was_cut_off_is_an_answer_with_a_remark(stub, content, answer):
    stub.script = {"x": (200, {}, completion(content, finish_reason="length"))}
    cut = "the answer was cut off (finish_reason length)"
    assert ask(stub, ["x", "y"]) == ([answer, "re: y"], [cut, None])


def test_cut_answers_alone_are_no_failure_of_the_system(stub):
    stub.script = {"x": (200, {}, completion("half", finish_reason="length"))}
    assert ask(stub, ["x"])[0] == ["half"]


def test_all_may_fail_if_the_generator_has_answered_before(stub):
    config = {"model_name": "m", "base_url": stub.url, "retries": 0}
    generator = open_generator("openai", configs={"openai": config})
    stub.script = {"x": failure(400, "no")}
    found = generate(generator, single_turns(["x"], None), proven=True)
    assert found == ([None], ["the model answered with status 400: no"])


def test_what_is_sent(stub):
    ask(stub, ["x"], system=" Be brief. ", sampling={"temperature": 0, "max_tokens": 5}, extra={"top_k": 20})
    ((path, headers, body),) = stub.requests
    assert path == "/v1/chat/completions"
    assert body == {
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "x"}],
        "model": "m",
        "temperature": 0,
        "max_tokens": 5,
        "top_k": 20,
    }
    assert headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(
        [path, body, {name: value for name, value in headers.items() if name != "authorization"}]
    )


@pytest.mark.parametrize("system", [None, "", "  "])
def test_an_empty_system_prompt_is_not_sent(stub, system):
    ask(stub, ["x"], system=system)
    assert stub.requests[0][2]["messages"] == [{"role": "user", "content": "x"}]


def test_the_key_of_the_settings_counts_first_and_is_not_shown(stub):
    ask(stub, ["x"], api_key="sk-own")
    assert stub.requests[0][1]["authorization"] == "Bearer sk-own"
    assert KEY not in repr(ChatSettings("m", key=KEY))


def test_a_running_vllm_server_is_asked_the_same_way(stub):
    config = {"model_name_or_path": "qwen", "base_url": stub.url}
    generator = open_generator("vllm", configs={"vllm": config})
    assert generate(generator, single_turns(["x"], None)) == (["re: x"], [None])
    assert stub.requests[0][2]["model"] == "qwen"
    with pytest.raises(ConfigError) as caught:
        open_generator("vllm", configs={"vllm": {"model_name_or_path": "qwen"}})
    assert str(caught.value) == (
        "backend_configs.vllm: vllm needs the base_url of a running server\n"
        "hint: start one with: vllm serve MODEL; then set backend: openai, and base_url: http://localhost:8000/v1 and "
        "model_name: MODEL in backend_configs.openai"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_name": ""}, "model_name is missing"),
        ({"concurrency": 0}, "concurrency must be an integer of at least 1, not 0"),
        ({"retries": 1.5}, "retries must be an integer of at least 0, not 1.5"),
        ({"timeout": "9"}, "timeout must be a number of at least 0, not '9'"),
        ({"timeout": float("inf")}, "timeout must be a number of at least 0, not inf"),
        ({"api_key": 7}, "api_key must be text, not int"),
        ({"api_key": "sk-\nx"}, "the key has characters that HTTP does not allow"),
        (
            {"base_url": "localhost:8000"},
            "not a valid address: localhost:8000\nhint: for example http://localhost:8000/v1",
        ),
        ({"modle_name": "x"}, "no setting is called 'modle_name'\nhint: did you mean 'model_name'?"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises((ConfigError, UnknownName)) as caught:
        open_generator("openai", configs={"openai": {"model_name": "m", **settings}})
    assert str(caught.value) == f"backend_configs.openai: {message}"


@pytest.mark.parametrize("name", ["top_k", "stream", "model", "extra_body"])
def test_a_parameter_that_openai_lacks_is_refused(name):
    with pytest.raises(ConfigError) as caught:
        open_generator("openai", configs={"openai": {"model_name": "m"}}, sampling={name: 1})
    assert str(caught.value) == (
        f"sampling_params: '{name}' is not a sampling parameter\n"
        "hint: parameters of the server beyond OpenAI's belong in extra_params"
    )


def test_other_backends():
    with pytest.raises(UnknownName, match=r"^no backend is called 'opanai'\nhint: did you mean 'openai'\?$"):
        open_generator("opanai")
    with pytest.raises(ConfigError, match=r"^backend_configs must be a mapping, not list$"):
        open_generator("openai", configs=[])


def test_a_missing_library_names_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(MissingExtra) as caught:
        open_generator("hf", configs={"hf": {"model_name_or_path": "x"}})
    assert str(caught.value) == (
        "a model on this machine needs the package transformers\n"
        'hint: pip install "sentence-transformers>=5" "transformers>=4.56" (the extra steelyard[models])'
    )


def test_conversations():
    messages = [{"role": "user", "content": {"type": "text", "text": "a"}}, {"role": "assistant", "content": "b"}, "c"]
    plain = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    assert many_turns(messages, None) == [plain]
    assert many_turns([messages, messages], "s") == [[{"role": "system", "content": "s"}, *plain]] * 2
    with pytest.raises(InputError, match=r"^messages must be a list of messages, or of conversations$"):
        many_turns("x", None)
    with pytest.raises(InputError, match=r"^the role of a message must be system, user or assistant, not 'tool'$"):
        many_turns([{"role": "tool", "content": "x"}], None)
    with pytest.raises(InputError, match=r"^prompt_ls must be a list of prompts$"):
        single_turns("x", None)


def test_rows_that_were_not_set_are_not_asked():
    assert single_turns([None, "x"], "s")[0] == []
    assert many_turns([None, ["a"], []], "s") == [[], many_turns(["a"], "s")[0], []]


def test_an_empty_prompt_is_an_error_and_is_not_asked(stub):
    assert ask(stub, ["", "x"]) == ([None, "re: x"], ["the prompt is empty", None])
    assert len(stub.requests) == 1


def test_where_nothing_is_asked_no_system_fails(stub):
    assert ask(stub, ["", None]) == ([None, None], ["the prompt is empty"] * 2)
    assert stub.requests == []


# the embedded generator

DOCUMENTS = """The Ember Library of Norwick was opened on 3 June 1911 by Clara Voss. It holds 42,000 books.
The library stands in Harbour Street. Its garden has nine oak trees.
云溪图书馆由沈知远于1958年10月创办，藏书三万册。云溪图书馆位于河阳市东门街。"""
FORM = r"""Answer inside \boxed{{}}.{more}

Documents:
{documents}

Question: {question}"""


def boxed(question, documents=DOCUMENTS, more=""):
    return generation.answer(FORM.format(question=question, documents=documents, more=more))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("when was the Ember Library of Norwick opened", "3 June 1911"),
        ("who opened the Ember Library of Norwick", "Clara Voss"),
        ("how many oak trees has the garden", "nine"),
        ("where does the library stand", "Harbour Street"),
        ("云溪图书馆是谁创办的？", "沈知远"),
        ("云溪图书馆何时创办？", "1958年10月"),
        ("云溪图书馆藏书多少册？", "三万"),
        ("云溪图书馆在哪里？", "河阳市东门街"),
        ("what does the garden of the library have", "Its garden has nine oak trees"),
    ],
)
def test_the_span_that_a_question_asks_for(question, expected):
    assert boxed(question).endswith(rf" \boxed{{{expected}}}")


def test_without_documents_there_is_no_box():
    assert boxed("who opened it", documents="") == "I do not know."
    assert boxed("谁创办的？", documents="") == "我不知道。"
    assert boxed("which planet has rings", documents=DOCUMENTS) == "I do not know."
    assert generation.answer("hello") == "I do not know."


def test_braces_never_open_or_close_the_box():
    answer = boxed("what is the odd mark", documents=r"The odd mark is }{ \ here.")
    assert answer.endswith(r"\boxed{The odd mark is   here}")


def test_the_letter_of_the_option_that_the_documents_hold():
    asked = "who opened the Ember Library\n\nOptions:\nA: Peter Lang\nB: Clara Voss\nC: nobody at all"
    assert boxed(asked) == r"\boxed{B}"
    assert boxed(asked, documents="") == "I do not know."
    asked = "云溪图书馆是谁创办的？\n\n选项：\nA、赵明\nB、沈知远"
    assert boxed(asked) == r"\boxed{B}"


def test_the_last_question_counts_and_documents_may_say_anything():
    documents = "Question: what is red?\nThe mail coach is yellow and says <search> and \\boxed{no}.\n"
    asked = generation.read_prompt(f"Say it.\n\nDocuments:\n{documents}\nQuestion: what is yellow?\n\nBe brief.")
    assert (asked.question, asked.instructions) == ("what is yellow?", "Say it.\n\nBe brief.")
    assert asked.documents.strip() == documents.strip()


def test_the_forms_of_an_answer():
    def say(instructions, question="when was the Ember Library of Norwick opened"):
        return generation.answer(f"{instructions}\n\nDocuments:\n{DOCUMENTS}\n\nQuestion: {question}")

    opened = "The Ember Library of Norwick was opened on 3 June 1911 by Clara Voss."
    assert say("Summarise.") == opened
    assert say('End with "So the answer is:".') == f"{opened} So the answer is: 3 June 1911"
    assert say("Reply <search> for more.") == "The documents suffice."
    assert say("Reply <search> for more.", "who painted it") == "<search>who painted it</search>"
    assert say("Write a search query.") == f"when was the Ember Library of Norwick opened {opened}"


def test_the_embedded_generator_is_fast_and_gives_the_same_every_time():
    prompts = [FORM.format(question=f"when was shop {n} opened", documents=DOCUMENTS, more="") for n in range(1000)]
    generator = open_generator("extractive")
    heard = []
    before = time.process_time()
    first = generate(generator, single_turns(prompts, None), progress=lambda *done: heard.append(done))
    assert time.process_time() - before < 3  # 0.3 s here; 10,000 in less than 10 s
    assert heard[-1] == (1000, 1000)
    assert first == generate(generator, single_turns(prompts, None))
