"""A server of nobody's library: MCP over standard input and output, by the standard library alone.

The environment says how it behaves. MODE_OF_<name of the program> is what goes wrong, PLAIN_DELAY how many seconds it
takes to start, PLAIN_LOG a folder where it leaves its id and the moments at which it started and was ready.
"""

import json
import os
import sys
import time
from pathlib import Path

NAME = Path(__file__).stem
MODE = os.environ.get(f"MODE_OF_{NAME}", "")

# name → arguments, annotation
TOOLS = {
    "make": ([], "->xs"),
    "shout": (["xs", "mark"], "xs,mark->ys"),
    "look": (["messages"], "prompt_ls->seen"),
    "act": (["xs"], "xs->done"),
}
SERVER_FILE = """path: {folder}/src/{name}.py
parameter: {folder}/parameter.yaml
tools:
  make: {{input: {{}}, output: [xs]}}
  shout: {{input: {{xs: xs, mark: $mark}}, output: [ys]}}
  look: {{input: {{messages: prompt_ls}}, output: [seen]}}
  act: {{input: {{xs: xs}}, output: [done]}}
prompts:
  ask: {{input: {{xs: xs, style: $style}}, output: [prompt_ls]}}
"""


class Failed(Exception):
    """Tell the client of a JSON-RPC error."""


def text_result(value):
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


# mode → what stands on standard output, and what is answered
NOISE = {"noise": "loading weights …", "no JSON": "42 is the answer", "no message": '{"answer": 42}'}
ANSWERS = {
    "no JSON": None,
    "no message": None,
    "error": {"content": [{"type": "text", "text": "the index is empty"}], "isError": True},
    "silent error": {"content": [], "isError": True},
    "text": {"content": [{"type": "text", "text": "all done, 完成"}]},
    "list": text_result(["done"]),
    "too little": text_result({"finished": True}),
}


def build(parameter_file):
    folder = Path(parameter_file).parent
    (folder / "server.yaml").write_text(SERVER_FILE.format(folder=folder, name=NAME))


def act(xs):
    """Do what the mode says."""
    if MODE == "die in a call":
        sys.exit("out of memory")
    if MODE == "hang in a call":
        time.sleep(600)
    if MODE == "JSON-RPC error":
        raise Failed("no such index")
    if MODE in NOISE:
        send(NOISE[MODE])
    return ANSWERS.get(MODE, text_result({"done": len(xs), "extra": "more"}))


def call(name, arguments):
    match name:
        case "build" if MODE != "listed":
            build(**arguments)
            return {"content": []}
        case "make":
            return text_result({"xs": ["a", "乙"]})
        case "shout":
            return text_result({"ys": [f"{x}{arguments['mark']}" for x in arguments["xs"]]})
        case "look":
            return text_result({"seen": arguments["messages"]})
        case "act":
            return act(**arguments)
    raise Failed(f"Unknown tool: {name}")


def prompt(arguments):
    """One message that says what came, argument by argument, and one for each x."""
    texts = [json.dumps(arguments, ensure_ascii=False), *json.loads(arguments["xs"])]
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}} for text in texts]}


def listed(name, arguments, note):
    schema = {"type": "object", "properties": {argument: {} for argument in arguments}, "required": arguments}
    return {"name": name, "inputSchema": schema, "annotations": {"output": note}}


def page(kind, entries, parameters):
    """One entry a page."""
    index = int(parameters.get("cursor") or 0)
    more = {"nextCursor": str(index + 1)} if index + 1 < len(entries) else {}
    return {kind: entries[index : index + 1], **more}


def answer(method, parameters):
    match method:
        case "initialize":
            capabilities: dict[str, dict[str, str]] = {"tools": {}, "prompts": {}} if MODE == "listed" else {}
            about = {"name": NAME, "version": "1"}
            return {"protocolVersion": "2024-11-05", "capabilities": capabilities, "serverInfo": about}
        case "tools/list":
            tools = [listed(name, *fields) for name, fields in TOOLS.items()]
            whole = {"tools": [*tools, listed("build", ["parameter_file"], "")]}
            return page("tools", tools, parameters) if MODE == "listed" else whole
        case "tools/call":
            return call(parameters["name"], parameters.get("arguments") or {})
        case "prompts/list":
            arguments = [{"name": "xs", "required": True}]
            prompts = [{"name": name, "arguments": arguments} for name in ("nothing", "ask")]
            return page("prompts", prompts, parameters)
        case "prompts/get":
            return prompt(parameters["arguments"])
        case "ping":
            return {}
    raise Failed(f"Method not found: {method}")


def send(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def note(moment):
    if "PLAIN_LOG" in os.environ:
        path = Path(os.environ["PLAIN_LOG"], f"{NAME}.{moment}")
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {time.monotonic()}\n")


def begin():
    note("started")
    time.sleep(float(os.environ.get("PLAIN_DELAY", "0")))
    if MODE == "die at start":
        sys.exit("Traceback (most recent call last):\nModuleNotFoundError: No module named 'faiss'")
    if MODE == "die in silence":
        sys.exit(3)
    if MODE == "hang at start":
        time.sleep(600)
    if MODE == "noise at start":
        send("Welcome!")
    note("ready")


def main():
    begin()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        try:
            result = answer(message["method"], message.get("params") or {})
            reply = {"result": result} if result is not None else None
        except Failed as error:
            reply = {"error": {"code": -32000, "message": str(error)}}
        if reply is not None:
            send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}))


if __name__ == "__main__":
    main()
