// The protocol of targets, for Node; it needs the standard modules alone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

/** The documentation of the program does not claim such an input. */
export class Unsupported extends Error {}

const folder = process.env.NODE_PATH?.split(path.delimiter)[0] || path.resolve("node_modules");

/** Load a package from the first folder of NODE_PATH, or else from node_modules of the current folder: `load("js-rouge")`. */
export const load = createRequire(path.join(folder, "_.js"));

/** Return the version of a package that is installed there. */
export const versionOf = (name) => JSON.parse(readFileSync(path.join(folder, name, "package.json"), "utf-8")).version;

/** Answer lines until the input ends; `functions` compute by name. What a package prints goes to standard error. */
export async function answer(name, version, functions) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const reply = request.start
      ? { name, version, computes: Object.keys(functions).sort() }
      : { id: request.id, ...(await computed(functions[request.computes], request.input)) };
    write(JSON.stringify(reply) + "\n"); // a number that is not finite is written as null
  }
}

async function computed(compute, input) {
  try {
    return { value: (await compute(input)) ?? null };
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: error.message };
    return { error: `${error.name}: ${error.message}` };
  }
}
