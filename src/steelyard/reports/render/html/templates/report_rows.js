"use strict";
// What the list shows of an item: its question and answer, the first reason of its score, and the numbers.
const Rows = (() => {
  const { element, t } = Frame;
  const EXCERPT = 300;
  const FIRST = 10; // documents of a ranking
  const SVG = "http://www.w3.org/2000/svg";

  // the columns of the list; `state` has the choice of the reader and the numbers under it
  function columns(data, state) {
    const compared = data.results.length > 1;
    const has = contents(data);
    const number = (key, title, width, cell) => ({ key, title, width, sortable: true, cell });
    const id = { key: "id", title: "report.id", width: has.texts ? "144px" : "minmax(0, 1fr)", sortable: true, cell: (item) => named(data, item) };
    return [
      ...(has.texts ? [] : [id]),
      ...(has.texts ? [{ key: "question", title: heading(has), width: "minmax(0, 1.7fr)", cell: (item) => said(data, state, item, has) }] : []),
      ...(has.reasons ? [{ key: "why", title: has.explained ? "report.reason" : "report.expected", width: "minmax(0, 1fr)", cell: (item) => why(data, state, item, has) }] : []),
      ...(has.rankings ? [{ key: "why", title: "report.first_documents", width: "minmax(0, 1fr)", cell: (item) => ranking(data, state, item) }] : []),
      ...(has.texts && (has.tagged || !has.repeated) ? [id] : []),
      ...(compared ? [number("before", "report.before", "64px", (item) => beforeCell(state, item))] : []),
      number("score", compared ? "report.after" : "report.score", "112px", (item) => scoreCell(data, state, item)),
      ...(compared ? [number("change", "report.change", "92px", (item) => changeCell(data, state, item))] : []),
    ];
  }

  // what the items of this page have, so that no column is empty
  function contents(data) {
    const outputs = (test) => data.results.some((result) => result.said.some((output) => output && test(output)));
    const questions = data.questions.some(Boolean);
    const answers = outputs((output) => output.answer !== undefined);
    const explained = Filters.hasUncertain(data) || outputs((output) => output.reasons || output.notes || output.gaps || output.failure);
    const rankings = Boolean(data.rankings);
    const reasons = !rankings && (explained || data.expected.some((expected) => expected?.references));
    const tagged = Object.keys(data.tags).length > 0;
    const repeated = data.ids.every((_, item) => Texts.isQuestion(data, item));
    return { questions, answers, texts: questions || answers, reasons, explained, rankings, tagged, repeated };
  }

  // whether a row has two lines
  function isTall(data) {
    const has = contents(data);
    return (has.questions && has.answers) || has.reasons || has.rankings || has.tagged;
  }

  function heading({ questions, answers }) {
    if (questions && answers) return "report.question_and_answer";
    return questions ? "report.question" : "report.answer";
  }

  // one line of a text; what follows the first few hundred characters is not in sight anyway
  function line(text, name) {
    return element("span", { class: `one-line ${name}` }, excerpt(text));
  }

  function excerpt(text) {
    return String(text).slice(0, EXCERPT).replace(/\s+/g, " ").trim();
  }

  function said(data, state, item, has) {
    const answer = data.results[state.choice.other].said[item]?.answer;
    const [title, ...rest] = String(data.questions[item] ?? "").split("\n");
    if (!has.answers) return [line(title, "row-question"), rest.length ? line(rest.join(" "), "row-answer") : null];
    return [
      has.questions ? line(data.questions[item], "row-question") : null,
      answer === undefined ? unanswered(data, state, item) : line(answer, has.questions ? "row-answer" : "row-question"),
    ];
  }

  function unanswered(data, state, item) {
    const output = data.results[state.choice.other].said[item];
    const code = !output ? "report.item_absent" : "report.no_answer_given";
    return line(t(code), "row-answer row-none");
  }

  function why(data, state, item, has) {
    const [label, text, tone] = reason(data, state.choice, item);
    const doubt = state.columns.uncertain[item] === 1 ? [element("span", { class: "chip warn" }, Frame.nameOf("part_names", "uncertain")), " "] : null;
    if (!text && !doubt) return null;
    const cross = tone === "lost" ? element("span", { class: "bad", "aria-hidden": "true" }, "✗ ") : null;
    const part = label && has.explained ? [element("span", { class: "row-part" }, `${label}:`), " "] : null;
    return element("span", { class: `two-lines ${tone}` }, doubt, cross, part, excerpt(text));
  }

  // the first documents of the ranking by their grades, and how many of them are relevant
  function ranking(data, state, item) {
    const found = data.rankings.items[item];
    const ranked = found?.ranked[state.choice.other]?.slice(0, FIRST);
    if (!ranked?.length) return line(t("report.item_absent"), "row-answer row-none");
    const grades = ranked.map((document) => found.grades[document]);
    const relevant = grades.filter((grade) => isRelevant(data, grade)).length;
    const words = t("report.relevant_among").replace("{n}", String(relevant)).replace("{of}", String(ranked.length));
    const signs = grades.map((grade) => (grade === null ? "·" : isRelevant(data, grade) ? "●" : "○")).join("");
    return [element("span", { class: "row-grades", "aria-hidden": "true" }, signs), line(words, "row-answer")];
  }

  function isRelevant(data, grade) {
    return grade !== null && grade >= data.rankings.level;
  }

  // why an item has its score, as [name of the part, text, tone]: an error, why there is no score, the first part that
  // lost points, the first part, or what was expected
  function reason(data, choice, item) {
    const result = data.results[choice.other];
    const output = result.said[item];
    if (!output) return ["", "", ""];
    if (output.failure) return ["", text(output.failure), "bad"];
    const missing = output.gaps?.[choice.metric];
    if (missing) return ["", Frame.chosen(missing[1]), "muted"];
    const reasons = output.reasons ?? [];
    const lost = reasons.find(([part]) => hasLost(data, result, part, item));
    if (lost || reasons.length) return partReason(data, lost ?? reasons[0], lost ? "lost" : "muted");
    const note = output.notes?.[choice.metric];
    if (note) return ["", Frame.chosen(note), ""];
    return [t("report.expected"), reference(data.expected[item]), "muted"];
  }

  // a text of others, or ours in every language
  function text(given) {
    return Array.isArray(given) ? Frame.chosen(given) : given;
  }

  function partReason(data, [part, ...texts], tone) {
    return [Frame.nameOf(data.part_names, part), Frame.chosen(texts), tone];
  }

  function hasLost(data, result, part, item) {
    const value = Object.values(result.parts).find((parts) => Object.hasOwn(parts, part))?.[part][item] ?? null;
    if (value === null || data.undirected.includes(part)) return false;
    return data.lower.includes(part) ? value > 0 : value < 1;
  }

  function reference(expected) {
    const given = expected?.references;
    const first = Array.isArray(given) ? given.flat()[0] : given;
    return first ?? "";
  }

  // the id, and the first of the tags that has a name
  function named(data, item) {
    const [first] = Object.keys(data.tags);
    const value = first === undefined ? undefined : data.tags[first].values[data.tags[first].codes[item]];
    return [Texts.isQuestion(data, item) ? null : line(data.ids[item], "row-id"), value === undefined ? null : line(Filters.valueName(first, value), "row-tag")];
  }

  function scoreCell(data, state, item) {
    const [score, output] = [state.columns.now[item], data.results[state.choice.other].said[item]];
    if (Filters.hasFailed(output, state.choice.metric)) return element("span", { class: "chip bad" }, t("report.failed"));
    if (score === null) return element("span", { class: "chip warn" }, t(output ? "report.unscored" : "report.missing"));
    return [meter(score), element("span", { class: "digits" }, Texts.number(score, 3))];
  }

  // a bar for scores between 0 and 1
  function meter(score) {
    if (score < 0 || score > 1) return null;
    const made = shape("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", class: "bar", "aria-hidden": "true" });
    made.append(shape("rect", { class: "bar-back", width: 100, height: 6 }));
    made.append(shape("rect", { class: "bar-fill", width: score * 100, height: 6 }));
    return made;
  }

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function beforeCell(state, item) {
    return element("span", { class: "digits muted" }, Texts.number(state.columns.before?.[item] ?? null, 3));
  }

  function changeCell(data, state, item) {
    const found = Filters.difference(state.columns, item);
    const tone = Texts.tone(data, state.choice.metric, found) || "muted";
    return element("span", { class: `digits ${tone}` }, Texts.signed(found));
  }

  return { columns, isTall, reason };
})();
