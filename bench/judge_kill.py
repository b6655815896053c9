"""`python -m bench.judge_kill [N]`: kill -9 a run of a judge at N random moments (50), resuming each time.

No call whose reply is in the journal may be asked again, and the result at the end must be that of a replay, byte for
byte. Calls that are under way at a kill, at most as many as run at a time, are asked again: nobody knows their reply.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.judge_server import JudgeServer, says, serving

AT_A_TIME = 4
REPLY = '{"reason": "r", "verdict": "same"}'


def main(kills: int, seed: int = 42) -> None:
    draw = random.Random(seed)
    items = 20 * kills
    with tempfile.TemporaryDirectory() as name, serving(lambda body, seen: says(REPLY, delay=0.05)) as server:
        folder = Path(name)
        rows = [{"id": str(n), "question": f"Nr {n}?", "answer": "a", "references": ["b"]} for n in range(items)]
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = asked_again = 0
        while done < kills and (process := _start(folder, server)).poll() is None:
            before = len(server.bodies)
            while len(server.bodies) == before and process.poll() is None:
                time.sleep(0.005)  # until it asks
            time.sleep(draw.uniform(0.0, 0.3))
            if process.poll() is not None:
                break
            process.kill()
            process.wait()
            done += 1
            asked_again += _asked_again(folder, server)
        if _start(folder, server).wait() != 0:
            sys.exit("the last run failed")
        _check_replay(folder)
        asked_again += _asked_again(folder, server)
        requests = len(server.bodies)
    print(f"{done} kills, {items} items, {requests} requests ({requests - items} under way at a kill and asked again)")
    print(f"{asked_again} replies of the journal asked again; the result is that of its replay, byte for byte")


_KNOWN: dict[str, int] = {}  # item → requests when its reply was first seen in the journal


def _asked_again(folder: Path, server: JudgeServer) -> int:
    """Return how many items were asked since their reply was in the journal."""
    journal = folder / "out.calls.jsonl"
    lines = journal.read_bytes().splitlines()[1:] if journal.exists() else []
    again = 0
    for line in lines:
        try:
            item = json.loads(line)["item"]
        except (ValueError, KeyError):  # torn, or a header
            continue
        asked = len(server.asked(f"Nr {item}?\n"))
        again += asked > _KNOWN.setdefault(item, asked)
        _KNOWN[item] = asked
    return again


def _start(folder: Path, server: JudgeServer) -> "subprocess.Popen[bytes]":
    words = ("judge", "run", "same", "rows.jsonl", "--model", server.model, "-o", "out.jsonl", "--resume")
    command = [sys.executable, "-m", "steelyard", *words, "-j", str(AT_A_TIME), "--quiet"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)


def _check_replay(folder: Path) -> None:
    words = ("judge", "replay", "out.calls.jsonl", "-o", "again.jsonl")
    command = [sys.executable, "-m", "steelyard", *words, "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if (folder / "again.jsonl").read_bytes() != (folder / "out.jsonl").read_bytes():
        sys.exit("the replay differs")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
