"""`python -m bench.pipelines`: what a user waits for a pipeline, beside what an import of fastmcp alone takes."""

import json
import tempfile
from typing import Final

from bench.processes import run_python

ROUNDS: Final = 7
IMPORT: Final = ("-c", "import fastmcp")
FIVE: Final = "examples/vanilla_llm.yaml"
COMMANDS: Final = {
    "import fastmcp": IMPORT,
    "run eval_trec": ("-m", "steelyard", "run", "examples/eval_trec.yaml"),
    "run vanilla_llm (five servers)": ("-m", "steelyard", "run", FIVE),
    "run vanilla_llm --isolated": ("-m", "steelyard", "run", FIVE, "--isolated"),
    "run rag_full (six servers)": ("-m", "steelyard", "run", "examples/rag_full.yaml"),
}
LIMITS: Final = {"run eval_trec": 1.5, "run vanilla_llm (five servers)": 2.5}
LOOP: Final = """
import json, resource, sys, time
from pathlib import Path
from steelyard.cli import main
folder = Path(sys.argv[1]) / "servers" / "rows" / "src"
folder.mkdir(parents=True, exist_ok=True)
(folder / "rows.py").write_text('''
from steelyard.pipelines.server import Server
app = Server("rows", __file__)
@app.tool("->xs")
def make():
    return {"xs": [0] * 1000}
@app.tool("xs->xs")
def add(xs):
    return {"xs": [x + 1 for x in xs]}
''')
import os
os.chdir(sys.argv[1])
Path("p.yaml").write_text("servers: {rows: servers/rows}\\npipeline:\\n- rows.make\\n- loop:\\n    times: "
    + sys.argv[2] + "\\n    steps: [rows.add]\\n")
start = time.perf_counter()
main(["run", "p.yaml"])
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> None:
    turns = [{name: run_python(arguments).seconds for name, arguments in COMMANDS.items()} for _ in range(ROUNDS)]
    best = {name: min(turn[name] for turn in turns) for name in COMMANDS}
    print(f"fresh processes, the best of {ROUNDS}, taking turns")
    for name, seconds in best.items():
        limit = f"  (at most {LIMITS[name]})" if name in LIMITS else ""
        print(f"  {name:32} {seconds:6.3f} s  {seconds / best['import fastmcp']:5.2f} x{limit}")
    for times in ("10", "1000"):
        with tempfile.TemporaryDirectory() as folder:
            seconds, megabytes = json.loads(run_python(("-c", LOOP, folder, times)).output.splitlines()[-1])
        print(f"  a loop of {times:>4} rounds over 1,000 rows: {seconds:.2f} s, peak {megabytes:.1f} MB")


if __name__ == "__main__":
    main()
