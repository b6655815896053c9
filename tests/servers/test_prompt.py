"""The prompt server: documents in every RAG prompt, nothing escaped, nothing dropped."""

import html
from pathlib import Path

import pytest

from steelyard import ConfigError, InputError, UnknownName
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.load import load_program
from steelyard.pipelines.server import matches_type

ROOT = Path(__file__).parents[2]
TOOLS = load_program(ROOT / "servers" / "prompt" / "src" / "prompt.py").tools
PARAMETERS = read_yaml(ROOT / "servers" / "prompt" / "parameter.yaml").plain()

BINDINGS = {
    "qa_boxed": ["q_ls", "$template"],
    "qa_rag_boxed": ["q_ls", "ret_psg", "$template"],
    "qa_boxed_multiple_choice": ["q_ls", "choices_ls", "$template"],
    "qa_rag_boxed_multiple_choice": ["q_ls", "choices_ls", "ret_psg", "$template"],
    "RankCoT_kr": ["q_ls", "ret_psg", "$kr_template"],
    "RankCoT_qa": ["q_ls", "kr_ls", "$qa_template"],
    "ircot_next_prompt": ["memory_q_ls", "memory_ret_psg", "$template"],
    "gen_subq": ["q_ls", "ret_psg", "$gen_subq_template"],
    "check_passages": ["q_ls", "ret_psg", "$check_psg_template"],
    "search_r1_gen": ["prompt_ls", "ans_ls", "ret_psg", "$search_r1_gen_template"],
    "r1_searcher_gen": ["prompt_ls", "ans_ls", "ret_psg", "$r1_searcher_gen_template"],
    "search_o1_init": ["q_ls", "$searcho1_reasoning_template"],
    "search_o1_reasoning_indocument": [
        *("extract_query_list", "ret_psg", "total_reason_list"),
        "$searcho1_refine_template",
    ],
    "search_o1_insert": ["q_ls", "total_subq_list", "total_final_info_list", "$searcho1_reasoning_template"],
    "webnote_gen_plan": ["q_ls", "$webnote_gen_plan_template"],
    "webnote_init_page": ["q_ls", "plan_ls", "$webnote_init_page_template"],
    "webnote_gen_subq": ["q_ls", "plan_ls", "page_ls", "$webnote_gen_subq_template"],
    "webnote_fill_page": ["q_ls", "plan_ls", "page_ls", "subq_ls", "psg_ls", "$webnote_fill_page_template"],
    "webnote_gen_answer": ["q_ls", "page_ls", "$webnote_gen_answer_template"],
    "surveycpm_search": ["instruction_ls", "survey_ls", "cursor_ls", "$surveycpm_search_template"],
    "surveycpm_init_plan": ["instruction_ls", "retrieved_info_ls", "$surveycpm_init_plan_template"],
    "surveycpm_write": [
        *("instruction_ls", "survey_ls", "cursor_ls", "retrieved_info_ls"),
        "$surveycpm_write_template",
    ],
    "surveycpm_extend_plan": ["instruction_ls", "survey_ls", "$surveycpm_extend_plan_template"],
}
# prompts that share a template, or have one of another name
TEMPLATES = {
    "search_o1_init": "search_o1_reasoning",
    "search_o1_insert": "search_o1_reasoning",
    "search_o1_reasoning_indocument": "search_o1_refinement",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder without templates: the bundled ones are found."""
    monkeypatch.chdir(tmp_path)


def prompt(name, *arguments, template=None):
    return TOOLS[name].function(*arguments, template)


def test_c17_every_prompt_is_bound_and_its_template_is_a_parameter():
    bound = {name: TOOLS[name].binding.resolve(PARAMETERS) for name in TOOLS}
    inputs = {name: list(binding.inputs.values()) for name, binding in bound.items()}
    assert inputs == {name: [*inputs, "$escape"] for name, inputs in BINDINGS.items()}
    assert {binding.outputs for binding in bound.values()} == {("prompt_ls",)}
    assert {tool.kind for tool in TOOLS.values()} == {"prompt"}
    assert set(PARAMETERS.values()) == {None}
    assert all((ROOT / "prompt" / f"{TEMPLATES.get(name, name)}.jinja").is_file() for name in TOOLS)


@pytest.mark.parametrize("name", ["qa_rag_boxed", "search_r1_gen"])
def test_s1_html_escapes_what_is_put_in_and_nothing_else(name):
    columns = (
        (["he ain't heavy & <b>"], [["3 < 5"]]) if name == "qa_rag_boxed" else (["he ain't"], ["<b>"], [["3 < 5"]])
    )
    (plain,), (escaped,) = TOOLS[name].function(*columns), TOOLS[name].function(*columns, escape="html")
    assert "&" not in plain.replace("heavy & ", "")
    assert "he ain&#39;t" in escaped
    assert "3 &lt; 5" in escaped
    assert html.unescape(escaped) == plain


def test_an_unknown_escape_is_an_error():
    with pytest.raises(UnknownName, match="no setting is called 'xml'\nhint: known: html"):
        TOOLS["qa_boxed"].function(["x"], escape="xml")


def test_s1_s2_the_default_template_has_the_documents_as_they_are():
    (found,) = prompt("qa_rag_boxed", ["he ain't heavy & <b>"], [["3 < 5", '"第十七条" <search>']])
    assert found == (
        "Answer the question from the documents below and from nothing else. Say step by step what they tell about it, "
        "then give the final answer once, as short as it can be, inside \\boxed{}. If they do not hold the answer, say "
        "so and leave the box out.\n"
        "\n"
        "Documents:\n"
        "3 < 5\n"
        '"第十七条" <search>\n'
        "\n"
        "Question: he ain't heavy & <b>"
    )


def test_the_chinese_template():
    (found,) = prompt("qa_rag_boxed", ["谁？"], [["甲。", "乙。"]], template="prompt/qa_rag_boxed_zh.jinja")
    assert found.endswith("资料：\n甲。\n乙。\n\n问题：谁？")


def test_s2_a_template_without_the_documents_is_refused():
    with pytest.raises(ConfigError) as caught:
        prompt("qa_rag_boxed", ["q"], [["d"]], template="prompt/qa_boxed.jinja")
    assert str(caught.value) == (
        f"{ROOT / 'prompt/qa_boxed.jinja'}: the template does not use 'documents': the 'documents' passed to "
        "qa_rag_boxed would not reach the model\nhint: a template for qa_rag_boxed is prompt/qa_rag_boxed.jinja"
    )


def test_s2_a_template_that_wants_documents_is_refused_where_there_are_none():
    with pytest.raises(ConfigError) as caught:
        prompt("qa_boxed", ["q"], template="prompt/qa_rag_boxed.jinja")
    assert str(caught.value) == (
        f"{ROOT / 'prompt/qa_rag_boxed.jinja'}:4: the template uses 'documents', which qa_boxed does not provide\n"
        "hint: qa_boxed provides question; a template for it is prompt/qa_boxed.jinja"
    )


def test_s3_no_question_is_dropped():
    with pytest.raises(InputError, match=r"^q_ls has 2 entries, ret_psg has 1$"):
        prompt("qa_rag_boxed", ["a", "b"], [["x"]])
    with pytest.raises(InputError, match=r"^q_ls has 1 entry, choices_ls has 2$"):
        prompt("qa_boxed_multiple_choice", ["a"], [["x"], ["y"]])
    with pytest.raises(InputError, match=r"^q_ls must be a list with an entry for every question, not text$"):
        prompt("qa_rag_boxed", "one question", [["x"]])
    with pytest.raises(InputError, match=r"^ret_psg\[0\]: passages must be a list of texts, not text$"):
        prompt("qa_rag_boxed", ["a"], ["a passage"])


def test_questions_alone_and_with_options():
    assert prompt("qa_boxed", ["who"])[0].endswith("leave the box out.\n\nQuestion: who")
    (alone,) = prompt("qa_boxed_multiple_choice", ["who"], [["Ann", "Bo"]])
    assert alone.endswith("Question: who\n\nOptions:\nA: Ann\nB: Bo")
    (found,) = prompt("qa_rag_boxed_multiple_choice", ["who"], [["Ann"]], [["d"]])
    assert found.endswith("Documents:\nd\n\nQuestion: who\n\nOptions:\nA: Ann")


@pytest.mark.parametrize("name", ["RankCoT_kr", "gen_subq", "check_passages"])
def test_other_prompts_with_documents(name):
    (found,) = prompt(name, ["who"], [["d1", "d2"]])
    assert found.endswith("Documents:\nd1\nd2\n\nQuestion: who")


def test_notes_that_failed_make_an_empty_prompt():
    found = prompt("RankCoT_qa", ["a", "b"], ["note", None])
    assert found[0].endswith("Notes:\nnote\n\nQuestion: a")
    assert found[1] == ""


# prompt, arguments with a row that lacks what it asks by, and the end of the other row
LACKING = [
    ("qa_boxed", [[None, "b"]], "Question: b"),
    ("qa_rag_boxed", [[None, "b"], [["d"], ["e"]]], "Documents:\ne\n\nQuestion: b"),
    ("RankCoT_kr", [[None, "b"], [None, ["e"]]], "Documents:\ne\n\nQuestion: b"),
    ("gen_subq", [[None, "b"], [["d"], None]], "Documents:\n\n\nQuestion: b"),
    ("check_passages", [[None, "b"], [None, None]], "Documents:\n\n\nQuestion: b"),
    ("RankCoT_qa", [[None, "b"], ["x", "note"]], "Notes:\nnote\n\nQuestion: b"),
    ("qa_boxed_multiple_choice", [["a", "b"], [None, ["x"]]], "Options:\nA: x"),
    ("qa_boxed_multiple_choice", [[None, "b"], [["y"], [1]]], "Options:\nA: 1"),
    ("qa_rag_boxed_multiple_choice", [[None, "b"], [["y"], ["x"]], [["d"], None]], "Options:\nA: x"),
    ("ircot_next_prompt", [[[None, "b"], [None, "t"]], [[None, ["e"]]] * 2], "Question: b\n\nThoughts so far:\nt"),
    ("search_r1_gen", [[None, "before"], ["x", "y"], [["d"], None]], ""),
    ("r1_searcher_gen", [["p", "before"], [None, "y"], [None, ["e"]]], ""),
    ("search_o1_init", [[None, "b"]], "Question: b"),
    ("search_o1_reasoning_indocument", [[None, "b"], [None, ["e"]], [["r"], ["s"]]], "Query: b\n\nDocuments:\ne"),
    ("search_o1_insert", [[None, "b"], [["x"], None], [["y"], None]], "Question: b"),
    ("webnote_gen_plan", [[None, "b"]], "Question: b"),
    ("webnote_init_page", [["a", "b"], [None, "p"]], "Plan:\np\n\nQuestion: b"),
    ("webnote_gen_subq", [["a", "b"], ["o", "p"], [None, "g"]], "Plan:\np\n\nPage:\ng\n\nQuestion: b"),
    (
        "webnote_fill_page",
        [["a", "b"], ["o", "p"], ["f", "g"], [None, "s"], [["d"], None]],
        "Query: s\n\nDocuments:\n\n\nQuestion: b",
    ),
    ("webnote_gen_answer", [["a", "b"], [None, "g"]], "Page:\ng\n\nQuestion: b"),
    (
        "surveycpm_search",
        [[None, "b"], ["<PAD>", None], ["outline", "outline"]],
        "There is no survey.\n\nNext: You need to update outline",
    ),
    ("surveycpm_init_plan", [[None, "b"], ["x", "<PAD>"]], "Instruction: b\n\nWhat was found:\n"),
    (
        "surveycpm_write",
        [[None, "b"], [None, None], ["outline", "section-1"], [None, "found"]],
        "Next: You need to update section-1\n\nWhat was found:\nfound",
    ),
    ("surveycpm_extend_plan", [[None, "b"], ["<PAD>", None]], "Survey so far:\nThere is no survey."),
]


@pytest.mark.parametrize(("name", "arguments", "end"), LACKING)
def test_rows_without_a_question_have_an_empty_prompt_and_none_are_no_passages(name, arguments, end):
    lacking, whole = prompt(name, *arguments)
    assert lacking == ""
    assert whole
    assert whole.endswith(end)


@pytest.mark.parametrize(("name", "arguments", "end"), LACKING)
def test_null_rows_are_what_the_signatures_take(name, arguments, end):
    names = list(TOOLS[name].binding.inputs)
    assert all(matches_type(value, TOOLS[name], argument) for argument, value in zip(names, arguments, strict=False))


def test_every_prompt_is_tried_with_null_rows():
    assert {name for name, _, _ in LACKING} == set(TOOLS)


def test_ircot_leaves_out_rounds_that_repeat_the_one_before():
    questions, passages = ["q1", "q2"], [["d1"], ["d2"]]
    first = prompt("ircot_next_prompt", [questions], [passages])
    assert first[0].endswith("Documents:\nd1\n\nQuestion: q1\n\nThoughts so far:\n")
    # the second question is settled: its rows come again as they were
    second = prompt("ircot_next_prompt", [questions, ["t1", "q2"], ["t1b", "q2"]], [passages, [["d1", "d3"], ["d2"]]])
    assert second[0].endswith("Documents:\nd1\nd1\nd3\n\nQuestion: q1\n\nThoughts so far:\nt1 t1b")
    assert second[1] == first[1]


def test_ircot_without_its_rounds_is_refused():
    with pytest.raises(ConfigError, match="does not use 'cur_answer'"):
        prompt("ircot_next_prompt", [["q"]], [[["d"]]], template="prompt/qa_rag_boxed.jinja")
    with pytest.raises(InputError, match=r"^memory_q_ls has 1 entry, memory_ret_psg has 2$"):
        prompt("ircot_next_prompt", [["q"]], [[["d"], ["e"]]])


@pytest.mark.parametrize(
    ("name", "opening", "most"),
    [("search_r1_gen", "<information>", 3), ("r1_searcher_gen", "<|begin_of_documents|>", 5)],
)
def test_prompts_that_go_on(name, opening, most):
    passages = [[f"d{number}" for number in range(8)], []]
    message = {"role": "user", "content": {"type": "text", "text": "before"}}
    found = prompt(name, [message, "other"], [" <search>x", None], passages)
    shown = "\n".join(passages[0][:most])
    assert found[0].startswith(f"before <search>x\n\n{opening}\n{shown}\n<")
    assert found[1] == ""


def test_search_o1_is_told_what_each_search_found():
    (found,) = prompt("search_o1_insert", ["q"], [["a", "b"]], [["A", "B"]])
    assert found.endswith(
        "Question: q<|begin_search_query|>a<|end_search_query|>\n<|begin_search_result|>A<|end_search_result|>"
        "<|begin_search_query|>b<|end_search_query|>\n<|begin_search_result|>B<|end_search_result|>"
    )
    (found,) = prompt("search_o1_reasoning_indocument", ["q"], [["d"]], [["r1", "r2", "r3", "r4", "r5"]])
    assert "Step 1: r1\n\nStep 2: r3\n\nStep 3: r4\n\nStep 4: r5\n\nQuery: q" in found


def test_the_template_that_is_proposed_is_one_of_the_project():
    folder = Path("prompt")
    folder.mkdir(exist_ok=True)
    (folder / "mine.jinja").write_text("{{question}}")
    (folder / "other.jinja").write_text("{{question}} {{documents}}")
    with pytest.raises(ConfigError) as caught:
        prompt("qa_rag_boxed", ["Why?"], [["Because."]], template="prompt/mine.jinja")
    assert str(caught.value.hint).endswith("prompt/other.jinja")
