"use strict";
// One item, opened: the question, what was expected, the answers, the reasons of their scores, and the page of the document.
const Item = (() => {
  const { element, t } = Frame;

  // `around` says what the page knows: the result set against the first, the metric, the neighbours in the list
  function make(dialog, data, around) {
    let open = null;
    const draw = () => dialog.replaceChildren(...content(data, open, around, dialog));
    const show = (item) => {
      open = item;
      draw();
      if (!dialog.open) dialog.showModal();
      dialog.querySelector(".item-body").scrollTop = 0;
      dialog.querySelector("#item-title").focus();
      Evidence.scrollToMark(dialog);
    };
    dialog.addEventListener("keydown", (event) => turn(event, open, around));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside the box
    dialog.addEventListener("close", () => around.closed(open));
    return {
      show,
      close: () => dialog.open && dialog.close(),
      redraw: () => dialog.open && (draw(), Evidence.scrollToMark(dialog)),
    };
  }

  function turn(event, open, around) {
    if (event.target.closest("input, select, textarea, [role=region]") || event.altKey || event.ctrlKey || event.metaKey) return;
    const { previous, next } = around.neighbours(open);
    const to = { ArrowLeft: previous, ArrowRight: next }[event.key];
    if (to !== undefined) around.go(to);
  }

  function content(data, item, around, dialog) {
    const rankings = Rankings.make(data, item, around.other(), around.metric?.() ?? data.main);
    if (rankings) return [head(data, item, around, dialog), ranked(data, item, rankings)];
    const results = shown(data, around.other());
    const evidence = Evidence.make(data, item, results);
    const contexts = results.map((result) => Contexts.make(data, result.said[item]));
    const beside = evidence.pane ?? (results.length === 1 ? contexts[0].pane : null);
    const about = { evidence, contexts, beside, metric: around.metric?.() ?? data.main };
    return [
      head(data, item, around, dialog),
      element(
        "div",
        { class: `item-body ${results.length > 1 ? "two" : "one"}`, ...region("item-title") },
        element("div", { class: "asked" }, question(data, item), expected(data, item, evidence)),
        element("div", { class: "answers" }, answers(data, item, results, about)),
        beside ? element("div", { class: "source" }, beside) : null,
      ),
    ];
  }

  // a query with the rankings of all systems below it
  function ranked(data, item, rankings) {
    return element("div", { class: "item-body one", ...region("item-title") }, element("div", { class: "asked" }, Rankings.query(data, item), rankings));
  }

  // what scrolls can be reached by the keyboard, and has a name
  function region(title) {
    return { tabindex: "0", role: "region", "aria-labelledby": title };
  }

  function shown(data, other) {
    return other ? [data.results[0], data.results[other]] : [data.results[0]];
  }

  function head(data, item, around, dialog) {
    const { place, count, previous, next } = around.neighbours(item);
    const step = (to, sign, name) => {
      const go = () => around.go(to);
      return element("button", { type: "button", "aria-label": t(name), disabled: to === undefined, onclick: go }, sign);
    };
    return element(
      "header",
      { class: "item-head" },
      element("h2", { id: "item-title", class: "said", tabindex: "-1" }, data.ids[item]),
      element("div", { class: "chips" }, tags(data, item)),
      element(
        "div",
        { class: "steps" },
        element("span", { class: "muted small digits" }, place < 0 ? "" : `${place + 1} / ${count}`),
        step(previous, "←", "report.previous_item"),
        step(next, "→", "report.next_item"),
        element("button", { type: "button", class: "close", onclick: () => dialog.close() }, t("report.close")),
      ),
    );
  }

  function tags(data, item) {
    return Object.entries(data.tags)
      .filter(([, tag]) => tag.codes[item] >= 0)
      .map(([name, tag]) => chip(name, tag.values[tag.codes[item]]));
  }

  function chip(tag, value) {
    return element("span", { class: "chip said", title: Frame.nameOf("tag_names", tag) }, Frame.nameOf(`${tag}_values`, value));
  }

  function block(title, ...children) {
    return element("section", { class: "block" }, element("h3", {}, t(title)), ...children);
  }

  function question(data, item) {
    return data.questions[item] ? block("report.question", Texts.box(String(data.questions[item]), [], { class: "question" })) : null;
  }

  function expected(data, item, evidence) {
    const key = data.expected[item];
    if (!key) return null;
    return block(
      "report.expected",
      key.abstain === undefined ? null : element("p", { class: "chip" }, t(key.abstain ? "report.should_refuse" : "report.should_answer")),
      key.answer ? values(key.answer) : null,
      key.references ? references(key.references) : null,
      key.quotes ? list("report.quotes", key.quotes.map((each) => Texts.box(String(each)))) : null,
      key.contexts ? list("report.reference_contexts", Contexts.expected(data, key.contexts)) : null,
      key.evidence ? list("report.passages", key.evidence.map((each) => evidence.passage(each))) : null,
    );
  }

  function references(given) {
    const groups = Array.isArray(given) ? given : [given];
    const texts = groups.map((each) => (Array.isArray(each) ? each.join(" / ") : String(each)));
    return bulleted(texts.map((each) => Texts.box(each)));
  }

  function list(title, children) {
    return children.length ? element("div", {}, element("h4", {}, t(title)), bulleted(children)) : null;
  }

  function bulleted(children) {
    return element(
      "ul",
      { class: "plain" },
      children.map((each) => element("li", {}, each)),
    );
  }

  function values(pairs) {
    const rows = Object.entries(pairs).map(([name, value]) =>
      element("div", {}, element("dt", { class: "name" }, part(name)), element("dd", {}, Texts.box(value))),
    );
    return element("dl", { class: "values" }, rows);
  }

  // a part of a score or a field of an answer by its name in the language of the page
  function part(name) {
    return Frame.nameOf("part_names", name);
  }

  // every result's answer; of two, what they do not share is marked
  function answers(data, item, results, about) {
    const outputs = results.map((result) => result.said[item]);
    const texts = outputs.map((each) => each?.answer ?? "");
    const compared = results.length > 1 && texts.every(Boolean);
    const differing = compared ? Diff.marks(...texts) : null;
    const shown = results.map((result, place) => {
      const before = place ? results[0] : null;
      const own = { output: outputs[place], contexts: about.contexts[place], differing: differing?.[place] ?? [], before };
      return answer(data, item, result, { ...about, ...own });
    });
    const tooLong = element("p", { class: "muted note" }, t("report.too_long_to_compare"));
    return compared && !differing ? [...shown, tooLong] : shown;
  }

  function answer(data, item, result, { output, contexts, beside, differing, evidence, before, metric }) {
    const name = element("h3", { class: "said" }, result.name);
    const titled = element("header", { class: "answer-head" }, name, score(data, item, result, { before, metric }));
    const absent = element("p", { class: "warn" }, t("report.item_absent"));
    if (!output) return element("article", { class: "answer" }, titled, absent);
    return element(
      "article",
      { class: "answer" },
      titled,
      output.failure ? element("p", { class: "bad" }, `${t("report.the_system_failed")}: `, Texts.box(Frame.chosen(output.failure))) : null,
      words(data, output, differing, contexts.go),
      verdicts(output),
      output.abstained === undefined ? null : reading(output.abstained),
      output.fields ? values(output.fields) : null,
      output.invented ? list("report.invented", output.invented.map(([text, kind]) => invented(text, kind))) : null,
      list("report.citations", (output.citations ?? []).map((each) => evidence.passage(each))),
      reasons(item, result, output, data),
      folded("report.further_evidence", (output.evidence ?? []).map((each) => evidence.passage(each))),
      contexts.pane === beside ? null : evidence.pane ? contexts.folded() : contexts.pane,
      spent(output),
    );
  }

  function words(data, output, differing, go) {
    if (output.answer !== undefined) {
      return Texts.box(output.answer, [...(output.marks ?? []), ...differing], { class: "answer-text" }, go);
    }
    const none = output.failure || !hasAnswers(data);
    return none ? null : element("p", { class: "muted note" }, t("report.no_answer_given"));
  }

  // what the marks of the values mean, of those that the answer has
  function verdicts(output) {
    const there = new Set((output.marks ?? []).map((mark) => mark[2]));
    const names = ["grounded", "asked", "invented", "void"].filter((name) => there.has(name));
    return output.contexts && names.length ? Texts.legend(names) : null;
  }

  // whether items are answered: rankings have neither questions nor answers
  function hasAnswers(data) {
    return data.questions.some(Boolean) || data.results.some((result) => result.said.some((output) => output?.answer !== undefined));
  }

  function reading(abstained) {
    return element("p", { class: "small muted note" }, t(abstained ? "report.read_as_refusal" : "report.read_as_answer"));
  }

  function score(data, item, result, { before, metric }) {
    const column = (of) => of.scores[metric]?.[item] ?? null;
    const [now, then] = [column(result), before ? column(before) : null];
    const found = now !== null && then !== null ? now - then : null;
    const tone = Texts.tone(data, metric, found);
    return element(
      "p",
      { class: "score" },
      before ? element("span", { class: "muted digits" }, `${Texts.number(then, 2)} → `) : null,
      element("strong", { class: `digits ${tone}` }, Texts.number(now, 2)),
      element("span", { class: "muted small said" }, ` ${Frame.nameOf("metric_names", metric)}`),
    );
  }

  function invented(text, kind) {
    const name = Frame.nameOf("kinds", kind);
    return [element("mark", { class: "invented said" }, text), element("span", { class: "muted small" }, ` ${name}`)];
  }

  // parts of the score with their reasons, then the other metrics
  function reasons(item, result, output, data) {
    const why = new Map((output.reasons ?? []).map(([name, ...texts]) => [name, Frame.chosen(texts)]));
    const rows = [...partsOf(result, item, why), ...othersOf(item, result, output)];
    if (!rows.length && !output.remarks) return null;
    const cells = rows.map(([name, value, words]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", class: "name" }, part(name)),
        element("td", { class: `number ${toneOf(data, name, value)}` }, Texts.number(value, 2)),
        element("td", {}, words ? Texts.box(words) : null),
      ),
    );
    return element(
      "div",
      {},
      element("h4", {}, t("report.reasons")),
      element("table", { class: "reasons" }, element("tbody", {}, cells)),
      output.remarks ? bulleted(output.remarks.map((each) => Texts.box(Frame.chosen(each), [], { class: "small warn" }))) : null,
    );
  }

  function toneOf(data, name, value) {
    if (name === "uncertain") return "warn";
    if (data.undirected.includes(name)) return "";
    if (data.lower.includes(name)) return value === 0 ? "good" : value > 0 ? "bad" : "";
    return value === 1 ? "good" : value === 0 ? "bad" : "";
  }

  // that a verdict is certain goes without saying
  function partsOf(result, item, why) {
    const parts = new Map(
      Object.values(result.parts).flatMap((of) => Object.entries(of).map(([name, column]) => [name, column[item]])),
    );
    const names = [...new Set([...parts.keys(), ...why.keys()])];
    const there = names.filter((name) => why.has(name) || (parts.get(name) !== null && !(name === "uncertain" && !parts.get(name))));
    return there.map((name) => [name, parts.get(name) ?? null, why.get(name) ?? ""]);
  }

  function othersOf(item, result, output) {
    return Object.entries(result.scores).map(([metric, column]) => {
      const [kind, reason] = output.gaps?.[metric] ?? [];
      const missing = kind ? `${t(kind === "error" ? "report.errors" : "report.unscored")}: ${Frame.chosen(reason)}` : "";
      return [metric, column[item], missing || (Frame.chosen(output.notes?.[metric] ?? []) ?? "")];
    });
  }

  function folded(title, children) {
    if (!children.length) return null;
    return element("details", {}, element("summary", {}, `${t(title)} (${children.length})`), bulleted(children));
  }

  function spent(output) {
    const words = [];
    if (output.seconds !== undefined) words.push(`${Number(output.seconds).toPrecision(3)} s`);
    if (output.tokens !== undefined) words.push(`${output.tokens} ${t("report.tokens")}`);
    return words.length ? element("p", { class: "muted small digits" }, words.join(" · ")) : null;
  }

  return { make };
})();
