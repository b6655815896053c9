// npm: promptfoo@0.123.1
// The assertion is-refusal of promptfoo.
import { answer, load, Unsupported, versionOf } from "./lines.mjs";

const { assertions } = await import(load.resolve("promptfoo"));

await answer("promptfoo", versionOf("promptfoo"), {
  is_refusal: async ({ answer: output, language }) => {
    if (language !== "en") throw new Unsupported("English only");
    const assertion = { type: "is-refusal" };
    return (await assertions.runAssertion({ assertion, test: {}, providerResponse: { output } })).pass;
  },
});
process.exit(); // what the package has started goes on
