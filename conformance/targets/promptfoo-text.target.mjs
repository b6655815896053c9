// npm: promptfoo@0.123.1
// The assertions of promptfoo that compare texts: rouge-n (of words), bleu, icontains and icontains-any.
import { answer, load, Unsupported, versionOf } from "./lines.mjs";

const { assertions } = await import(load.resolve("promptfoo"));

const score = async (type, value, output) => {
  const assertion = { type, value, threshold: 0 };
  return (await assertions.runAssertion({ assertion, test: {}, providerResponse: { output } })).score;
};

await answer("promptfoo", versionOf("promptfoo"), {
  rouge1: ({ answer, references }) => {
    if (references.length !== 1) throw new Unsupported("one reference at a time");
    return score("rouge-n", references[0], answer);
  },
  bleu: ({ answer, references }) => score("bleu", references, answer),
  accuracy: ({ answer, references }) =>
    references.length === 1 ? score("icontains", references[0], answer) : score("icontains-any", references, answer),
});
process.exit(); // what the package has started goes on
