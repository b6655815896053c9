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
  };

  // the text as nodes; `marks` are [start, end, class], and where several lie over one another all classes are set
  function marked(text, marks) {
    const edges = new Set([0, text.length]);
    for (const [start, end] of marks) edges.add(Math.min(start, text.length)).add(Math.min(end, text.length));
    const cuts = [...edges].sort((a, b) => a - b);
    const nodes = [];
    for (let place = 0; place + 1 < cuts.length; place += 1) {
      const [start, end] = [cuts[place], cuts[place + 1]];
      const classes = marks.filter((mark) => mark[0] <= start && end <= mark[1]).map((mark) => mark[2]);
      const piece = text.slice(start, end);
      nodes.push(classes.length ? mark(piece, classes) : document.createTextNode(piece));
    }
    return nodes;
  }

  function meaning(name) {
    return t(MARKS[name]);
  }

  // what a colour means is also a tooltip
  function mark(piece, classes) {
    const names = [...new Set(classes)];
    return element("mark", { class: names.join(" "), title: names.map(meaning).join(", ") }, piece);
  }

  // a box with the text; a long one is cut, and says how to see the rest
  function box(text, marks = [], attributes = {}) {
    const made = element("div", { ...attributes, class: `said ${attributes.class ?? ""}` });
    if (text.length <= LONG * 1.2) {
      made.append(...marked(text, marks));
      return made;
    }
    const shown = marks.filter((each) => each[0] < LONG);
    const button = element("button", { type: "button", class: "more" }, `${t("report.show_all")} (${text.length.toLocaleString()})`);
    button.addEventListener("click", () => made.replaceChildren(...marked(text, marks)));
    made.append(...marked(text.slice(0, LONG), shown), "… ", button);
    return made;
  }

  function signed(value, digits = 3) {
    if (value === null) return "–";
    return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits)}`;
  }

  // whether a change of a metric is good or bad; of some metrics less is better
  function tone(data, metric, change) {
    if (!change) return "";
    return change > 0 !== data.falling.includes(metric) ? "good" : "bad";
  }

  function page(number) {
    return t("report.page").replace("{number}", number);
  }

  return { marked, box, meaning, page, number, signed, tone };
})();
