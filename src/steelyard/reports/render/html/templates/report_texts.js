"use strict";
// Words of others on the page: marked, shortened, never markup.
const Texts = (() => {
  const { element, number, t } = Frame;
  const LONG = 1500;
  const MARKS = {
    expected: "report.passage_to_cite",
    cited: "report.cited",
    shown: "report.shown",
    invented: "report.invented",
    quote: "report.in_citation",
    added: "report.added",
    removed: "report.removed",
    grounded: "report.grounded",
    ungrounded: "report.ungrounded",
    asked: "report.in_question",
    holds: "report.holds",
    cites: "report.cites",
    void: "report.cites_nothing",
  };

  // the text as nodes; `marks` are [start, end, class], and where several lie over one another all classes are set;
  // a citation of a context has its place too, and `go` is called with it
  function marked(text, marks, go = null) {
    const edges = new Set([0, text.length]);
    for (const [start, end] of marks) edges.add(Math.min(start, text.length)).add(Math.min(end, text.length));
    const cuts = [...edges].sort((a, b) => a - b);
    const nodes = [];
    for (let place = 0; place + 1 < cuts.length; place += 1) {
      const [start, end] = [cuts[place], cuts[place + 1]];
      const over = marks.filter((mark) => mark[0] <= start && end <= mark[1]);
      const cited = go ? over.find((mark) => mark[2] === "cites") : undefined;
      const classes = over.map((mark) => mark[2]).filter((name) => name !== "cites");
      const piece = text.slice(start, end);
      const node = cited ? citation(piece, () => go(cited[3])) : document.createTextNode(piece);
      nodes.push(classes.length ? mark(node, classes) : node);
    }
    return nodes;
  }

  function citation(piece, onclick) {
    return element("button", { type: "button", class: "link cites said", title: meaning("cites"), onclick }, piece);
  }

  // what the marks of a text mean
  function legend(names) {
    const words = names.map((name) => [element("mark", { class: name }, meaning(name)), " "]);
    return element("p", { class: "legend small" }, words);
  }

  function meaning(name) {
    return t(MARKS[name]);
  }

  // what a colour means is also a tooltip
  function mark(node, classes) {
    const names = [...new Set(classes)];
    return element("mark", { class: names.join(" "), title: names.map(meaning).join(t("core.comma")) }, node);
  }

  // a box with the text; a long one is cut, and says how to see the rest
  function box(text, marks = [], attributes = {}, go = null) {
    const made = element("div", { ...attributes, class: `said ${attributes.class ?? ""}` });
    if (text.length <= LONG * 1.2) {
      made.append(...marked(text, marks, go));
      return made;
    }
    const shown = marks.filter((each) => each[0] < LONG);
    const button = element("button", { type: "button", class: "more" }, `${t("report.show_all")} (${text.length.toLocaleString()})`);
    button.addEventListener("click", () => made.replaceChildren(...marked(text, marks, go)));
    made.append(...marked(text.slice(0, LONG), shown, go), "… ", button);
    return made;
  }

  // whether the id of an item is its question: the whole of it, or its beginning with a hash
  function isQuestion(data, item) {
    const line = String(data.questions[item] || "").replace(/\s+/g, " ").trim();
    const [begin, hash] = data.ids[item].split("… ");
    return data.ids[item] === line || (hash !== undefined && line.startsWith(begin));
  }

  function signed(value, digits = 3) {
    if (value === null) return "–";
    const shown = Math.abs(value).toFixed(digits);
    return Number(shown) === 0 ? shown : `${value > 0 ? "+" : "−"}${shown}`;
  }

  // whether a change of a metric is good or bad; of some metrics less is better
  function tone(data, metric, change) {
    if (!change) return "";
    return change > 0 !== data.falling.includes(metric) ? "good" : "bad";
  }

  function page(number) {
    return t("report.page").replace("{number}", number);
  }

  return { marked, box, legend, meaning, page, number, signed, tone, isQuestion };
})();
