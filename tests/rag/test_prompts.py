"""Templates: filled as they are written, in a sandbox, and never with a part left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import ConfigError, InputError
from steelyard.rag.prompts import (
    by_question,
    check_lengths,
    fill,
    joined,
    lettered,
    read_template,
    text_of,
    texts,
    texts_or_none,
)


@pytest.fixture
def template(tmp_path, monkeypatch):
    """Write a template and read it back."""
    monkeypatch.chdir(tmp_path)

    def template(content):
        (tmp_path / "t.jinja").write_text(content, encoding="utf-8")
        return read_template("t.jinja", root=tmp_path / "elsewhere")

    return template


def filled(template, **columns):
    return fill(template, columns, prompt="ask", example="prompt/ask.jinja")


def test_rows_are_filled_in_order_and_the_last_line_break_goes(template):
    found = filled(template("Q: {{ question }}\n"), question=["one", "two"])
    assert found == ["Q: one", "Q: two"]


def test_s1_nothing_is_escaped(template):
    text = 'he ain\'t heavy 3 < 5 & "x" <search> 《合同法》 {{ not_a_name }}'
    assert filled(template("{{ question }}"), question=[text]) == [text]


@given(st.text())
def test_s1_any_text_comes_through_as_it_is(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.jinja"
    path.write_text("<{{ question }}>", encoding="utf-8")
    assert filled(read_template(str(path), root=path.parent), question=[text]) == [f"<{text}>"]


def test_a_name_that_is_not_given_is_an_error_with_its_line(template):
    with pytest.raises(ConfigError) as caught:
        filled(template("a\n{{ question }}\n{{ documents }}"), question=["x"])
    assert str(caught.value) == (
        "t.jinja:3: the template uses 'documents', which ask does not provide\n"
        "hint: ask provides question; a template for it is prompt/ask.jinja"
    )


def test_a_name_that_is_not_used_is_an_error(template):
    with pytest.raises(ConfigError) as caught:
        filled(template("{{ question }}"), question=["x"], documents=["y"])
    assert str(caught.value) == (
        "t.jinja: the template does not use 'documents': the 'documents' passed to ask would not reach the model\n"
        "hint: a template for ask is prompt/ask.jinja"
    )


def test_the_first_line_of_a_name_counts_and_names_of_the_template_itself_do_not(template):
    found = template("{% set mark = '#' %}\n{{ question }}\n{{ mark }}{{ question }}")
    assert found.names == {"question": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\n{{ question.__class__ }}", "access to attribute '__class__' of 'str' object is unsafe."),
        ("a\n{{ question.__class__.__mro__ }}", "access to attribute '__class__' of 'str' object is unsafe."),
        ("a\n{{ question.nothing }}", "'str object' has no attribute 'nothing'"),
        ("a\n{{ question / 2 }}", "unsupported operand type(s) for /: 'str' and 'int'"),
        ("a\n{{ 1 / (question | length - 1) }}", "division by zero"),
        ("a\n{% include 'x' %}{{ question }}", "no loader for this environment specified"),
    ],
)
def test_what_a_template_may_not_do_is_an_error_with_its_line(template, content, message):
    with pytest.raises(ConfigError) as caught:
        filled(template(content), question=["x"])
    assert str(caught.value) == f"t.jinja:2: the template cannot be filled: {message}"


DOUBLED = (
    "{{% set it = namespace(x=question) %}}{{% for n in range(60) %}}{{% set it.x = {} %}}{{% endfor %}}{{{{ it.x }}}}"
)


@pytest.mark.parametrize(
    "content",
    [
        "{{ question*300000000 }}",
        "{{ [question]*300000000 }}",
        "{{ 300000000*question }}",
        "{{ question|center(2000000000) }}",
        "{{ question.center(2000000000) }}",
        "{{ question.ljust(width) }}".replace("width", "9" * 10),
        "{{ question|replace('x', 'y'*100000)|replace('y', 'z'*100000) }}",
        "{{ question|indent(2000000000, true) }}",
        "{{ '%2000000000s'|format(question) }}",
        "{{ '%2000000000s' % question }}",
        "{{ '{:2000000000}'.format(question) }}",
        "{{ '{:{}}'.format(question, 2000000000) }}",
        "{{ ([question*1000000]*1000)|join }}",
        "{{ question }}{{ 9**999999 }}",
        "{{ question }}{% for n in range(99999) %}{{ 'abcdefghij'*100 }}{% endfor %}",
        DOUBLED.format("it.x + it.x"),
        DOUBLED.format("it.x ~ it.x"),
    ],
)
def test_a_template_makes_nothing_that_is_too_large(template, content):
    message = r"^t\.jinja(:2)?: the template cannot be filled: the size of a prompt is above the limit of 10,000,000"
    with pytest.raises(ConfigError, match=message) as caught:
        filled(template(f"a\n{content}"), question=["x" * 5])
    assert str(caught.value.hint) == "to raise the limit, set STEELYARD_PROMPT_CHARACTERS"


def test_usual_templates_are_filled_within_the_limits(template):
    content = (
        "{{ question|replace('a', 'bb')|truncate(5000)|upper }} {{ '%05.1f'|format(2.5) }} {{ '-' * 20 }} {{ 2**10 }}"
    )
    content += "{{ ['a', question[:3]]|map('upper')|join(', ') }} {{ '{:>6}'.format(7) }} {{ question + question ~ 1 }}"
    text = "a" * 40_000
    (found,) = filled(template(content), question=[text])
    assert found.split() == ["BB" * 2498 + "B...", "002.5", "-" * 20, "1024A,", "AAA", "7", text + text + "1"]


def test_bad_syntax_is_an_error_with_its_line(template):
    with pytest.raises(ConfigError) as caught:
        template("a\nb {{ question\n")
    assert str(caught.value) == (
        "t.jinja:2: the template cannot be read: unexpected end of template, expected 'end of print statement'."
    )


def test_templates_are_looked_for_here_then_among_the_bundled_ones(tmp_path, monkeypatch):
    bundled = tmp_path / "bundled" / "prompt"
    bundled.mkdir(parents=True)
    (bundled / "ask.jinja").write_text("bundled {{ question }}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = read_template("prompt/ask.jinja", root=bundled.parent)
    assert filled(found, question=["x"]) == ["bundled x"]
    (tmp_path / "prompt").mkdir()
    (tmp_path / "prompt" / "ask.jinja").write_text("mine {{ question }}", encoding="utf-8")
    assert filled(read_template("prompt/ask.jinja", root=bundled.parent), question=["x"]) == ["mine x"]
    with pytest.raises(ConfigError) as caught:
        read_template("prompt/aks.jinja", root=bundled.parent)
    message = "prompt/aks.jinja: there is no such template\nhint: did you mean 'prompt/ask.jinja'?"
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["../secret.jinja", "prompt/../../secret.jinja", "prompt\\..\\secret.jinja"])
def test_a_path_that_goes_up_is_refused(name, tmp_path):
    with pytest.raises(ConfigError) as caught:
        read_template(name, root=tmp_path)
    assert str(caught.value) == f"{name}: the path of a template must not contain .."


@pytest.mark.parametrize("name", [None, "", 3])
def test_a_template_without_a_name_is_refused(name, tmp_path):
    with pytest.raises(ConfigError, match=rf"^a template is specified by its path, not {name!r}$"):
        read_template(name, root=tmp_path)


def test_s3_unequal_lengths_are_refused():
    with pytest.raises(InputError, match=r"^q_ls has 2 entries, ret_psg has 1$"):
        check_lengths(q_ls=["a", "b"], ret_psg=[["x"]])
    with pytest.raises(InputError, match=r"^ret_psg must be a list with an entry for every question, not text$"):
        check_lengths(q_ls=["a"], ret_psg="x")


def test_s3_text_is_never_taken_apart():
    with pytest.raises(InputError, match=r"^ret_psg\[1\]: passages must be a list of texts, not text$"):
        joined("ret_psg", [["x"], "text"])
    with pytest.raises(InputError, match=r"^q_ls\[0\]: an entry must be text, not nothing$"):
        texts("q_ls", [None])
    with pytest.raises(InputError, match=r"^choices_ls\[0\]: options must be a list of texts, not text$"):
        lettered("choices_ls", ["ABCD"])
    with pytest.raises(InputError, match=r"^ret_psg\[0\]\[1\]: an entry must be text, not an object$"):
        joined("ret_psg", [["x", {}]])


def test_passages_stand_below_each_other_and_options_have_letters():
    assert joined("ret_psg", [["甲。", "乙。"], []]) == ["甲。\n乙。", ""]
    assert joined("ret_psg", [["a", "b", "c"]], most=2) == ["a\nb"]
    assert lettered("choices_ls", [["red", 1874]]) == ["A: red\nB: 1874"]
    for options in ([], ["x"] * 27):
        message = rf"^choices_ls\[0\]: {len(options)} options; the number must be from 1 to 26$"
        with pytest.raises(InputError, match=message):
            lettered("choices_ls", [options])


def test_rows_that_lack_something_have_an_empty_prompt(template):
    asked = template("{{ question }}: {{ documents }}")
    assert filled(asked, question=[None, "b", "c"], documents=["x", None, "z"]) == ["", "", "c: z"]
    assert texts_or_none("q_ls", ["a", None]) == ["a", None]
    with pytest.raises(InputError, match=r"^q_ls\[1\]: an entry must be text, not 3$"):
        texts_or_none("q_ls", [None, 3])
    assert joined("ret_psg", [None, ["a"]]) == ["", "a"]
    assert lettered("choices_ls", [None, ["a"]]) == [None, "A: a"]


def test_rounds_are_transposed():
    assert by_question("q_ls", [["a", "b"], ["c", "d"]]) == [["a", "c"], ["b", "d"]]
    with pytest.raises(InputError, match=r"^memory_q_ls\[0\] has 2 entries, memory_q_ls\[1\] has 1$"):
        by_question("q_ls", [["a", "b"], ["c"]])
    message = r"^memory_q_ls must be a list with an entry for every round: does an earlier step provide q_ls\?$"
    with pytest.raises(InputError, match=message):
        by_question("q_ls", [])


@pytest.mark.parametrize(
    "prompt",
    [
        "hi",
        {"role": "user", "content": {"type": "text", "text": "hi"}},
        {"content": "hi"},
        {"text": "hi"},
    ],
)
def test_every_form_of_a_prompt_is_read(prompt):
    assert text_of(prompt) == "hi"


@pytest.mark.parametrize(("prompt", "kind"), [(None, "nothing"), (3, "3"), ({"role": "user"}, "an object")])
def test_what_is_no_prompt_is_refused(prompt, kind):
    with pytest.raises(InputError, match=rf"^a prompt must be text or a message, not {kind}\n"):
        text_of(prompt)
