"""The command line in Chinese: help, argparse's own texts, refused values; no English sentence is left."""

import argparse
import ast
import gettext
import re
from pathlib import Path

import pytest
from commands import run

from steelyard.cli.parser import build_parser, coded_parser, display_width, language_of, speaking, wrapped
from steelyard.i18n import codes, texts

SOURCES = Path(__file__).parents[2] / "src" / "steelyard" / "cli"
SAME_IN_EVERY_LANGUAGE = {"N", "K", "A", "R", "S", "MB", "JSON", "1,5,10"}
OF_ARGPARSE = {"positional arguments", "options", "show this help message and exit"}


def parsers(parser=None, name="steelyard"):
    """The parser and those of all commands, each with its name."""
    parser = parser or coded_parser()
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, found in action.choices.items():
                yield from parsers(found, f"{name} {command}")


PARSERS = dict(parsers())


def given(name, parser):
    """Every text that a parser was given, with what it is."""
    yield f"description of {name}", parser.description
    yield f"epilog of {name}", parser.epilog
    for group in parser._action_groups:
        yield f"title of a group of {name}", group.title
    for action in parser._actions:
        yield f"help of {name} {'/'.join(action.option_strings) or action.dest}", action.help
        for row in getattr(action, "_choices_actions", ()):
            yield f"help of {name} {row.dest}", row.help


@pytest.mark.parametrize("name", PARSERS)
def test_every_help_text_is_a_code_of_both_catalogues(name):
    english = [
        f"{what}: {text!r} is no code of the catalogue; put the text into i18n/en.json and i18n/zh.json as help.NAME"
        ' and give "help.NAME" to argparse'
        for what, text in given(name, PARSERS[name])
        if text not in (None, argparse.SUPPRESS, *OF_ARGPARSE) and text not in texts("en")
    ]
    assert english == []


@pytest.mark.parametrize("name", PARSERS)
def test_every_metavar_is_a_word_of_both_catalogues(name):
    for action in PARSERS[name]._actions:
        takes_value = action.nargs != 0 and action.choices is None
        word = action.metavar or (action.dest.upper() if takes_value else None)
        assert word is None or word in codes("metavars") or word in SAME_IN_EVERY_LANGUAGE, (
            f"{name} {action.option_strings}: put {word} into the section metavars of i18n/en.json and i18n/zh.json,"
            " and give it as metavar"
        )


def test_refused_values_are_messages():
    for path in SOURCES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and "ArgumentTypeError" in ast.dump(node):
                pytest.fail(f'{path.name}:{node.lineno}: raise refused("cli.CODE", …) of cli/options.py instead')


def test_texts_of_argparse_keep_their_places():
    for code in codes("argparse").values():
        places = [re.findall(r"%(?:\(\w+\))?[sr]", texts(language)[code]) for language in ("en", "zh")]
        assert sorted(places[0]) == sorted(places[1]), code


