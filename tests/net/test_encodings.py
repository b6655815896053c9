"""Content encodings: undone one after the other, up to a limit."""

import gzip
import subprocess
import sys
import zlib

import pytest
import zstandard

from steelyard.net.replies import BadEncoding, TooLarge, decode_bounded


def zstd(content):
    return zstandard.ZstdCompressor().compress(content)


def raw_deflate(content):
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd,
    "gzip, zstd": lambda content: zstd(gzip.compress(content)),
    "zstd, deflate": lambda content: zlib.compress(zstd(content)),
}


@pytest.mark.parametrize("encoding", ENCODERS)
def test_encodings_are_undone_up_to_the_limit(encoding):
    content = b"some text " * 1000
    encoded = ENCODERS[encoding](content)
    assert decode_bounded(encoded, encoding, len(content)) == content
    with pytest.raises(TooLarge):
        decode_bounded(encoded, encoding, len(content) - 1)


def test_other_forms_of_the_encodings():
    assert decode_bounded(b"plain", "identity", 5) == decode_bounded(b"plain", "", 5) == b"plain"
    assert decode_bounded(raw_deflate(b"raw"), "deflate", 99) == b"raw"
    assert decode_bounded(gzip.compress(b"a") + gzip.compress(b"b"), "X-GZIP", 99) == b"ab"
    assert decode_bounded(zstd(b"a") + zstd(b"b"), "zstd", 99) == b"ab"
    with pytest.raises(TooLarge):
        decode_bounded(b"plain", "", 4)
    with pytest.raises(BadEncoding, match="incomplete"):
        decode_bounded(gzip.compress(b"a")[:-4], "gzip", 99)


@pytest.mark.slow
def test_s3_gigabytes_in_a_few_bytes_do_not_fill_the_memory():
    program = (
        "import resource, zstandard\n"
        "from steelyard.net.replies import TooLarge, decode_bounded\n"
        "bomb = zstandard.ZstdCompressor().compress(bytes(1 << 27)) * 64\n"  # 8 GB
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "try:\n    decode_bounded(bomb, 'zstd', 20_000_000)\n"
        "except TooLarge:\n    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "refused\n"
