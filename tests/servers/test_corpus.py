"""The corpus server: UltraRAG's pipelines of it run as they are written, and its rows are those of UltraRAG."""

import importlib.util
import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from documents.test_pages import pdf

from steelyard.cli import main
from steelyard.errors import ConfigError, InputError
from steelyard.io.yamls import read_yaml
from steelyard.pipelines.server import callbacks

ROOT = Path(__file__).parents[2]
PARAMETERS = read_yaml(ROOT / "servers" / "corpus" / "parameter.yaml").plain()

# a pipeline and its parameters, by the names that UltraRAG's examples have
BUILD = "servers:\n  corpus: servers/corpus\npipeline:\n- corpus.build_text_corpus\n"
CHUNK = "servers:\n  corpus: servers/corpus\npipeline:\n- corpus.chunk_documents\n"
BUILD_PARAMETERS = "corpus:\n  parse_file_path: docs\n  text_corpus_save_path: corpora/text.jsonl\n"
CHUNK_PARAMETERS = r"""corpus:
  raw_chunk_path: corpora/text.jsonl
  chunk_backend_configs:
    token: {chunk_overlap: 50}
    sentence:
      chunk_overlap: 0
      min_sentences_per_chunk: 1
      delim: '[''.'', ''!'', ''?'', ''；'', ''。'', ''！'', ''？'', ''\n'']'
    recursive: {min_characters_per_chunk: 12}
  chunk_backend: sentence
  tokenizer_or_token_counter: character
  chunk_size: 24
  chunk_path: corpora/chunks.jsonl
  use_title: false
"""


