"use strict";
// What two texts do not share, word by word; a word of Chinese or Japanese is a character.
const Diff = (() => {
  const CHARACTER = "\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}";
  const TOKEN = new RegExp(`${CHARACTER}|(?:(?!${CHARACTER})[\\p{L}\\p{M}\\p{N}_])+|\\s+|[^]`, "gu");
  // so many comparisons take a tenth of a second; longer texts are shown without a diff
  const MOST = 6_000_000;

  // [marks of the old text, marks of the new one], or null where the texts are too long
  function marks(old, fresh) {
    const before = old.match(TOKEN) ?? [];
    const after = fresh.match(TOKEN) ?? [];
    const head = shared(before, after, (tokens, place) => tokens[place]);
    const rest = [before.slice(head), after.slice(head)];
    const tail = shared(...rest, (tokens, place) => tokens[tokens.length - 1 - place]);
    const [a, b] = rest.map((tokens) => tokens.slice(0, tokens.length - tail));
    if (a.length * b.length > MOST) return null;
    const pairs = steady(common(a, b), a);
    if (!head && !tail && !pairs.length) return [[], []]; // nothing is shared: marks on every word say nothing
    const [keptA, keptB] = [new Set(pairs.map((pair) => pair[0])), new Set(pairs.map((pair) => pair[1]))];
    return [ranges(before, head, a.length, keptA, "removed"), ranges(after, head, b.length, keptB, "added")];
  }

  function shared(a, b, at) {
    let count = 0;
    while (count < Math.min(a.length, b.length) && at(a, count) === at(b, count)) count += 1;
    return count;
  }

  // the places [in a, in b] of a longest common subsequence
  function common(a, b) {
    const width = b.length + 1;
    const lengths = new Uint32Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        const here = i * width + j;
        lengths[here] =
          a[i] === b[j] ? lengths[here + width + 1] + 1 : Math.max(lengths[here + width], lengths[here + 1]);
      }
    }
    return walk(a, b, lengths, width);
  }

  function walk(a, b, lengths, width) {
    const pairs = [];
    let [i, j] = [0, 0];
    while (i < a.length && j < b.length) {
      if (a[i] === b[j]) pairs.push([i++, j++]);
      else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return pairs;
  }

  // without stretches of one character between changes: they are shared by chance and only disturb the eye
  function steady(pairs, a) {
    const runs = [];
    pairs.forEach((pair, place) => {
      const last = pairs[place - 1];
      if (last && last[0] + 1 === pair[0] && last[1] + 1 === pair[1]) runs[runs.length - 1].push(pair);
      else runs.push([pair]);
    });
    const letters = (run) => run.reduce((sum, [place]) => sum + a[place].trim().length, 0);
    return runs.filter((run) => letters(run) > 1).flat();
  }

  // stretches of tokens that are not kept, as characters of the whole text
  function ranges(tokens, head, count, kept, name) {
    const found = [];
    let at = tokens.slice(0, head).reduce((sum, token) => sum + token.length, 0);
    for (let place = 0; place < count; place += 1) {
      const end = at + tokens[head + place].length;
      const last = found[found.length - 1];
      if (!kept.has(place) && last && last[1] === at) last[1] = end;
      else if (!kept.has(place)) found.push([at, end, name]);
      at = end;
    }
    return found;
  }

  return { marks };
})();
