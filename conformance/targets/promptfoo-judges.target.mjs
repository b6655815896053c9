// npm: promptfoo@0.123.1
// promptfoo: llm-rubric, context-faithfulness and context-recall, by an OpenAI-compatible server that says what the vector decides (judge.py).
import http from "node:http";
import { tmpdir } from "node:os";
import { answer, load, Unsupported, versionOf } from "./lines.mjs";

Object.assign(process.env, {
  PROMPTFOO_DISABLE_TELEMETRY: "1",
  PROMPTFOO_DISABLE_UPDATE: "1",
  PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
  PROMPTFOO_CACHE_ENABLED: "false",
  PROMPTFOO_REQUEST_BACKOFF_MS: "1",
  PROMPTFOO_CONFIG_DIR: tmpdir(),
});
const { assertions, loadApiProvider } = await import(load.resolve("promptfoo"));

const LAST = "Final verdict for each statement in order:";

/** A verdict in the words of the tool, with whatever stands around it. */
const worded = (verdict, words) =>
  typeof verdict !== "string" || verdict in words
    ? (words[verdict] ?? verdict)
    : verdict.replace(/[A-Za-z]+/g, (word) => words[word.toLowerCase()] ?? word);

/** The judged answer, in which {claimed} is a reply. */
const answerOf = (given, form) =>
  (given.answer ?? ((given.claims ?? []).join(" ") || "An answer.")).replaceAll("{claimed}", () => form(given.claimed ?? []));

/** The reply of the last step, deformed as the vector says. */
function said(given, form) {
  const whole = form(given.verdicts);
  const parts = {
    "{reply}": whole,
    "{torn}": whole.slice(0, -Math.max(3, Math.floor(whole.length / 4))),
    "{claimed}": form(given.claimed ?? given.verdicts),
    "{answer}": answerOf(given, form),
  };
  return (given.reply ?? "{reply}").replace(/\{(reply|torn|claimed|answer)\}/g, (mark) => parts[mark]);
}

/** Ask promptfoo, with a grader whose replies `replies` makes of the prompt; null where it says that the grader failed. */
async function graded(given, form, ask, first = () => undefined) {
  let failures = given.once ? 1 : Infinity;
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const early = first(JSON.parse(text).messages.map((message) => message.content).join("\n"));
    const isFailing = early === undefined && given.status && failures-- > 0;
    const message = { role: "assistant", content: early ?? (given.refusal ? null : said(given, form)), refusal: early ? null : (given.refusal ?? null) };
    if (given.reasoning && !early) message.reasoning_content = given.reasoning.replaceAll("{claimed}", () => form(given.claimed));
    const body = { id: "1", object: "chat.completion", choices: [{ index: 0, message, finish_reason: given.finish ?? "stop" }] };
    response.writeHead(isFailing ? given.status : 200, { "Content-Type": "application/json", "Retry-After-Ms": "1" });
    response.end(JSON.stringify(isFailing ? { error: { message: "scripted", type: "server_error" } } : body));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    const config = { apiBaseUrl: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "none" };
    const provider = await loadApiProvider("openai:chat:gpt-4o-mini", { options: { config } });
    const found = await ask({ provider });
    return found.metadata?.graderError || found.error ? null : found;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const contextsOf = (given) => given.contexts ?? [given.claims.join(" ")];

function withoutUnknown(given) {
  if (given.verdicts.includes("unknown")) throw new Unsupported("a statement has one of two verdicts");
}

async function faithfulness(given) {
  withoutUnknown(given);
  if (given.reply === "{torn}") throw new Unsupported("verdicts that are cut off count as unsupported, however many they are");
  const words = { yes: "Yes", no: "No", absent: "No" };
  const kept = (verdicts) => verdicts.filter((verdict) => verdict !== null);
  const form = (verdicts) =>
    `${given.reason ?? "So it stands there."}\n${LAST} ${kept(verdicts).map((verdict) => `${typeof verdict === "object" ? "-" : worded(verdict, words)}.`).join(" ")}`;
  const first = (prompt) => (prompt.includes("Natural language inference") ? undefined : given.claims.join("\n"));
  const ask = (grading) => assertions.matchesContextFaithfulness(given.question ?? "What does the lease say?", answerOf(given, form), contextsOf(given), 0, grading);
  return (await graded(given, form, ask, first))?.score;
}

async function context_recall(given) {
  withoutUnknown(given);
  const words = { yes: "[Attributed]", no: "[Not Attributed]", absent: "[Not Attributed]" };
  const line = (verdict, number) => `${number + 1}. ${given.claims[number]} It was looked up. So ${typeof verdict === "object" ? "" : worded(verdict, words)}`;
  const form = (verdicts) => verdicts.map((verdict, number) => (verdict === null ? null : line(verdict, number))).filter(Boolean).join("\n");
  const ask = (grading) => assertions.matchesContextRecall(contextsOf(given), given.claims.join(" "), 0, grading);
  return (await graded(given, form, ask))?.score;
}

async function grade(given) {
  const scores = Object.values(given.menu);
  if (scores.length !== 2) throw new Unsupported("an answer passes or fails");
  const passes = Object.fromEntries(Object.entries(given.menu).map(([label, score]) => [label, score === 1]));
  const fields = (verdict) => (typeof verdict === "object" ? {} : { pass: worded(verdict, passes), score: worded(verdict, given.menu) });
  const form = ([verdict]) => JSON.stringify({ reason: given.reason ?? "So it stands there.", ...(verdict === undefined ? {} : fields(verdict)) });
  const found = await graded(given, form, (grading) => assertions.matchesLlmRubric("The answer is right.", answerOf(given, form), grading));
  return found && (found.pass ? 1 : 0);
}

await answer("promptfoo", versionOf("promptfoo"), { faithfulness, context_recall, grade });
process.exit(); // what the package has started goes on
