"""`python -m bench.judge_speed [N …]`: N items (1,000 and 10,000) judged by an instant server in another process.

Prints the CPU time of the command for each item, which is ours alone, and its peak memory.
"""

import json
import subprocess
import sys
import tempfile
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from bench.judge_server import Scripted, says, serving

REPLY = says('{"reason": "They say the same in other words.", "verdict": "same"}')
WATCHED = "import resource, sys; from steelyard.cli import main; code = main(sys.argv[1:]); used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, file=sys.stderr)"  # noqa: E501


def serve(pipe: Connection) -> None:
    """Serve until the pipe is closed; bodies are not kept."""

    def script(body: object, seen: int) -> Scripted:
        server.bodies.clear()
        return REPLY

    with serving(script) as server:
        pipe.send(server.model)
        pipe.poll(None)


def main(sizes: list[int]) -> None:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    model = ours.recv()
    text = "The lease was signed by the owner on the fourth of May, and the deposit was paid in cash. " * 5
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            rows = (
                {"id": str(n), "question": f"Nr {n}?", "answer": f"{n} {text}", "references": [text]}
                for n in range(size)
            )
            Path(name, "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            words = ("judge", "run", "same", "rows.jsonl", "--model", model, "-o", "out.jsonl", "--quiet")
            command = [sys.executable, "-c", WATCHED, *words]
            done = subprocess.run(command, cwd=name, check=True, capture_output=True, text=True)
            seconds, megabytes = done.stderr.split()[-2:]
            print(f"{size:,} items: {float(seconds) / size * 1000:.2f} ms of CPU each, peak {megabytes} MB")
    process.terminate()


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [1_000, 10_000])
