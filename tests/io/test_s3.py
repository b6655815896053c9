"""Objects of a local S3 server (moto) over HTTP; `make extras` runs these tests."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.request import Request, urlopen

import pytest
from commands import ROOT, run

import steelyard
from steelyard.errors import ConfigError, InputError
from steelyard.io.addresses import Address
from steelyard.io.objects import BLOCK, upload
from steelyard.io.streams import Stream, open_stream
from steelyard.systems.ask import AskSettings

s3fs = pytest.importorskip("s3fs")
servers = pytest.importorskip("moto.server")

DATA = ROOT / "data"
KEY, SECRET = "AKIA0123456789ABCDEF", "hush0123456789"
pytestmark = [
    pytest.mark.filterwarnings("default"),  # those of botocore and moto are not ours
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = servers.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    with patch.dict(os.environ, settings):
        yield settings["AWS_ENDPOINT_URL"]
    server.stop()


@pytest.fixture
def store(endpoint) -> Iterator[Any]:
    """A client of an S3 server that has one bucket with the example files."""
    with urlopen(f"{endpoint}/moto-api/reset", data=b""):
        pass
    s3fs.S3FileSystem.clear_instance_cache()
    made = s3fs.S3FileSystem(use_listings_cache=False)
    made.mkdir("bucket")
    for name in ("qrels.txt", "run_a.txt", "run_b.txt", "answers_a.jsonl", "answers_b.jsonl"):
        made.pipe(f"bucket/in/{name}", (DATA / name).read_bytes())
    made.pipe("bucket/in/run_a.txt.gz", gzip.compress((DATA / "run_a.txt").read_bytes()))
    yield made
    s3fs.S3FileSystem.clear_instance_cache()


def objects(*names: str) -> list[str]:
    return [f"s3://bucket/in/{name}" for name in names]


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("retrieval", ("qrels.txt", "run_a.txt", "run_b.txt")),
        ("answers", ("answers_a.jsonl", "answers_b.jsonl")),
    ],
)
def test_values_and_digests_are_those_of_the_files(store, command, names):
    local = run(command, *names, "--json", cwd=DATA)
    assert local.returncode == 0
    assert run(command, *objects(*names), "--json") == local


def test_compressed_objects(store):
    local = run("retrieval", "qrels.txt", "run_a.txt", "--json", cwd=DATA)
    assert run("retrieval", *objects("qrels.txt", "run_a.txt.gz"), "--json") == local


def test_queries_that_are_interleaved(store, tmp_path):
    lines = (DATA / "run_a.txt").read_bytes().splitlines(keepends=True)
    mixed = b"".join(lines[::2] + lines[1::2])
    (tmp_path / "run.txt").write_bytes(mixed)
    store.pipe("bucket/run.txt", mixed)
    qrels = DATA / "qrels.txt"
    local = run("retrieval", qrels, tmp_path / "run.txt", "--json")
    assert local.returncode == 0
    assert run("retrieval", qrels, "s3://bucket/run.txt", "--json") == local


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.csv", "r.md", "r.tex", "r.html", "r.svg", "r.eval"])
def test_outputs_are_the_same_bytes(store, tmp_path, name):
    words = ("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", "-o")
    done = [run(*words, target) for target in (tmp_path / name, f"s3://bucket/out/{name}")]
    assert done[0] == done[1]
    assert done[0].returncode == 0
    local, written = (tmp_path / name).read_text("utf-8"), store.cat(f"bucket/out/{name}").decode()
    assert _without_time(written) == _without_time(local)


def _without_time(text: str) -> str:
    header = json.loads(text.partition("\n")[0]) if text.startswith('{"steelyard"') else {}
    return text.replace(header.get("created", "\0"), "")


def test_results_are_read_and_compared(store, tmp_path):
    for name in "ab":
        steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / f"run_{name}.txt").save(f"s3://bucket/out/{name}.jsonl")
        store.get(f"bucket/out/{name}.jsonl", str(tmp_path / f"{name}.jsonl"))
    for command in (("compare",), ("report",), ("gate", "--require", "map >= 0.1")):
        words = ["a.jsonl"] if command[0] == "gate" else ["a.jsonl", "b.jsonl"]
        local = run(*command, *words, "--json", cwd=tmp_path)
        assert run(*command, *(f"s3://bucket/out/{word}" for word in words), "--json") == local
        assert local.returncode in (0, 1)


def test_recorded_results_are_replaced_only_when_asked(store):
    words = ("retrieval", DATA / "qrels.txt", DATA / "run_a.txt", "-o", "s3://bucket/r.jsonl")
    assert run(*words).returncode == 0
    before = store.cat("bucket/r.jsonl")
    refused = run(*words, "-m", "map")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("s3://bucket/r.jsonl: the file already exists\nhint: ")
    assert store.cat("bucket/r.jsonl") == before
    assert run(*words, "-m", "map", "--overwrite").returncode == 0
    assert store.cat("bucket/r.jsonl") != before


def test_an_object_that_appears_before_the_upload_is_not_replaced(store, tmp_path):
    (tmp_path / "part").write_text("new")
    store.pipe("bucket/r.jsonl", b"old")
    with pytest.raises(ConfigError, match=r"s3://bucket/r.jsonl: the file already exists"):
        upload(tmp_path / "part", Address("s3://bucket/r.jsonl"), overwrite=False)
    assert store.cat("bucket/r.jsonl") == b"old"


def test_an_input_is_not_overwritten(store):
    steelyard.evaluate_retrieval(DATA / "qrels.txt", DATA / "run_a.txt").save("s3://bucket/a.jsonl")
    done = run("report", "s3://bucket/a.jsonl", "-o", "s3://bucket/a.jsonl", "--overwrite")
    assert done.returncode == 2
    assert "s3://bucket/a.jsonl: " in done.stderr


def test_the_tag_of_a_run_and_a_tsv_without_header_are_found(store, tmp_path):
    run_of = (DATA / "run_a.txt").read_text("utf-8").replace(" ", "\t")
    (tmp_path / "run.tsv").write_text(run_of, "utf-8")
    store.pipe("bucket/run.tsv", run_of.encode())
    words = ("retrieval", DATA / "qrels.txt")
    for target, source in ((tmp_path / "r.eval", tmp_path / "run.tsv"), ("s3://bucket/r.eval", "s3://bucket/run.tsv")):
        assert run(*words, source, "-o", target).returncode == 0
    assert store.cat("bucket/r.eval") == (tmp_path / "r.eval").read_bytes()


def test_archives_are_read(store):
    log = next((DATA / "inspect").glob("*.eval"))
    store.put(str(log), "bucket/log.eval")
    local = run("answers", log, "--json")
    assert local.returncode == 0
    assert run("answers", "s3://bucket/log.eval", "--json").stdout == local.stdout.replace(log.stem, "log")


def test_conversion_from_and_to_objects(store, tmp_path):
    assert run("convert", *objects("run_a.txt"), "s3://bucket/out/run.jsonl").returncode == 0
    assert run("convert", DATA / "run_a.txt", tmp_path / "run.jsonl").returncode == 0
    assert store.cat("bucket/out/run.jsonl") == (tmp_path / "run.jsonl").read_bytes()
    folder = run("convert", *objects("run_a.txt"), "s3://bucket/out", "--to", "beir")
    assert (folder.returncode, len(folder.stderr.splitlines())) == (2, 2)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://bucket/in/nothing.txt", "no such object"),
        ("s3://no-such-bucket/run.txt", "there is no bucket, container or host “no-such-bucket”"),
        ("s3://bucket/in", "this is not the address of one object"),
        ("s3://bucket", "this is not the address of one object"),
    ],
)
def test_what_is_not_there_is_one_message(store, url, said, lang):
    done = run("retrieval", DATA / "qrels.txt", url, "--lang", lang)
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"{url}: ")
    assert lang == "zh" or lines[0] == f"{url}: {said}"


def test_a_missing_bucket_is_refused_before_anything_is_read(store):
    done = run("retrieval", "no-qrels.txt", "no-run.txt", "-o", "s3://no-such-bucket/r.html")
    assert done.returncode == 2
    assert done.stderr.startswith("s3://no-such-bucket/r.html: there is no bucket")


def test_access_that_is_denied_is_one_message_without_the_key(store, endpoint):
    _require_rights(endpoint, after=0)
    try:
        s3fs.S3FileSystem.clear_instance_cache()
        for words in ((objects("run_a.txt")[0],), (DATA / "run_a.txt", "-o", "s3://bucket/r.jsonl")):
            done = run("retrieval", DATA / "qrels.txt", *words)
            assert done.returncode == 2
            assert len(done.stderr.splitlines()) == 2
            assert f"{words[-1]}: access was denied\nhint: " in done.stderr
            assert KEY not in done.stderr
            assert SECRET not in done.stderr
    finally:
        _require_rights(endpoint, after=1_000_000)


def _require_rights(endpoint: str, *, after: int) -> None:
    """Let the server look at keys after so many requests."""
    plain = {"Content-Type": "text/plain"}
    with urlopen(Request(f"{endpoint}/moto-api/reset-auth", str(after).encode(), plain)):
        pass


def test_no_credentials_are_one_message(store, tmp_path):
    absent = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": str(tmp_path / "none")}
    s3fs.S3FileSystem.clear_instance_cache()
    done = run(
        "retrieval", *objects("qrels.txt", "run_a.txt"), AWS_SHARED_CREDENTIALS_FILE=str(tmp_path / "x"), **absent
    )
    assert done.returncode == 2
    assert "in/qrels.txt: no credentials for this store were found\nhint: " in done.stderr


def test_an_object_that_is_replaced_while_it_is_read_is_an_error(store):
    content = b"x" * 100 + b"\n"
    store.pipe("bucket/long.txt", content * (3 * BLOCK // len(content)))
    stream = open_stream("s3://bucket/long.txt")
    assert stream.read(1000)
    store.pipe("bucket/long.txt", content)
    with pytest.raises(InputError, match=r"s3://bucket/long.txt: the object was replaced while it was read"):
        _read_on(stream)


def test_a_store_that_goes_away_is_an_error_with_its_place(store):
    store.pipe("bucket/long.txt", b"q Q0 d 1 1 t\n" * (3 * BLOCK // 13))
    other = servers.ThreadedMotoServer("127.0.0.1", 0, verbose=False)  # with the same objects
    other.start()
    host, port = other.get_host_and_port()
    s3fs.S3FileSystem.clear_instance_cache()
    with patch.dict(os.environ, {"AWS_ENDPOINT_URL": f"http://{host}:{port}"}):
        stream = open_stream("s3://bucket/long.txt")
        assert stream.read(1000)
        other.stop()
        with pytest.raises(InputError, match=r"s3://bucket/long.txt: the connection was lost after [0-9,]+ bytes: "):
            _read_on(stream)
    assert stream.read(10) == b""


def _read_on(stream: Stream) -> None:
    while stream.read(BLOCK):
        pass


def test_only_the_blocks_that_are_read_are_requested(store):
    store.pipe("bucket/long.txt", b"q Q0 d 1 1 t\n" * (8 * BLOCK // 13))
    fetched = []
    real = s3fs.core._fetch_range

    def counted(*words: Any, **named: Any) -> bytes:
        found: bytes = real(*words, **named)
        fetched.append(len(found))
        return found

    with patch.object(s3fs.core, "_fetch_range", counted):
        stream = open_stream("s3://bucket/long.txt")
        stream.read(1000)
        stream.close()
    assert sum(fetched) <= 2 * BLOCK


def test_a_benchmark_run_becomes_an_object_at_its_end(store, tmp_path):
    words = ("bench", "--system", "builtin:baseline", "--limit", "3", "-o")
    done = [run(*words, target, cwd=tmp_path) for target in ("r.jsonl", "s3://bucket/r.jsonl")]
    assert done[0] == done[1]
    lines = [text.splitlines()[1:-1] for text in ((tmp_path / "r.jsonl").read_text("utf-8"), _text(store))]
    assert len(lines[0]) == 3
    assert sorted(map(_scores, lines[0])) == sorted(map(_scores, lines[1]))
    assert not list((tmp_path / "results").iterdir())
    again = run(*words, "s3://bucket/r.jsonl", cwd=tmp_path)
    assert again.returncode == 2
    assert again.stderr.startswith("s3://bucket/r.jsonl: the file already exists\n")
    assert run(*words, "s3://bucket/r.jsonl", "--resume", cwd=tmp_path).returncode == 0
    assert run(*words, "s3://bucket/r.jsonl", "--overwrite", cwd=tmp_path).returncode == 0


def test_a_benchmark_run_that_cannot_be_uploaded_is_kept_and_resumed(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def system(question: str) -> str:
        if store.exists("bucket"):
            store.rm("bucket", recursive=True)
        return "yes"

    with pytest.raises(
        ConfigError, match=r"there is no bucket.*; the results are in results.r-[0-9a-f]{8}\.jsonl"
    ) as e:
        steelyard.evaluate_legal(system, ids=_ids(2), path="s3://bucket/r.jsonl", settings=AskSettings(concurrency=1))
    assert "--resume" in str(e.value)
    (kept,) = Path("results").iterdir()
    assert len(kept.read_text("utf-8").splitlines()) == 4


def _ids(count: int) -> list[str]:
    from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark

    return [question.about.id for question in load_benchmark(benchmark_folder()).questions[:count]]


def _text(store: Any) -> str:
    text: str = store.cat("bucket/r.jsonl").decode()
    return text


def _scores(line: str) -> Any:
    item = json.loads(line)
    return item["id"], sorted(item["scores"].items())
