"use strict";
// One item, opened: the question, what was expected, the answers, the reasons of their scores, and the page of the document.
const Item = (() => {
  const { element, t } = Frame;
  const LONGEST_TITLE = 240;
  const CUT_TITLE = 80;
  const REVIEWS = /^(corrected|agreed_|chosen)/;

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
    const redraw = () => {
      const top = dialog.querySelector(".item-body").scrollTop;
      draw();
      Evidence.scrollToMark(dialog);
      dialog.querySelector(".item-body").scrollTop = top;
    };
    dialog.addEventListener("keydown", (event) => turn(event, open, around));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside the box
    dialog.addEventListener("close", () => around.closed(open));
    return {
      show,
      close: () => dialog.open && dialog.close(),
      isOpen: () => dialog.open,
      redraw: () => dialog.open && redraw(),
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
    const about = { evidence, contexts, beside, metric: around.metric?.() ?? data.main, review: around.review };
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
      element("h2", { id: "item-title", class: "said", tabindex: "-1" }, titleOf(data, item)),
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

  // the id, or instead of one that is the question the question itself, which is then not below once more
  function titleOf(data, item) {
    const text = String(data.questions[item]);
    return !Texts.isQuestion(data, item) ? data.ids[item] : text.length > LONGEST_TITLE ? `${text.slice(0, CUT_TITLE)}…` : text;
  }

  function question(data, item) {
    if (titleOf(data, item) === data.questions[item]) return null;
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
      key.evidence ? list("report.passages", key.evidence.map((each) => evidence.passage(each, "expected"))) : null,
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
      element("div", {}, element("dt", { class: "name" }, part(name)), element("dd", {}, Texts.box(Array.isArray(value) ? Frame.chosen(value) : value))),
    );
    return element("dl", { class: "values" }, rows);
  }

  // a field of an answer by its name in the language of the page
  function part(name) {
    return Frame.nameOf("part_names", name);
  }

  // every result's answer; of two, what they do not share is marked
  function answers(data, item, results, about) {
    const outputs = results.map((result) => result.said[item]);
    const texts = outputs.map((each) => each?.answer ?? "");
    const compared = results.length > 1 && texts.every(Boolean);
    const differing = compared ? Diff.marks(...texts) : null;
    const rows = rowsOf(data, item, results, about.metric);
    const shown = results.map((result, place) => {
      const before = place ? results[0] : null;
      const own = { output: outputs[place], contexts: about.contexts[place], differing: differing?.[place] ?? [], before, rows };
      return answer(data, item, result, { ...about, ...own });
    });
    const tooLong = element("p", { class: "muted note" }, t("report.too_long_to_compare"));
    return compared && !differing ? [...shown, tooLong] : shown;
  }

  function answer(data, item, result, { output, contexts, beside, differing, evidence, before, metric, rows, review }) {
    const name = element("h3", { class: "said" }, result.name);
    const titled = element("header", { class: "answer-head" }, name, score(data, item, result, { before, metric }));
    const absent = element("p", { class: "warn" }, t("report.item_absent"));
    if (!output) return element("article", { class: "answer" }, titled, absent);
    return element(
      "article",
      { class: "answer" },
      titled,
      output.failure ? element("p", { class: "bad" }, `${t("report.the_system_failed")}${t("core.colon")}`, Texts.box(Frame.chosen(output.failure))) : null,
      words(data, output, differing, contexts.go),
      verdicts(output),
      output.abstained === undefined ? null : reading(output.abstained),
      output.fields ? values(output.fields) : null,
      output.invented ? list(output.contexts ? "report.ungrounded" : "report.invented", output.invented.map(([text, ...kinds]) => invented(text, Frame.chosen(kinds)))) : null,
      list("report.claims", (output.claims ?? []).map(claim)),
      list("report.citations", (output.citations ?? []).map((each) => evidence.passage(each))),
      reasons(data, item, result, output, rows),
      folded("report.further_evidence", (output.evidence ?? []).map((each) => evidence.passage(each))),
      contexts.pane === beside ? null : evidence.pane ? contexts.folded() : contexts.pane,
      spent(output),
      review?.(item, result),
    );
  }

  // a claim with the verdict of a judge, its reason, and its quotation, which the contexts have or not
  function claim([text, verdict, quote, found, reason]) {
    const tone = { supported: "good", contradicted: "bad" }[verdict] ?? "warn";
    const code = verdict ? Frame.codeOf("verdict_values", verdict) : "report.no_verdict";
    const quoted = quote ? Texts.box(`“${quote}”`, [], { class: `small ${found ? "muted" : "warn"}` }) : null;
    const unfound = quote && !found ? element("span", { class: "small warn" }, t("report.quote_not_found")) : null;
    const why = reason ? Texts.box(reason, [], { class: "small muted" }) : null;
    return [element("strong", { class: tone }, t(code)), t("core.colon"), Texts.box(text), why, quoted, unfound];
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
    const names = ["grounded", "asked", "ungrounded", "void"].filter((name) => there.has(name));
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
      element("span", { class: "muted small said" }, ` ${Frame.nameOf("headline_names", metric)}`),
      reviewed(result, item, metric),
    );
  }

  // what reviewers say of a score: that they accept it, or what it should be
  function reviewed(result, item, metric) {
    const corrected = partOf(result, item, metric, "corrected");
    if (corrected !== null) return element("span", { class: "chip warn digits" }, `✗ ${Frame.filled("review.corrected_to", { score: Texts.number(corrected, 2) })}`);
    const [person, judge] = ["agreed_person", "agreed_judge"].map((name) => partOf(result, item, metric, name));
    const agreed = person ?? judge;
    if (agreed === null) return null;
    const words = `${agreed ? "✓" : "✗"} ${t(agreed ? "review.agree" : "review.disagree")} (${t(person === null ? "review.by_judge" : "review.by_person")})`;
    return element("span", { class: agreed ? "chip" : "chip warn" }, words);
  }

  function invented(text, kind) {
    return [element("mark", { class: "invented said" }, text), element("span", { class: "muted small" }, ` ${kind}`)];
  }

  // the rows of a verdict, the same for every result that is shown: the score, its parts with their weights, the rest
  function rowsOf(data, item, results, metric) {
    const weighted = distinct(results.flatMap((result) => weightsOf(data, item, result).map(([name]) => name)));
    const metrics = distinct([metric, ...results.flatMap((result) => Object.keys(result.scores))]);
    const partsIn = (name) => distinct(results.flatMap((result) => partsOf(result, item, name)));
    const reasoned = distinct(results.flatMap((result) => (result.said[item]?.reasons ?? []).map(([name]) => name)));
    const rows = metrics
      .filter((name) => results.some((result) => result.scores[name]))
      .flatMap((name) => [
        { name, of: "scores" },
        ...(name === data.main ? weighted.map((each) => ({ name: each, of: "weighted", metric: name })) : []),
        ...partsIn(name).filter((each) => !weighted.includes(each)).map((each) => ({ name: each, of: "parts", metric: name })),
      ]);
    const there = new Set(rows.map((row) => row.name));
    return [...rows, ...reasoned.filter((name) => !there.has(name)).map((name) => ({ name, of: "parts", metric: data.main }))];
  }

  function distinct(names) {
    return [...new Set(names)];
  }

  function weightsOf(data, item, result) {
    return data.weights?.[data.results.indexOf(result)]?.[item] ?? [];
  }

  // the parts of a score; that a verdict is certain goes without saying, and what reviewers say is beside the score
  function partsOf(result, item, metric) {
    const parts = Object.entries(result.parts[metric] ?? {}).filter(([name, column]) => column[item] !== null && !REVIEWS.test(name));
    return parts.filter(([name, column]) => name !== "uncertain" || column[item]).map(([name]) => name);
  }

  function partOf(result, item, metric, name) {
    return result.parts[metric]?.[name]?.[item] ?? null;
  }

  function reasons(data, item, result, output, rows) {
    if (!rows.length && !output.remarks) return null;
    const why = new Map((output.reasons ?? []).map(([name, ...texts]) => [name, Frame.chosen(texts)]));
    return element(
      "div",
      {},
      element("h4", {}, t("report.reasons")),
      element("table", { class: "reasons" }, element("tbody", {}, rows.map((row) => verdictRow(data, item, result, { output, why, ...row })))),
      output.remarks ? bulleted(output.remarks.map((each) => Texts.box(Frame.chosen(each), [], { class: "small warn" }))) : null,
    );
  }

  function verdictRow(data, item, result, { output, why, name, of, metric }) {
    const value = of === "scores" ? (result.scores[name]?.[item] ?? null) : partOf(result, item, metric, name);
    const [, weight, counted] = of === "weighted" ? (weightsOf(data, item, result).find((each) => each[0] === name) ?? []) : [];
    const corrected = of === "scores" ? partOf(result, item, name, "corrected") : partOf(result, item, metric, `corrected_${name}`);
    const words = of === "scores" ? scoreNote(name, output) : (why.get(name) ?? "");
    const factors = name === "points_reached" ? [value, partOf(result, item, metric, "conclusion_right"), partOf(result, item, metric, "length_factor")] : [];
    const shown = weight === undefined || factors.length ? [figure(name, factors.length ? counted : value, of)] : points(weight, counted);
    const code = Frame.codeOf(of === "scores" ? "headline_names" : data.part_names, name);
    const classes = { scores: "total", weighted: "", parts: data.weights ? "extra" : "part" }[of];
    return element(
      "tr",
      { class: classes },
      element("th", { scope: "row", class: code === name ? "name" : "" }, t(code)),
      element("td", { class: `number ${toneOf(data, name, counted ?? value)}` }, shown, corrected === null ? null : correction(name, corrected * (weight ?? 1), of)),
      element("td", {}, weight !== undefined && counted !== value ? (factors.length ? product(factors, counted) : threshold(value, counted)) : null, words ? Texts.box(words) : null),
    );
  }

  // what a reviewer says that it should be, beside what it is
  function correction(name, value, of) {
    return element("span", { class: "warn corrected", title: t("review.corrected") }, " → ", figure(name, value, of));
  }

  // what a part contributes to the score: its weight times its value
  function points(weight, counted) {
    const product = element("span", { class: "product" }, `${share(weight)} × ${Texts.number(counted, 2)} = `);
    return [product, element("strong", {}, Texts.number(weight * counted, 2))];
  }

  function share(weight) {
    return String(Number(weight.toFixed(3)));
  }

  // keyed points: their share, by the factors for conclusion and length
  function product(factors, counted) {
    const known = factors.map((each) => Texts.number(each ?? 1, 2)).join(" × ");
    return element("p", { class: "small muted note" }, t("report.factors_note").replace("{product}", `${known} = ${Texts.number(counted, 2)}`));
  }

  // parts that count in full or not at all, by whether they reach a threshold
  function threshold(value, counted) {
    const code = counted ? "report.reaches_threshold" : "report.below_threshold";
    return element("p", { class: "small muted note" }, t(code).replace("{value}", Texts.number(value, 2)));
  }

  function figure(name, value, of) {
    if (of === "parts" && value !== null && (name === "passed" || name === "uncertain")) return t(value ? "senses.yes" : "senses.no");
    const text = Texts.number(value, 2);
    return of === "scores" ? element("strong", {}, text) : text;
  }

  function toneOf(data, name, value) {
    if (name === "uncertain") return value ? "warn" : "";
    if (data.undirected.includes(name)) return "";
    if (data.lower.includes(name)) return value === 0 ? "good" : value > 0 ? "bad" : "";
    return value === 1 ? "good" : value === 0 ? "bad" : "";
  }

  // why an item has no score, or the note to it
  function scoreNote(metric, output) {
    const [kind, reason] = output.gaps?.[metric] ?? [];
    const missing = kind ? `${t(kind === "error" ? "report.errors" : "report.unscored")}${t("core.colon")}${Frame.chosen(reason)}` : "";
    return missing || (Frame.chosen(output.notes?.[metric] ?? []) ?? "");
  }

  function folded(title, children) {
    if (!children.length) return null;
    return element("details", {}, element("summary", {}, `${t(title)} (${children.length})`), bulleted(children));
  }

  function spent(output) {
    const words = [];
    if (output.seconds !== undefined) words.push(duration(Number(output.seconds)));
    if (output.tokens !== undefined) words.push(`${Number(output.tokens).toLocaleString("en")} ${t("report.tokens")}`);
    return words.length ? element("p", { class: "muted small digits" }, words.join(" · ")) : null;
  }

  // three figures, below a second in milliseconds
  function duration(seconds) {
    return seconds >= 1 ? `${Number(seconds.toPrecision(3))} s` : `${Number((1000 * seconds).toPrecision(3))} ms`;
  }

  return { make };
})();
