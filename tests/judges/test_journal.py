"""The journal of a judge where the disk is full."""

import pytest
from platforms import posix

from steelyard.errors import ConfigError
from steelyard.judges.journal import Journal
from steelyard.judges.replies import Recorded

HEADER = {"journal": 1, "judge": {}, "hash": "", "model": "", "endpoint": "", "metrics": [], "created": ""}
PLACE = {"item": "a", "step": "judge", "repeat": 0}


@posix
def test_a_line_that_is_written_in_part_is_an_error_with_its_reason(tmp_path):
    import resource

    path = tmp_path / "j.calls.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal.open(path, HEADER, resume=False) as journal:
        journal.add("a", PLACE, Recorded("yes"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, before[1]))
        try:
            with pytest.raises(ConfigError, match="cannot be written: No space left on device"):
                journal.add("b", PLACE, Recorded("no"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    with Journal.open(path, HEADER, resume=True) as journal:
        journal.add("b", PLACE, Recorded("no"))
    assert list(Journal.read(path).replies) == ["a", "b"]
