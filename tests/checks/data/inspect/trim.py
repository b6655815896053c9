"""Leaves out of a log what no score is made of: the events and messages of samples, and what the model was given."""

import json
import sys
from pathlib import Path

USED = ("id", "epoch", "input", "target", "output", "scores", "metadata")
log = json.loads(Path(sys.argv[1]).read_text("utf-8"))
log["eval"].pop("model_args")
log["samples"] = [{name: sample[name] for name in USED} for sample in log["samples"]]
sys.stdout.write(json.dumps(log, ensure_ascii=False, indent=1) + "\n")
