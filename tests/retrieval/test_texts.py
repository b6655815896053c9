"""Texts of queries and documents, from the forms in which collections have them."""

import gzip
import json
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard
from steelyard.errors import ConfigError, InputError, UnknownName
from steelyard.retrieval.reading.texts import LONGEST, read_documents, read_queries, read_topics

CLASSIC = """<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity.

<narr> Narrative:
A relevant document must as a minimum identify the organization.
</top>

<top>
<head> Tipster Topic Description
<num> Number:  051
<title> Topic:  Airbus &amp; Subsidies, p < 0.5
<desc> Description:
</top>
"""
COVID = """<?xml version="1.0"?>
<topics task="COVIDSEARCH" batch="1">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the origin of COVID-19</question>
    <narrative>seeking range of information</narrative>
  </topic>
  <topic number="文-2"><query>新冠 &lt;起源&gt;</query></topic>
</topics>
"""
QUERIES = {"1": "coronavirus origin", "q2": "深圳 合同"}
FORMS = {
    "beir.jsonl": "".join(json.dumps({"_id": k, "text": v, "metadata": {}}) + "\n" for k, v in QUERIES.items()),
    "ours.jsonl": "".join(json.dumps({"query_id": k, "query": v}) + "\n" for k, v in QUERIES.items()),
    "object.json": json.dumps(QUERIES),
    "array.json": json.dumps([{"id": k, "question": v} for k, v in QUERIES.items()]),
    "plain.tsv": "".join(f"{k}\t{v}\n" for k, v in QUERIES.items()),
    "named.tsv": "query_id\ttext\n" + "".join(f"{k}\t{v}\r\n" for k, v in QUERIES.items()),
    "named.csv": "qid,query\n" + "".join(f"{k},{v}\n" for k, v in QUERIES.items()),
    "topics.txt": "".join(f"<top><num>{k}</num><title>{v}</title></top>\n" for k, v in QUERIES.items()),
    "topics.xml": "<t>" + "".join(f'<query id="{k}">{v}</query>' for k, v in QUERIES.items()) + "</t>",
}
DOCUMENTS = {"d1": ("Title one", "Text one"), "d2": ("", "第二篇"), "d3": ("Third", "x" * 1000)}


def written(folder, name, text):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


CORD19 = """cord_uid,sha,source_x,title,doi,abstract,publish_time
ug7v899j,d1aafb70,PMC,Clinical features,10.1186/1471,"OBJECTIVE: a retrospective, chart review",2001-07-04
02tnwd4m,,PMC,Nitric oxide,10.1186/rr14,,2000-08-15
"""


def test_documents_of_cord_19_and_of_named_columns(tmp_path):
    path = written(tmp_path, "metadata.csv", CORD19)
    both = {
        "ug7v899j": ("Clinical features", "OBJECTIVE: a retrospective, chart review"),
        "02tnwd4m": ("Nitric oxide", ""),
    }
    assert read_documents(path, {"ug7v899j", "02tnwd4m"}) == both
    named = read_documents(path, {"d1aafb70"}, {"id": "sha", "text": "title", "title": "doi"})
    assert named == {"d1aafb70": ("10.1186/1471", "Clinical features")}
    lines = written(tmp_path, "d.jsonl", '{"id": "1", "Key": "a", "body": "text a"}\n')
    assert read_documents(lines, {"a"}, {"id": "key"}) == {"a": ("", "text a")}
    with pytest.raises(InputError, match="no id or no text among the fields: cord_uid, sha, source_x"):
        read_documents(path, {"x"}, {"text": "body"})
    with pytest.raises(UnknownName, match="no column is called 'abstract'"):
        read_documents(path, {"x"}, {"abstract": "text"})
    with pytest.raises(ConfigError, match="the file has no columns that --map could name"):
        read_documents(written(tmp_path, "d.tsv", "a\ttext\n"), {"a"}, {"id": "x"})


@pytest.mark.parametrize("name", FORMS)
def test_queries_of_every_form_are_the_same(tmp_path, name):
    assert read_queries(written(tmp_path, name, FORMS[name])) == QUERIES
    assert read_queries(written(tmp_path, f"{name}.gz", FORMS[name])) == QUERIES


def test_classic_topics_have_their_title_and_description(tmp_path):
    found = read_queries(written(tmp_path, "topics.301-450", CLASSIC))
    crime = "Identify organizations that participate in international criminal activity."
    assert found["301"] == f"International Organized Crime\n{crime}"
    assert found["051"] == found["51"] == "Airbus & Subsidies, p < 0.5"


def test_topics_in_xml_have_their_query_and_question(tmp_path):
    found = read_queries(written(tmp_path, "topics.xml", COVID))
    assert found == {"1": "coronavirus origin\nwhat is the origin of COVID-19", "文-2": "新冠 <起源>"}


