// Ask one of our servers through the TypeScript SDK, and print what came as JSON:
//   node client.mjs http://127.0.0.1:8080/mcp     (the environment variable TOKEN is sent along)
//   node client.mjs steelyard serve evaluation

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [first, ...rest] = process.argv.slice(2);

const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first), {
      requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
    })
  : new StdioClientTransport({ command: first, args: rest, env: process.env });

const client = new Client({ name: "steelyard-tests", version: "1.0.0" });
await client.connect(transport);
try {
  const { tools } = await client.listTools();
  const call = (name, values) => client.callTool({ name, arguments: values });
  const answers = await call("evaluate", {
    pred_ls: ["被告应退还押金", "Paris"],
    gt_ls: [["退还押金"], ["Paris"]],
    metrics: ["acc", "em"],
  });
  const ranking = await call("evaluate_trec", {
    run_path: "data/results.test",
    qrels_path: "data/qrels.test",
    metrics: ["map", "ndcg"],
    ks: [10],
  });
  const wrong = await call("evaluate_trec", { run_path: "data/results.test" });
  const server = client.getServerVersion();
  console.log(JSON.stringify({ server, tools, answers, ranking, wrong }));
} finally {
  await client.close();
}