def test_argparse_is_left_as_it_was():
    texts = vars(argparse)
    with speaking("zh"):
        assert texts["_"]("options") == "选项"
        assert texts["_"]("some other text") == "some other text"
    assert (texts["_"], texts["ngettext"]) == (gettext.gettext, gettext.ngettext)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        (["bench", "--lang", "zh"], "zh"),
        (["--lang=zh", "bench", "--help"], "zh"),
        (["bench", "--lang", "zh", "--lang", "en"], "en"),
        (["bench", "--lang", "xx"], "en"),
        (["bench", "--lang"], "en"),
    ],
)
def test_the_language_of_a_line(line, language, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert language_of(line) == language


def test_the_locale_decides_without_an_option():
    assert run("--help", LC_ALL="zh_CN.UTF-8").stdout.startswith("用法：steelyard")
    assert run("--help", "--lang", "en", LC_ALL="zh_CN.UTF-8").stdout.startswith("usage: steelyard")


def test_the_language_may_come_before_the_command():
    done = run("--lang", "zh", "report", "absent.jsonl")
    assert (done.returncode, done.stderr) == (2, "absent.jsonl: 没有这个文件\n")


ERRORS = {
    "compare": "steelyard compare：错误：缺少必需的参数：结果",
    "compare a b --zzzzz": "steelyard：错误：无法识别的参数：--zzzzz",
    "gate x --alpha": "steelyard gate：错误：参数 --alpha：需要一个值",
    "gate x --alpha 7": "steelyard gate：错误：参数 --alpha：必须在 0 和 1 之间，而不是 7",
    "bench --system x -j 1.5": "steelyard bench：错误：参数 -j/--concurrency：必须是整数，而不是 '1.5'",
    "compare a b --test z": "steelyard compare：错误：参数 --test：无效的值 'z'（可选：",
    "compare --json=1": "steelyard compare：错误：参数 --json：此选项不带值，却给出了 '1'",
    "nothing": "steelyard：错误：参数 命令：无效的值 'nothing'（可选：",
    "show": "steelyard：错误：show 是 UltraRAG 的命令，Steelyard 没有（steelyard view 在浏览器中查看结果）",
}


@pytest.mark.parametrize("line", ERRORS)
def test_mistakes_on_the_command_line(line):
    done = run(*line.split(), "--lang", "zh") if line.split()[-1] != "--alpha" else run("--lang", "zh", *line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("用法：steelyard")
    assert done.stderr.splitlines()[-1].startswith(ERRORS[line])


@pytest.mark.parametrize("name", PARSERS)
def test_help_fits_the_terminal(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    help_text = dict(parsers(build_parser("zh")))[name].format_help()
    wide = [line for line in help_text.splitlines() if display_width(line) > 80 and "{" not in line]
    assert wide == []


@pytest.mark.parametrize("name", PARSERS)
def test_titles_of_groups_differ(name):
    titles = [group.title for group in dict(parsers(build_parser("en")))[name]._action_groups]
    assert len(titles) == len(set(titles))


def test_headings_of_help_end_with_the_colon_of_the_language():
    assert [line for line in run("view", "--help", "--lang", "zh").stdout.splitlines() if line.endswith(":")] == []
    assert "\noptions:\n" in run("view", "--help", "--lang", "en").stdout


def test_lines_are_broken_by_width():
    assert all(display_width(line) <= 12 for line in wrapped("评测 RAG 系统，并检验系统之间的差异（显著性）。", 12))
    assert not any(line.startswith(tuple("，。）")) for line in wrapped("评测系统，并检验。（完）" * 5, 10))
    assert "".join(wrapped("评测系统，并检验。", 6)) == "评测系统，并检验。"


ALLOWED = (
    "no item of fact_exact may fall from 1",  # a rule, as it is written
    "no item of legal.uncertain may rise from 0",
    *(
        f"steelyard judge {each}"
        for each in ("new", "run claims FILE", "run", "claims", "calibrate", "probe", "replay")
    ),
    "Experiment and Evaluation",  # the title of a book
    "Journal of Empirical Legal Studies",
    "Legal RAG Bench",
)
"""English that stays English: rules, commands and titles."""
ENGLISH = re.compile(r"(?<![\w./@`'\"-])[A-Za-z]+(?: [A-Za-z]+){2,}(?![\w./-])")
"""Three English words in a row that are no path, option, name with digits or quoted text."""
RULE = "legal >= 0.1"


def english_in(text):
    """The runs of English words in a text, but for signatures and what is allowed."""
    lines = [line for line in text.splitlines() if not line.startswith(("签名 ", "签名："))]
    kept = "\n".join(lines)
    for phrase in ALLOWED:
        kept = kept.replace(phrase, "")
    return ENGLISH.findall(kept)


@pytest.mark.parametrize("name", PARSERS)
def test_no_english_sentence_is_left_in_help(name):
    assert english_in(run(*name.split()[1:], "--help", "--lang", "zh").stdout) == []


FLAKY = """
def answer(question):
    if "多少" in question:
        raise RuntimeError("超时")
    return "不详"
"""
FAILING = ("--system", "python:flaky:answer", "--type", "fact_exact", "--retries", 0, "--limit", 12)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chinese")
    run(
        "bench",
        "--system",
        "builtin:baseline",
        "--limit",
        12,
        "-o",
        "r.jsonl",
        "-o",
        "r.html",
        "--lang",
        "zh",
        cwd=folder,
    )
    run("sample", "r.jsonl", "-n", 3, "-o", "review.jsonl", "-o", "review.html", "--lang", "zh", cwd=folder)
    data = Path(__file__).parents[2] / "data"
    runs = [data / "qrels.txt", data / "run_a.txt", data / "run_b.txt"]
    run("retrieval", *runs, "-o", "runs.html", "-o", "runs.jsonl", "--lang", "zh", cwd=folder)
    (folder / "a.jsonl").write_text('{"id": "1", "question": "问", "prediction": "答", "references": ["答"]}\n')
    (folder / "broken.jsonl").write_text('{"id": "1", bad}\n')
    (folder / "flaky.py").write_text(FLAKY, "utf-8")
    run("bench", *FAILING, "-o", "failed.jsonl", cwd=folder)
    return folder


OUTPUTS = (
    "report r.jsonl --by type",
    "report r.jsonl --by difficulty -q",
    "report runs.jsonl",
    "compare r.jsonl r.jsonl --by type",
    "compare runs.jsonl",
    "report failed.jsonl",
    "compare failed.jsonl failed.jsonl",
    "bench --system python:flaky:answer --type fact_exact --limit 12 --retries 0",
    f"gate r.jsonl --require {RULE.replace(' ', '_')}",
    "gate r.jsonl --no-fall fact_exact --baseline r.jsonl",
    "gate r.jsonl --require nonsense",
    "answers a.jsonl",
    "answers broken.jsonl",
    "answers a.jsonl -m Faithfulness",
    "answers a.jsonl -m nDCG@5",
    "answers a.jsonl --by type",
    "answers .",
    "validate .",
    "validate absent",
    "agreement r.jsonl review.jsonl",
    "sample r.jsonl -n 2 --by type -o s.jsonl",
    "convert a.jsonl a.csv --overwrite",
    "convert a.jsonl a.xyz",
    "metrics",
    "metrics RBP",
    "metrics foo",
    "report absent.jsonl",
    "report a.jsonl",
    "retrieval a.jsonl a.jsonl",
    "bench --system foo:bar",
    "bench absent --system builtin:baseline",
    "bench --system builtin:baseline --by foo",
    "run absent.yaml",
    "serve nothing",
    "view absent",
)


@pytest.mark.parametrize("line", OUTPUTS)
def test_no_english_sentence_is_left_in_outputs(line, results):
    done = run(*(word.replace("_>=_", " >= ") for word in line.split()), "--lang", "zh", cwd=results)
    assert "Traceback" not in done.stderr
    assert english_in(done.stdout + done.stderr) == []


@pytest.mark.parametrize("page", ["r.html", "runs.html", "review.html"])
def test_no_english_sentence_is_left_on_pages(page, results):
    text = (results / page).read_text("utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.S)
    shown = re.sub(r"<[^>]*>", "\n", body)
    assert english_in(shown) == []


def test_explanations_of_metrics_are_translated():
    from steelyard.registry.names import all_metrics

    for metric in all_metrics():
        if metric.compute.__module__.startswith("steelyard."):
            english, chinese = metric.explained("en"), metric.explained("zh")
            assert chinese != english, f"registry/explanations.zh.json lacks {metric.name}"
            assert len(chinese) == len(english), f"registry/explanations.zh.json: {metric.name} has other lines"
            assert english_in("\n".join(chinese)) == []
