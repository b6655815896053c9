"""Documents of TREC: <DOC> with <DOCNO>, read as a stream."""

import gzip

from steelyard.retrieval.reading.texts import LONGEST, read_documents

TEXT = (
    """<DOC>
<DOCNO> FT-1 </DOCNO>
<HEADLINE>One &amp; two</HEADLINE>
<TEXT>
The <b>first</b> text.
</TEXT>
</DOC>

<DOC><DOCNO>FT-2</DOCNO><TEXT>not wanted</TEXT></DOC>
<DOC>
<DOCNO>FT-3</DOCNO>
"""
    + "word " * 10
    + "\n"
    + ("x" * 90 + "\n") * 1000
    + "</DOC>\n<DOC><DOCNO>FT-4</DOCNO>last</DOC>\n"
)


def test_documents_of_trec_are_read(tmp_path):
    (tmp_path / "docs.trec").write_text(TEXT, encoding="utf-8")
    (tmp_path / "docs.trec.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("docs.trec", "docs.trec.gz"):
        found = read_documents(tmp_path / name, {"FT-1", "FT-3", "FT-4", "absent"})
        assert found.keys() == {"FT-1", "FT-3", "FT-4"}
        assert found["FT-1"] == ("One & two", "The first text.")
        assert found["FT-3"].text.startswith("word word")
        assert len(found["FT-3"].text) <= LONGEST + 1
        assert found["FT-4"].text == "last"
