"use strict";
// Which items are listed, and in which order.
const Filters = (() => {
  const { element, spoken, t, word } = Frame;
  const MOST_VALUES = 200;
  const SAME = 1e-9;

  // the controls; `changed` is called whenever one of them is
  function make(place, data, changed) {
    const choice = start(data);
    const update = (key, value) => {
      choice[key] = value;
      changed();
    };
    place.replaceChildren(
      ...(data.results.length > 2 ? [versus(data, update)] : []),
      ...(data.metrics.length > 1 ? [metric(data, choice, update)] : []),
      search(update),
      ...tags(data, choice, changed),
      range(update),
      state(data, update),
      ...(data.results.length > 1 ? [change(update)] : []),
    );
    return choice;
  }

  function start(data) {
    const sort = { by: data.results.length > 1 ? "change" : "score", down: false };
    return { query: "", tags: {}, low: null, high: null, state: "", change: "", metric: data.main, other: last(data), sort };
  }

  // the result whose scores are listed: the newest; with two or more it is set against the first
  function last(data) {
    return data.results.length - 1;
  }

  function control(title, made, name = "") {
    return element("label", { class: `control ${name}` }, word(title), made);
  }

  function select(options, chosen, onchange) {
    const made = element("select", { onchange: (event) => onchange(event.target.value) }, options);
    made.value = chosen;
    return made;
  }

  function option(value, text, translated = true) {
    return element("option", { value, ...(translated ? spoken(text) : {}) }, translated ? t(text) : text);
  }

  function versus(data, update) {
    const options = data.results.slice(1).map((each, place) => option(String(place + 1), each.name, false));
    return control("set against the first", select(options, String(last(data)), (value) => update("other", Number(value))));
  }

  function metric(data, choice, update) {
    const options = data.metrics.map((each) => option(each, each, false));
    return control("metric", select(options, choice.metric, (value) => update("metric", value)));
  }

  function search(update) {
    const made = element("input", { type: "search", autocomplete: "off", spellcheck: "false", id: "search" });
    made.addEventListener("input", () => update("query", made.value));
    return control("search", made, "grow");
  }

  function tags(data, choice, changed) {
    const usable = Object.entries(data.tags).filter(([, tag]) => tag.values.length > 1 && tag.values.length <= MOST_VALUES);
    return usable.map(([name, tag]) => {
      const options = tag.values.map((value, code) => option(String(code), value, false));
      const made = select([option("", "all"), ...options], "", (value) => {
        choice.tags[name] = value === "" ? null : Number(value);
        changed();
      });
      return element("label", { class: "control" }, element("span", { ...spoken(name), class: "one-line" }, t(name)), made);
    });
  }

  function range(update) {
    const bound = (key, title) => {
      const made = element("input", { type: "number", step: "any", class: "short" });
      made.addEventListener("input", () => update(key, made.value === "" ? null : Number(made.value)));
      return control(title, made);
    };
    return element("div", { class: "pair" }, bound("low", "score from"), bound("high", "score to"));
  }

  function state(data, update) {
    const options = ["", "scored", "unscored", "errors"].map((each) => option(each, each || "all"));
    return control("state", select(options, "", (value) => update("state", value)));
  }

  function change(update) {
    const options = ["", "changed", "better", "worse"].map((each) => option(each, each || "all"));
    return control("changed since", select(options, "", (value) => update("change", value)));
  }

  // what is shown of the two results under the choice: scores now, scores before
  function columns(data, choice) {
    const empty = data.ids.map(() => null);
    const now = data.results[choice.other].scores[choice.metric] ?? empty;
    const before = choice.other ? (data.results[0].scores[choice.metric] ?? empty) : null;
    return { now, before };
  }

  function difference(columns, item) {
    const [now, before] = [columns.now[item], columns.before?.[item] ?? null];
    if (now === null || before === null) return null;
    return Math.abs(now - before) < SAME ? 0 : now - before;
  }

  // the items that pass every filter, in order
  function matching(data, choice, columns, texts) {
    const query = choice.query.trim().toLowerCase();
    const wanted = Object.entries(choice.tags).filter(([, code]) => code !== null);
    const passes = (item) =>
      wanted.every(([tag, code]) => data.tags[tag].codes[item] === code) &&
      inRange(columns.now[item], choice) &&
      inState(data, choice, item, columns.now[item]) &&
      hasChanged(difference(columns, item), choice.change) &&
      (!query || texts(item).includes(query));
    return sorted([...data.ids.keys()].filter(passes), data, choice, columns);
  }

  function inRange(score, { low, high }) {
    if (low === null && high === null) return true;
    return score !== null && (low === null || score >= low - SAME) && (high === null || score <= high + SAME);
  }

  function inState(data, choice, item, score) {
    if (!choice.state) return true;
    const failed = hasFailed(data.results[choice.other].said[item], choice.metric);
    if (choice.state === "errors") return failed;
    return choice.state === "scored" ? score !== null && !failed : score === null && !failed;
  }

  // whether the system failed on what was said of an item, or scoring it did
  function hasFailed(said, metric) {
    return Boolean(said?.failure) || said?.gaps?.[metric]?.[0] === "error";
  }

  function hasChanged(found, wanted) {
    if (!wanted) return true;
    if (found === null) return false;
    return wanted === "changed" ? found !== 0 : wanted === "better" ? found > 0 : found < 0;
  }

  // items without the number that is sorted by come last, whichever way it goes; ties stay in the order of the file
  function sorted(items, data, { sort }, columns) {
    const keys = {
      id: (item) => data.ids[item],
      score: (item) => columns.now[item],
      before: (item) => columns.before?.[item] ?? null,
      change: (item) => difference(columns, item),
    };
    const key = items.map(keys[sort.by]);
    const order = [...items.keys()].sort((a, b) => compared(key[a], key[b], sort.down) || a - b);
    return order.map((place) => items[place]);
  }

  const byId = new Intl.Collator("en", { numeric: true });

  function compared(a, b, down) {
    if (a === null || b === null) return (a === null) - (b === null);
    const found = typeof a === "string" ? byId.compare(a, b) : a - b;
    return down ? -found : found;
  }

  return { make, columns, difference, hasFailed, matching };
})();
