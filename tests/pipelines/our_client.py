"""Ask servers with the client of pipelines; the argument is a list of places, what comes back one JSON object each."""

import json
import os
import sys

from steelyard.pipelines.remote import Fleet, Place


def conversation(fleet, name, kind):
    prompts = [each.name for each in fleet.prompts(name)]
    notes = {tool["name"]: (tool.get("annotations") or {}).get("output") for tool in fleet.listing(name)}
    if kind == "fast":
        first = fleet.prompt(name, "ask", {"q_ls": ["a", "乙"]})
        second = fleet.prompt(name, "again", {"prompt_ls": first, "ans_ls": ["x", "y"]})
        return {
            "notes": notes,
            "prompts": prompts,
            "second": second,
            "given": fleet.call(name, "answer", {"q_ls": ["a"]}),
        }
    given = fleet.call(name, "greet", {"name": "乙"})
    try:
        fleet.call(name, "greet", {"nam": "x"})
    except Exception as error:
        return {"notes": notes, "given": given, "error": f"{type(error).__name__}: {error}".splitlines()[0]}


def main():
    warnings, found = [], []
    for number, server in enumerate(json.loads(sys.argv[1])):
        environment = {**os.environ, "PYTHONPATH": server["path"]}
        place = Place(str(number), "here", tuple(server["command"]), server["address"], server["headers"])
        with Fleet(environment, timeout=60, notify=lambda notice: warnings.append(str(notice))) as fleet:
            fleet.start([place])
            found.append(conversation(fleet, str(number), server["kind"]))
    from importlib.metadata import version

    sys.stdout.write(json.dumps({"mcp": version("mcp"), "found": found, "warnings": warnings}))


if __name__ == "__main__":
    main()
