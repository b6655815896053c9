"""What is private is hidden, what is not stays, and nothing moves."""

import base64
import gzip
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_of

from steelyard.documents.pages import TWO_TEXTS, DocumentSet, read_document
from steelyard.errors import Problem
from steelyard.i18n import Message
from steelyard.legal.benchmark.questions import documents_of
from steelyard.legal.benchmark.runner import evaluate_legal
from steelyard.reports.content import Report
from steelyard.reports.masking import mask_document, mask_documents, mask_table, mask_tables, mask_text, mask_values
from steelyard.reports.render.html import frame as pages
from steelyard.reports.render.html.report_html import render_html
from steelyard.reports.render.html.review_html import render_review
from steelyard.stats.compare import compare_all
from steelyard.stats.review import SampleSettings, SampleSize, take_sample
from steelyard.table import Missing, Signature
from steelyard.text.private import private_passages

LINES = [json.loads(line) for line in Path(__file__).with_name("masking_lines.jsonl").read_text("utf-8").splitlines()]
PIECES = st.sampled_from([piece for line in LINES for piece in (line["text"], line["text"][:7])])
MIXED = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=6).map("".join)


def test_there_are_enough_lines_of_both_kinds():
    hidden = [line for line in LINES if line["masked"] != line["text"]]
    assert len(LINES) >= 120
    assert len(hidden) >= 60
    assert len(LINES) - len(hidden) >= 60


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["text"])
def test_lines(line):
    assert mask_text(line["text"]) == line["masked"]


@given(MIXED)
def test_a_text_keeps_its_length_and_every_character_that_is_not_hidden(text):
    masked = mask_text(text)
    assert len(masked) == len(text)
    places = {place for passage in private_passages(text) for place in passage.places}
    assert all(new == ("*" if at in places else old) for at, (old, new) in enumerate(zip(text, masked, strict=True)))


@given(st.from_regex(r"1[3-9][0-9]{9}", fullmatch=True), st.sampled_from(["", " ", "-", "\u200b", "　"]))
def test_a_mobile_number_in_any_grouping(number, between):
    written = between.join((number[:3], number[3:7], number[7:]))
    assert re.sub("[^0-9*]", "", mask_text(f"电话是{written}。")) == "*" * 7 + number[7:]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["1" * 200_000, "13000000021 " * 20_000, "路1" * 100_000, "1 " * 100_000, "(" * 200_000]
)
def test_a_very_long_text_is_no_trap(text):
    assert len(mask_text(text)) == len(text)


def work_of(numbers):
    """How long the processor is busy hiding this many numbers, each different."""
    values = [" ".join(f"138{number:08d}" for number in range(numbers)), "no number"]
    start = time.process_time()
    assert mask_values(values)[0].count("*") == 7 * numbers
    return time.process_time() - start


@pytest.mark.slow
def test_the_work_grows_like_the_text():
    few, many = work_of(2_000), work_of(20_000)
    assert many < 50 * few  # 10 times the numbers; each number looked for in all of the text would be 100 times


def test_numbers_that_overlap_are_both_hidden():
    values = ["账号是 123456789012", "账号是 901234567890", "12345678901234567890"]
    assert mask_values(values)[2] == "****************7890"


def answer_table(output, **fields):
    return table_of(["13000000021"], {"F1": np.array([0.5])}, outputs=[output], **fields)


