"""Call servers with the client of pipelines: the argument is a list of endpoints, the output one object for each."""

import json
import os
import sys

from steelyard.pipelines.client import Endpoint, ServerPool


def conversation(pool, name, kind):
    prompts = [prompt["name"] for prompt in pool.list_prompts(name)]
    notes = {tool["name"]: (tool.get("annotations") or {}).get("output") for tool in pool.list_tools(name)}
    if kind == "fast":
        first = pool.get_prompt(name, "ask", {"q_ls": ["a", "乙"]})
        second = pool.get_prompt(name, "again", {"prompt_ls": first, "ans_ls": ["x", "y"]})
        return {
            "notes": notes,
            "prompts": prompts,
            "second": second,
            "given": pool.call_tool(name, "answer", {"q_ls": ["a"]}),
        }
    given = pool.call_tool(name, "greet", {"name": "乙"})
    try:
        pool.call_tool(name, "greet", {"nam": "x"})
    except Exception as error:
        return {"notes": notes, "given": given, "error": f"{type(error).__name__}: {error}".splitlines()[0]}


def main():
    warnings, results = [], []
    for number, server in enumerate(json.loads(sys.argv[1])):
        environment = {**os.environ, "PYTHONPATH": server["path"]}
        endpoint = Endpoint(str(number), "here", tuple(server["command"]), server["address"], server["headers"])
        with ServerPool(environment, timeout=60, notify=lambda notice: warnings.append(str(notice))) as pool:
            pool.start([endpoint])
            results.append(conversation(pool, str(number), server["kind"]))
    from importlib.metadata import version

    sys.stdout.write(json.dumps({"mcp": version("mcp"), "results": results, "warnings": warnings}))


if __name__ == "__main__":
    main()
