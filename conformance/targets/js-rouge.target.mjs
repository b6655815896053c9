// npm: js-rouge@3.2.3
// ROUGE by js-rouge; case is ignored by its option, and its `l` is the ROUGE-L of summaries.
import { answer, load, Unsupported, versionOf } from "./lines.mjs";

const { n, l } = load("js-rouge");

const by = (compute) => ({ answer, references }) => {
  if (references.length !== 1) throw new Unsupported("one reference at a time");
  return compute(answer, references[0]);
};

await answer("js-rouge", versionOf("js-rouge"), {
  rouge1: by((text, reference) => n(text, reference, { n: 1, caseSensitive: false })),
  rouge2: by((text, reference) => n(text, reference, { n: 2, caseSensitive: false })),
  rouge_lsum: by((text, reference) => l(text, reference, { caseSensitive: false })),
});
