"""Counts have codes in the program and English texts in files."""

from steelyard import evaluate_retrieval, load
from steelyard.i18n import texts, words_of
from steelyard.table import ALWAYS_SHOWN, code_of_count, counts_with_codes, counts_with_texts

COUNTS = {code: text for code, text in texts("en").items() if code.startswith("counts.")}


def test_what_is_counted_has_a_code():
    table = evaluate_retrieval({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP"])
    assert table.counts.keys() <= COUNTS.keys()
    assert COUNTS.keys() >= ALWAYS_SHOWN


def test_files_hold_english_texts_that_are_read_back(tmp_path):
    table = evaluate_retrieval({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP"])
    table.save(tmp_path / "result.jsonl")
    assert '"judged queries": 1' in (tmp_path / "result.jsonl").read_text("utf-8")
    assert load(tmp_path / "result.jsonl").counts == table.counts


def test_no_two_counts_have_the_same_text():
    assert counts_with_codes(counts_with_texts(dict.fromkeys(COUNTS, 1))) == dict.fromkeys(COUNTS, 1)


def test_a_count_that_is_not_known_keeps_its_text():
    assert code_of_count("lines of another version") == "lines of another version"
    assert counts_with_texts({"lines of another version": 2, "report.mean": 1}) == {
        "lines of another version": 2,
        "report.mean": 1,
    }
    assert words_of("zh").named("lines of another version") == "lines of another version"
