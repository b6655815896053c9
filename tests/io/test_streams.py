import io
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steelyard.io.streams import Stream, line_blocks

lines = st.lists(
    st.tuples(st.sampled_from(["1", "22", "主题", " 1", ""]), st.text("ab \t", max_size=8)).map("".join), max_size=40
)


@given(lines, st.integers(1, 60), st.booleans())
def test_blocks_are_the_file_cut_between_queries(content, size, ends_with_newline):
    text = "\n".join(content) + ("\n" if ends_with_newline else "")
    blocks = list(line_blocks(Stream("run", io.BytesIO(text.encode())), size))
    whole = b"".join(blocks)
    assert whole in (text.encode(), text.encode() + b"\n")
    assert all(block.endswith(b"\n") for block in blocks)
    for before, after in pairwise(blocks):
        last, first = before.removesuffix(b"\n").split(b"\n")[-1].split()[:1], after.split(b"\n")[0].split()[:1]
        assert last != first or not last, "blank lines belong to no query"
