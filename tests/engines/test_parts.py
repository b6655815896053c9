"""Runs in parts: the same table, counts and messages, whatever the number of parts and the engine."""

import gzip
import random
import re

import pytest
from tables import shown

import steelyard
from steelyard.cli import main
from steelyard.engines.local import LocalEngine
from steelyard.errors import InputError
from steelyard.io.ranges import query_ranges

pytestmark = pytest.mark.slow

QRELS = "".join(f"q{query} 0 d{document} {document % 3}\n" for query in range(40) for document in range(20))


def lines(seed: int, queries: int = 50) -> list[str]:
    """A run with ties, comments, blank lines, missing tags and queries of different lengths."""
    choose = random.Random(seed)
    found = []
    for query in range(queries):
        for rank in range(choose.randint(1, 60)):
            score = choose.choice((f"{100 - rank}", f"{100 - rank // 3}", f"{choose.random():.6f}"))
            found.append(f"q{query} Q0 d{rank * 7 % 61} {rank + 1} {score}" + choose.choice((" tag", "", " tag more")))
            found += choose.choices(("# a remark", "", " \t"), k=choose.random() < 0.05)
    return found


def evaluated(tmp_path, run, **how):
    (tmp_path / "qrels").write_text(QRELS)
    return steelyard.evaluate_retrieval(tmp_path / "qrels", run, **how)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_the_table_of_a_run_does_not_depend_on_parts(tmp_path, seed, count):
    text = "\ufeff" * (seed % 2) + "\n".join(lines(seed)) + "\n" * (seed % 3 > 0)
    run = tmp_path / "run.txt"
    run.write_text(text, "utf-8")
    engine = LocalEngine(2, part_bytes=max(1, len(text) // count))
    assert shown(evaluated(tmp_path, run, engine=engine, keep=True)) == shown(evaluated(tmp_path, run, keep=True))


@pytest.mark.parametrize("count", [2, 7, 64])
def test_interleaved_queries(tmp_path, count):
    found = [line for line in lines(1) if line.startswith("q")]
    random.Random(5).shuffle(found)
    run = tmp_path / "run.txt"
    run.write_text("\n".join(dict.fromkeys(found)))
    engine = LocalEngine(2, part_bytes=len("\n".join(found)) // count)
    assert shown(evaluated(tmp_path, run, engine=engine)) == shown(evaluated(tmp_path, run))


FAULTS = {
    "a score": "q{} Q0 dx 1 nothing tag",
    "columns": "q{} Q0 dx",
    "again": "q{0} Q0 dy 1 2 tag\nq{0} Q0 dy 1 2 tag",
    "encoding": "q{} Q0 d\udcff 1 2 tag",
    "binary": "q{} Q0 d\0 1 2 tag",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("times", [1, 3, 30])
def test_messages_do_not_depend_on_parts(tmp_path, fault, times):
    choose, found = random.Random(times), lines(3)
    for _ in range(times):
        found.insert(choose.randrange(len(found)), FAULTS[fault].format(choose.randrange(50)))
    text = "\n".join(found).encode("utf-8", "surrogateescape")
    run = tmp_path / "run.txt"
    run.write_bytes(text)
    messages = []
    for engine in (None, LocalEngine(2, part_bytes=len(text)), LocalEngine(2, part_bytes=len(text) // 20)):
        with pytest.raises(InputError) as caught:
            evaluated(tmp_path, run, engine=engine)
        messages.append(str(caught.value))
    assert len(set(messages)) == 1
    assert re.match(rf"{re.escape(str(run))}:\d+: ", messages[0])


def test_compressed_runs_are_read_here_and_matched_by_workers(tmp_path):
    run = tmp_path / "run.txt.gz"
    run.write_bytes(gzip.compress("\n".join(lines(2, 1500)).encode()))
    assert shown(evaluated(tmp_path, run, engine=LocalEngine(2))) == shown(evaluated(tmp_path, run))


def test_runs_in_memory_need_no_engine(tmp_path):
    run = {f"q{query}": {f"d{document}": document for document in range(5)} for query in range(5)}
    assert shown(evaluated(tmp_path, run, engine="local")) == shown(evaluated(tmp_path, run))


@pytest.mark.parametrize("size", [1, 50, 1000, 10**6])
def test_ranges_cover_a_file_and_end_where_the_query_changes(tmp_path, size):
    run = tmp_path / "run.txt"
    run.write_text("\n".join(lines(4)))
    content = run.read_bytes()
    ranges = list(query_ranges(run, size))
    assert b"".join(content[each.start : each.end] for each in ranges) == content
    for each in ranges[1:]:
        before = [line for line in content[: each.start].split(b"\n") if line.strip() and not line.startswith(b"#")]
        assert content[each.start :].split()[0] != before[-1].split()[0]


def test_a_mark_inside_of_a_file_is_part_of_the_query(tmp_path):
    """Files with a byte-order mark that were joined: only the first mark is no text."""
    run = tmp_path / "run.txt"
    run.write_text("\ufeffq1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n\ufeffq3 Q0 d1 1 2 t\nq4 Q0 d1 1 2 t\n", "utf-8")
    for size in range(1, 60):
        table = evaluated(tmp_path, run, engine=LocalEngine(1, part_bytes=size), metrics="RR")
        assert shown(table) == shown(evaluated(tmp_path, run, metrics="RR"))


def test_the_command(tmp_path, capsys):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text("\n".join(lines(8)))
    command = ["retrieval", str(tmp_path / "qrels"), str(tmp_path / "a.run"), "--json"]
    outputs = []
    for options in ([], ["--engine", "local", "-j", "2", "--retries", "0"], ["--engine", "local"]):
        assert main([*command, *options]) == 0
        outputs.append(capsys.readouterr().out)
    assert len(set(outputs)) == 1
    assert main([*command, "--address", "auto"]) == 2
    assert capsys.readouterr().err == (
        "--address is that of a cluster: it needs --engine ray or dask\nhint: --engine ray, or --engine dask\n"
    )