def test_every_text_of_a_table_but_its_keys():
    phone = "13000000057"
    table = table_of(
        ["13000000021", "b"],
        {"F1": np.array([0.5, np.nan])},
        name=f"run {phone}",
        reasons=[Missing("error", f"no answer from {phone}"), Missing("unscored", Message("missing.no_reference"))],
        status={"F1": np.array([0, 1])},
        tags={"who": [phone, ""]},
        notes={"F1": {0: f"says {phone}"}},
        outputs=[{"answer": phone, phone: [{"deep": (phone, 3, None, 0.25, True)}], "phone": int(phone)}, None],
        failures={1: f"{phone} is busy"},
        signature=Signature.of({"system": f"http://host/{phone}", "questions": "sha256 00ab"}),
        benchmark=f"cases/{phone}",
    )
    masked = mask_table(table)
    hidden = "*******0057"
    assert masked.ids == ["*******0021", "b"]
    assert str(masked.signature) == f"system:http%3A//host/{hidden}|questions:sha256 00ab"
    assert masked.benchmark == f"cases/{hidden}"
    assert (masked.name, masked.tags, masked.notes(0)) == (
        f"run {hidden}",
        {"who": [hidden, ""]},
        {"F1": f"says {hidden}"},
    )
    assert masked.outputs[0] == {"answer": hidden, phone: [{"deep": [hidden, 3, None, 0.25, True]}], "phone": hidden}
    assert (masked.outputs[1], masked.failures) == (None, {1: f"{hidden} is busy"})
    assert list(masked["F1"].reasons) == [
        Missing("error", f"no answer from {hidden}"),
        Missing("unscored", Message("missing.no_reference")),
    ]
    assert masked.column("F1")[0] == 0.5
    assert table.outputs[0]["answer"] == phone, "the table itself is as it was"


def test_what_differs_still_does_and_items_still_pair():
    ids = ["13000000021", "*******0021", "14000000021", "b"]
    scores = {"F1": np.array([0.1, 0.2, 0.3, 0.4])}
    old = table_of(ids, scores, name="电话13800138000", signature=Signature.of({"system": "13800138000", "n": 1}))
    new = table_of(ids[::-1], scores, name="电话13900138000", signature=Signature.of({"system": "13900138000", "n": 1}))
    shown = mask_tables([old, new])
    assert shown[0].ids == ["*******0021-2", "*******0021", "*******0021-3", "b"]
    assert shown[1].ids == shown[0].ids[::-1]
    assert [table.name for table in shown] == ["电话*******8000", "电话*******8000-2"]
    assert shown[0].signature.differences(shown[1].signature) == ["system"]
    before, after = compare_all([new], old)[0], compare_all([shown[1]], shown[0])[0]
    assert (after.n, after.p_value, after.settings_differ) == (4, before.p_value, before.settings_differ)


def test_an_id_is_hidden_in_all_tables_where_one_announces_it():
    texts = ("账号1234 5678 9012", "-")
    said, silent = (replace(answer_table({"answer": text}), ids=["123456789012"]) for text in texts)
    assert [table.ids for table in mask_tables([silent, said])] == [["********9012"]] * 2


@pytest.mark.slow
def test_very_many_ids_that_become_one_are_no_trap():
    ids = [f"a{number:05}@example.com" for number in range(20_000)]
    shown = mask_table(table_of(ids, {"F1": np.zeros(len(ids))})).ids
    assert len(set(shown)) == len(ids)
    assert shown[:2] == ["******@example.com", "******@example.com-2"]


def test_names_of_documents_are_masked_like_the_tags_that_name_them(write):
    document = read_document(write("电话13000000057.md", "=== 第1页 ===\n电话13000000057\n"))
    other = replace(document, digest="another")
    gone = DocumentSet({document.name: document}, (Problem("电话13000000057", Message("cli.no_such_folder")),))
    masked = mask_documents(gone)
    assert list(masked) == [document.name for document in masked.values()] == ["电话*******0057.md"]
    assert masked.missing == (Problem("电话*******0057", Message("cli.no_such_folder")),)
    assert list(masked) == mask_table(answer_table({}, tags={"document": [document.name]})).tags["document"]
    named = DocumentSet({}, (Problem("a", Message("formats.not_text", key="电话13000000057", value="x")),))
    assert mask_documents(named).missing[0].message.text("zh") == "电话*******0057 必须是文本，而不是 'x'"
    two = mask_documents({document.name: document, "电话14000000057.md": other})
    assert (dict(two), two.missing) == ({}, (Problem("电话*******0057.md", TWO_TEXTS),))


