"""What every step left, in a file of upstream's shape; kept when a run fails, too."""

import json
import time
from pathlib import Path
from typing import Any

from steelyard.pipelines.running import Pools
from steelyard.pipelines.spec import Pipeline


def write_snapshot(pipeline: Pipeline, pools: Pools, folder: Path = Path("output")) -> Path | None:
    """Write the steps so far to output/memory_<benchmark>_<pipeline>_<time>.json; None if there are none."""
    if not pools.snapshots:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    name = f"memory_{_benchmark(pools)}_{pipeline.path.stem}_{time.strftime('%Y%m%d_%H%M%S')}"
    path = _unused(folder, name)
    path.write_text(json.dumps(pools.snapshots, ensure_ascii=False, indent=2, default=str), encoding="utf-8")
    return path


def _benchmark(pools: Pools) -> str:
    found: Any = pools.parameters.get("benchmark", {}).get("benchmark", {})
    return str(found.get("name", "")) if isinstance(found, dict) else ""


def _unused(folder: Path, name: str) -> Path:
    """The name, or with a number behind it where it is taken: a second has room for more than one run."""
    number, path = 1, folder / f"{name}.json"
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}.json"
    return path
