import hashlib
import io
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steelyard.io.streams import Stream, line_blocks, open_stream
from steelyard.threads import ordered_thread_map

lines = st.lists(
    st.tuples(st.sampled_from(["1", "22", "主题", " 1", ""]), st.text("ab \t", max_size=8)).map("".join), max_size=40
)


@given(lines, st.integers(1, 60), st.none() | st.integers(1, 60), st.booleans())
def test_blocks_are_the_file_cut_between_queries(content, size, start, ends_with_newline):
    text = "\n".join(content) + ("\n" if ends_with_newline else "")
    stream = Stream("run", io.BytesIO(text.encode()))
    blocks = [bytes(block) for block in line_blocks(stream, size, first=start)]
    whole = b"".join(blocks)
    assert whole in (text.encode(), text.encode() + b"\n")
    assert all(block.endswith(b"\n") for block in blocks)
    for before, after in pairwise(blocks):
        last, first = before.removesuffix(b"\n").split(b"\n")[-1].split()[:1], after.split(b"\n")[0].split()[:1]
        assert last != first or not last, "blank lines belong to no query"


def test_blocks_grow_from_a_small_first_one():
    content = b"".join(b"%d Q0 d 1 2.5 t\n" % n for n in range(20_000))
    sizes = [len(block) for block in line_blocks(Stream("run", io.BytesIO(content)), 1 << 16, first=1 << 10)]
    assert sum(sizes) == len(content)
    assert [round(size / 1024) for size in sizes[:8]] == [1, 2, 4, 8, 16, 32, 64, 64]


def test_what_is_read_may_be_hashed_later_and_by_several_threads(tmp_path):
    content = b"".join(b"%d Q0 d 1 2.5 t\n" % n for n in range(20_000))
    path = tmp_path / "run.txt"
    path.write_bytes(content)
    stream = open_stream(path)
    stream.put_off_hash()

    def work(piece):
        stream.catch_up()
        return len(piece)

    pieces = iter(lambda: stream.read(1000), b"")
    assert sum(ordered_thread_map(pieces, work, threads=8)) == len(content)
    assert stream.digest() == hashlib.sha256(content).hexdigest()


def test_what_nobody_hashed_is_hashed_for_the_digest(tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes(b"1 Q0 d 1 2.5 t\n" * 100)
    stream = open_stream(path)
    stream.put_off_hash()
    while stream.read(100):
        pass
    assert stream.digest() == hashlib.sha256(path.read_bytes()).hexdigest()