def test_a_number_that_one_text_announces_is_hidden_where_it_stands_alone():
    table = answer_table(
        {"answer": "账号是 1234 5678 9012", "invented": [{"text": "123456789012"}], "amount": 123456789}
    )
    assert mask_table(table).outputs[0] == {
        "answer": "账号是 **** **** 9012", "invented": [{"text": "********9012"}], "amount": 123456789,
    }  # fmt: skip
    assert mask_values("123456789012") == "123456789012"
    assert mask_values(["contract@example.com", "the contract"]) == ["********@example.com", "the contract"]


def test_units_still_fit_a_masked_document(write):
    path = write("a.md", "=== 第1页 ===\n问：电话多少？\n答：13000000057，住柳荫巷9号。\n")
    document = read_document(path)
    masked = mask_document(document)
    assert masked.pages[0].text == "问：电话多少？\n答：*******0057，住柳荫巷*号。"
    assert masked.pages[0].units == document.pages[0].units


PRIVATE = [
    "13000000057",
    "130 0000 0064",
    "770421198609034424",
    "6200 0000 0000 0123",
    "柳荫巷9号",
    "a.b@example.com",
    "42 Elm Street",
]


@pytest.fixture(scope="module")
def legal():
    """A result in whose every text stands something private, and the documents, which hold some by themselves."""
    table = evaluate_legal("builtin:baseline")
    said = "；".join(PRIVATE)
    outputs = [{**output, "answer": f"{output['answer']}{said}", "note": [said]} for output in table.outputs if output]
    tags = {**table.tags, "who": [said] * len(table)}
    noted = replace(table["legal"], notes={row: f"{note}; {said}" for row, note in table["legal"].notes.items()})
    masked = replace(table, name=said, outputs=outputs, tags=tags, columns={"legal": noted})
    return masked, documents_of(table.benchmark)


def documents_pages(documents):
    return [page.text for document in documents.values() for page in document.pages]


def long_passages(text):
    return [text[each.start : each.end] for each in private_passages(text) if each.end - each.start >= 11]


def held(page):
    """All that a page holds: the file, and its data unpacked and without escapes."""
    found = re.search(r'<script type="([^"]+)" id="data">(.*?)</script>', page, re.DOTALL)
    kind, text = found.groups()
    plain = text if kind == "application/json" else gzip.decompress(base64.b64decode(text)).decode()
    return page + json.dumps(json.loads(plain), ensure_ascii=False)


@pytest.mark.slow
@pytest.mark.parametrize("large", [pages.LARGE, 1000], ids=["plain", "packed"])
def test_no_page_of_a_masked_result_holds_an_original(legal, large, monkeypatch):
    monkeypatch.setattr(pages, "LARGE", large)
    table, documents = legal
    originals = {*PRIVATE, *(long for page in documents_pages(documents) for long in long_passages(page))}
    assert len(originals) > len(PRIVATE) + 3, "the documents have phones and identity numbers of their own"
    masked = mask_documents(documents)
    sample = take_sample(table, SampleSettings(SampleSize(100, percent=True)))
    rendered = {
        "report": lambda hide: render_html(
            Report([mask_table(table) if hide else table]), "en", masked if hide else documents
        ),
        "review": lambda hide: render_review(table, sample, documents=documents, mask=hide),
    }
    for name, render in rendered.items():
        hidden, open_page = held(render(True)), held(render(False))
        assert [each for each in originals if each in hidden] == [], name
        assert [each for each in PRIVATE if each not in open_page] == [], name


def test_names_of_tags_are_hidden_too():
    tags = {"13912345673": ["a"], "13912355673": ["b"], "type": ["c"]}
    found = mask_table(table_of(ids=["q"], columns={"F1": np.array([1.0])}, tags=tags)).tags
    assert [list(values) for values in found.values()] == [["a"], ["b"], ["c"]]
    assert list(found) == ["*******5673", "*******5673-2", "type"]