@pytest.mark.parametrize(
    ("name", "text", "where", "message"),
    [
        ("a.txt", "one line without a tab\n", ":1", "no id and text separated by a tab"),
        ("a.tsv", "1\tone\n\n2 two\n", ":3", "no id and text separated by a tab"),
        ("a.jsonl", '{"_id": "1", "text": "x"}\n{"_id": "2"}\n', ":2", "no id or no text among the fields: _id"),
        ("a.jsonl", '{"_id": "1", "text": "x"}\n{"_id": \n', ":2", "not JSON"),
        ("a.jsonl", '{"_id": "1", "text": "x"}\n[1]\n', ":2", "object"),
        ("a.xml", "<topics>\n<topic number='1'><query>x</topic></topics>", ":2", "not XML: mismatched tag"),
        ("a.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a><t id='1'>x</t></a>", ":1", "document type declaration"),
        ("a.xml", "<topics></topics>", "", "no topics"),
        ("a.txt", "<top>\n<title> x\n</top>\n", ":1", "has no id or no text"),
        ("a.tsv", "1\tone\n1\ttwo\n", ":2", "query '1' has two texts"),
        ("a.tsv", "\n", "", "no rows"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place_and_a_hint(tmp_path, name, text, where, message):
    path = written(tmp_path, name, text)
    with pytest.raises(InputError) as error:
        read_queries(path)
    assert f"{path}{where}: " in str(error.value)
    assert message in str(error.value)
    assert error.value.hint or "document type" in message


words = st.text(string.ascii_letters + "深圳合同 &<>'\"\u2028", min_size=1).filter(lambda text: text.strip())
names = st.text(string.ascii_letters + string.digits + "-_文", min_size=1).filter(lambda id_: id_.lstrip("0"))
topics = st.dictionaries(names, words.map(lambda text: " ".join(text.split())), min_size=1)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@given(topics)
def test_topics_of_both_forms_are_read_as_they_were_written(queries):
    classic = "\n".join(f"<top>\n<num> Number: {k}\n<title> {escaped(v)}\n</top>" for k, v in queries.items())
    xml = "".join(f'<topic number="{k}"><title>{escaped(v)}</title></topic>' for k, v in queries.items())
    for text in (classic, f"<topics>{xml}</topics>"):
        assert {topic.number: topic.text for topic in read_topics(text, "t")} == queries


@given(st.text("<>/topnumie \n&;:dsc1x"))
def test_any_markup_is_topics_or_an_error(text):
    with suppress(InputError):
        assert read_topics(f"<{text}", "t")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("corpus.jsonl", [json.dumps({"_id": k, "title": a, "text": b}) for k, (a, b) in DOCUMENTS.items()]),
        ("corpus.jsonl.gz", [json.dumps({"title": a, "contents": b, "docid": k}) for k, (a, b) in DOCUMENTS.items()]),
        ("corpus.tsv", [f"{k}\t{a}\t{b}" for k, (a, b) in DOCUMENTS.items()]),
        ("msmarco.tsv", [f"{k}\thttp://x\t{a}\t{b}" for k, (a, b) in DOCUMENTS.items()]),
        ("corpus.csv", ["id,title,text", *(f"{k},{a},{b}" for k, (a, b) in DOCUMENTS.items())]),
    ],
)
def test_only_wanted_documents_are_kept_and_long_ones_are_cut(tmp_path, name, lines):
    path = written(tmp_path, name, "\n".join(lines))
    found = read_documents(path, {"d1", "d3", "d9"})
    assert found == {"d1": ("Title one", "Text one"), "d3": ("Third", "x" * (LONGEST - 1) + "…")}


def test_a_broken_line_of_documents_has_its_place(tmp_path):
    path = written(tmp_path, "corpus.jsonl", '{"_id": "d1", "text": "x"}\n{"_id": "d2", "text"\n')
    with pytest.raises(InputError, match=r"corpus.jsonl:2: this is not JSON") as error:
        read_documents(path, {"d2"})
    assert "BEIR" in str(error.value.hint)


def test_reading_ends_when_every_document_is_found(tmp_path):
    path = written(tmp_path, "corpus.tsv", "d1\tone\nd2\ttwo\nbroken\n")
    assert read_documents(path, {"d1", "d2"}) == {"d1": ("", "one"), "d2": ("", "two")}


def test_a_beir_folder_is_named_once(tmp_path):
    written(tmp_path, "queries.jsonl", FORMS["beir.jsonl"])
    written(tmp_path, "corpus.jsonl", '{"_id": "d1", "title": "t", "text": "x"}\n')
    table = steelyard.evaluate_retrieval({"1": {"d1": 1}}, {"1": {"d1": 1.0}}, queries=tmp_path, docs=str(tmp_path))
    assert table.outputs[0]["question"] == "coronavirus origin"
    assert table.outputs[0]["texts"] == {"d1": ["t", "x"]}


def test_texts_from_python_and_their_counts():
    qrels, run = {"1": {"d1": 1}, "2": {"d1": 1}}, {"1": {"d1": 1.0, "d2": 0.5}}
    docs = {"d1": {"title": "one", "text": "text"}}
    table = steelyard.evaluate_retrieval(qrels, run, ["AP"], queries={"1": "first"}, docs=docs)
    assert [output.get("question") for output in table.outputs] == ["first", None]
    assert table.outputs[0]["texts"] == {"d1": ["one", "text"]}
    assert table.counts["counts.queries_without_text"] == 1
    assert table.counts["counts.documents_without_text"] == 1


def test_texts_of_other_queries_are_an_error():
    with pytest.raises(InputError, match="no judged query has a text") as error:
        steelyard.evaluate_retrieval({"1": {"d1": 1}}, {"1": {"d1": 1.0}}, queries={"Q-1": "first"})
    assert str(error.value.hint) == "its ids are like 'Q-1', those of the judgments like '1'"
