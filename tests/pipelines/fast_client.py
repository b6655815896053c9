"""Ask servers as fastmcp's client does, which is UltraRAG's; run with the folder of mcp 1 before all others.

The argument is a list of servers: an address, or a command. The output is one JSON object for each.
"""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

QUESTIONS = ["谁应退还押金？", "Who?"]


def transport(server):
    if isinstance(server, str):
        return server
    environment = {**os.environ, "PYTHONPATH": server["path"]}
    return StdioTransport(server["command"][0], server["command"][1:], env=environment)


async def conversation(client):
    tools = await client.list_tools()
    first = await client.get_prompt("qa_boxed", {"q_ls": QUESTIONS, "template": None})
    passages = [["p"], None]
    given = {"prompt_ls": first.messages, "ans_ls": ["a", None], "ret_psg": passages, "template": None}
    second = await client.get_prompt("search_r1_gen", given)
    return {
        "tools": {tool.name: getattr(tool.annotations, "output", None) for tool in tools},
        "first": [message.content.text for message in first.messages],
        "second": [message.content.text for message in second.messages],
    }


async def main():
    results = []
    for server in json.loads(sys.argv[1]):
        async with Client(transport(server)) as client:
            results.append(await conversation(client))
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    asyncio.run(main())