def load():
    program = ROOT / "servers" / "corpus" / "src" / "corpus.py"
    spec = importlib.util.spec_from_file_location("server_corpus", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return load()


def docx(*paragraphs):
    """The smallest DOCX file of these paragraphs."""
    space = "http://schemas.openxmlformats.org/"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{space}package/2006/content-types"><Override PartName="/word/document.xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{space}package/2006/relationships"><Relationship Id="r" '
            f'Type="{space}officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
            "</Relationships>"
        ),
        "word/document.xml": (
            f'<w:document xmlns:w="{space}wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'
        ),
    }
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def rows(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def said(run):
    notices = []
    with callbacks(on_notice=lambda notice: notices.append(str(notice))):
        run()
    return notices


def make_documents(folder):
    (folder / "sub").mkdir(parents=True)
    (folder / "kiln.md").write_text(
        "# Kiln\n\nIt burned peat-\nbricks until 1960!\n\nWho owned it?\n", encoding="utf-8"
    )
    (folder / "合同.txt").write_bytes("第一条\u3000甲方付款。\r\n逾期的，支付违约金。".encode("gb18030"))
    (folder / "sub" / "kiln.docx").write_bytes(docx("第二条 乙方交货。", "page 3"))
    (folder / "sub" / "file.pdf").write_bytes(pdf("第三条 其他。".encode("gbk"), b"", "第四条 完。".encode("gbk")))
    (folder / "sub" / "picture.png").write_bytes(b"\x89PNG")
    (folder / "sub" / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    (folder / "sub" / "empty.txt").write_bytes(b" \n")


def test_bindings_are_those_of_upstream():
    tools = load().app.tools
    assert list(tools) == ["build_text_corpus", "chunk_documents"]
    names = {
        "build_text_corpus": ["parse_file_path", "text_corpus_save_path"],
        "chunk_documents": [
            "raw_chunk_path",
            "chunk_backend_configs",
            "chunk_backend",
            "tokenizer_or_token_counter",
            "chunk_size",
            "chunk_path",
            "use_title",
        ],
    }
    for name, arguments in names.items():
        binding = tools[name].binding.resolve(PARAMETERS)
        assert binding.inputs == {argument: f"${argument}" for argument in arguments}
        assert binding.outputs == ()


def test_pipelines_of_ultrarag_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_documents(tmp_path / "docs")
    for name, text in {
        "build.yaml": BUILD,
        "chunk.yaml": CHUNK,
        "parameter/build_parameter.yaml": BUILD_PARAMETERS,
        "parameter/chunk_parameter.yaml": CHUNK_PARAMETERS,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["run", "build.yaml", "--lang", "en"]) == 0
    assert main(["run", "chunk.yaml", "--lang", "en"]) == 0
    assert rows("corpora/text.jsonl") == [
        {"id": "kiln", "title": "kiln", "contents": "# Kiln It burned peatbricks until 1960!\n\nWho owned it?"},
        {"id": "file", "title": "file", "contents": "第三条 其他。\n\n第四条 完。"},
        {"id": "kiln", "title": "kiln", "contents": "第二条 乙方交货。 page 3"},
        {"id": "合同", "title": "合同", "contents": "第一条 甲方付款。 逾期的，支付违约金。"},
    ]
    assert [(row["id"], row["doc_id"], row["title"], row["contents"]) for row in rows("corpora/chunks.jsonl")] == [
        (0, "kiln", "kiln", "# Kiln It burned peatbricks until 1960!"),
        (1, "kiln", "kiln", "Who owned it?"),
        (2, "file", "file", "第三条 其他。\n\n第四条 完。"),
        (3, "kiln", "kiln", "第二条 乙方交货。 page 3"),
        (4, "合同", "合同", "第一条 甲方付款。 逾期的，支付违约金。"),
    ]
    notices = capsys.readouterr().err
    assert "written: corpora/text.jsonl (4 documents)" in notices
    assert "broken.docx: this DOCX file cannot be read" in notices


def test_what_is_left_out_is_said(server, tmp_path):
    make_documents(tmp_path / "docs")
    notices = said(lambda: server.build_text_corpus("docs", "text.jsonl"))
    assert notices[0] == "written: text.jsonl (4 documents)"
    assert notices[1].startswith("skipped or doubtful: docs/sub/broken.docx: this DOCX file cannot be read")
    assert notices[2] == "skipped or doubtful: docs/sub/empty.txt: it contains no text"
    assert notices[3] == "skipped or doubtful: docs/sub/file.pdf#page=2: this page has no text"
    assert notices[4] == "skipped or doubtful: 1 more"


def test_one_file_that_cannot_be_read_is_an_error(server, tmp_path):
    make_documents(tmp_path / "docs")
    kinds = "hint: documents are .txt, .md, .pdf or .docx"
    for path, message in {
        "docs/sub/picture.png": f"documents of this format are not supported\n{kinds}",
        "docs/sub/empty.txt": f"no document has text\n{kinds}",
        "docs/no": "no such file or folder\nhint: set parse_file_path to a document or a folder of documents",
    }.items():
        with pytest.raises(InputError) as caught:
            server.build_text_corpus(path, "text.jsonl")
        assert str(caught.value) == f"{path}: {message}"
    assert not Path("text.jsonl").exists()
    with pytest.raises(ConfigError, match=r"^parse_file_path must be the path of a file, not ''$"):
        server.build_text_corpus("", "text.jsonl")


def test_titles_and_documents_without_text(server, write):
    path = write(
        "text.jsonl",
        '{"id": 7, "title": " T ", "contents": "one. two."}\n{"id": "b", "contents": " "}\n{"contents": "x\\ud800"}\n',
    )
    notices = said(lambda: server.chunk_documents(str(path), None, "token", "word", 1, "out/chunks.jsonl"))
    assert rows("out/chunks.jsonl") == [
        {"id": 0, "doc_id": 7, "title": "T", "contents": "Title:\nT\n\nContent:\none."},
        {"id": 1, "doc_id": 7, "title": "T", "contents": "Title:\nT\n\nContent:\ntwo."},
        {"id": 2, "doc_id": "", "title": "", "contents": "Title:\n\n\nContent:\nx\ufffd"},
    ]
    assert notices == [
        "chunk_overlap: 64 is not smaller than chunk_size; 0 is used",
        "written: out/chunks.jsonl (3 chunks)",
        f"skipped or doubtful: {path}:2: this document has no contents",
    ]


def test_bad_rows_are_refused_with_their_lines(server, write):
    path = write("text.jsonl", '{"id": 1, "contents": "x"}\n{"id": 2, "contents": ["x"]}\n{"id": 3, "title": 4}\n')
    with pytest.raises(InputError) as caught:
        server.chunk_documents(str(path), {})
    assert str(caught.value) == (
        f"{path}:2: contents must be text, not list\n{path}:3: title must be text, not int\n"
        "hint: a document must be an object with id, title and contents; build_text_corpus creates such a file"
    )
    with pytest.raises(ConfigError, match=r"^the settings of token must be a mapping, not str$"):
        server.chunk_documents(str(path), {"token": "x"})


def test_chunks_are_a_corpus_for_the_retriever(server, write):
    from steelyard.rag.indexes import read_corpus

    path = write("text.jsonl", '{"id": "a", "title": "t", "contents": "甲方付款。乙方交货。"}\n')
    server.chunk_documents(str(path), {"token": {"chunk_overlap": 0}}, "token", "character", 5, "chunks.jsonl", False)
    corpus = read_corpus("chunks.jsonl")
    assert (corpus.ids, corpus.texts) == (("0", "1"), ("甲方付款。", "乙方交货。"))
