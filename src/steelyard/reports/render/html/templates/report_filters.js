"use strict";
// Which items are listed, and in which order.
const Filters = (() => {
  const { element, t, translated, word } = Frame;
  const MOST_VALUES = 200;
  const SAME = 1e-9;
  const ALL = "report.all";
  const STATES = { scored: "report.scored", unscored: "report.unscored", errors: "report.errors" };
  const DOUBTS = { only: "report.only_these", without: "report.without_these" };
  const CHANGES = { changed: "report.changed", better: "report.better", worse: "report.worse" };

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
      ...(hasUncertain(data) ? [uncertain(update)] : []),
      ...(data.results.length > 1 ? [change(update)] : []),
    );
    return choice;
  }

  function start(data) {
    const sort = { by: data.results.length > 1 ? "change" : "score", down: false };
    const chosen = { state: "", uncertain: "", change: "", metric: data.main, other: last(data) };
    return { query: "", tags: {}, low: null, high: null, ...chosen, sort };
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

  // the options of a choice by code, after the one that chooses all
  function options(codes) {
    return [option("", ALL), ...Object.entries(codes).map(([value, code]) => option(value, code))];
  }

  function option(value, text, isCode = true) {
    return element("option", { value, ...(isCode ? translated(text) : {}) }, isCode ? t(text) : text);
  }

  function versus(data, update) {
    const given = data.results.slice(1).map((each, place) => option(String(place + 1), each.name, false));
    return control("report.against_first", select(given, String(last(data)), (value) => update("other", Number(value))));
  }

  function metric(data, choice, update) {
    const given = data.metrics.map((each) => option(each, Frame.codeOf("metric_names", each)));
    return control("report.metric", select(given, choice.metric, (value) => update("metric", value)));
  }

  function search(update) {
    const made = element("input", { type: "search", autocomplete: "off", spellcheck: "false", id: "search" });
    made.addEventListener("input", () => update("query", made.value));
    return control("report.search", made, "grow");
  }

  function tags(data, choice, changed) {
    const usable = Object.entries(data.tags).filter(([, tag]) => tag.values.length > 1 && tag.values.length <= MOST_VALUES);
    return usable.map(([name, tag]) => {
      const given = tag.values.map((value, number) => {
        const code = Frame.codeOf(`${name}_values`, value);
        return option(String(number), code, code !== value);
      });
      const made = select([option("", ALL), ...given], "", (value) => {
        choice.tags[name] = value === "" ? null : Number(value);
        changed();
      });
      return element("label", { class: "control" }, element("span", { ...translated(tagName(name)), class: "one-line" }, t(tagName(name))), made);
    });
  }

  // what the page calls a tag: most have their own names
  function tagName(name) {
    return Frame.codeOf("tag_names", name);
  }

  function range(update) {
    const bound = (key, title) => {
      const made = element("input", { type: "number", step: "any", class: "short" });
      made.addEventListener("input", () => update(key, made.value === "" ? null : Number(made.value)));
      return control(title, made);
    };
    return element("div", { class: "pair" }, bound("low", "report.score_from"), bound("high", "report.score_to"));
  }

  function state(data, update) {
    return control("report.state", select(options(STATES), "", (value) => update("state", value)));
  }

  // whether any verdict of any result is uncertain
  function hasUncertain(data) {
    return data.results.some((result) => uncertainOf(result)?.includes(1));
  }

  // which verdicts of a result are uncertain, where one of its metrics says so
  function uncertainOf(result) {
    return Object.values(result.parts).find((parts) => parts.uncertain)?.uncertain;
  }

  function uncertain(update) {
    return control("report.uncertain_items", select(options(DOUBTS), "", (value) => update("uncertain", value)));
  }

  function change(update) {
    return control("report.changed_since", select(options(CHANGES), "", (value) => update("change", value)));
  }

  // what is shown of the two results under the choice: scores now, scores before, and which verdicts are uncertain now
  function columns(data, choice) {
    const empty = data.ids.map(() => null);
    const now = data.results[choice.other].scores[choice.metric] ?? empty;
    const before = choice.other ? (data.results[0].scores[choice.metric] ?? empty) : null;
    const uncertain = uncertainOf(data.results[choice.other]) ?? empty;
    return { now, before, uncertain };
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
      (!choice.uncertain || (columns.uncertain[item] === 1) === (choice.uncertain === "only")) &&
      hasChanged(data, choice, difference(columns, item)) &&
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

  // whether the system failed on an item, or scoring its output did
  function hasFailed(output, metric) {
    return Boolean(output?.failure) || output?.gaps?.[metric]?.[0] === "error";
  }

  function hasChanged(data, { change: wanted, metric: name }, found) {
    if (!wanted) return true;
    if (found === null) return false;
    return wanted === "changed" ? found !== 0 : Texts.tone(data, name, found) === (wanted === "better" ? "good" : "bad");
  }

  // items without the number that is sorted by come last, whichever way it goes; ties stay in the order of the file
  function sorted(items, data, { sort }, columns) {
    const keys = {
      id: (item) => data.ids[item],
      score: (item) => columns.now[item],
      uncertain: (item) => columns.uncertain[item],
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

  return { make, columns, difference, hasFailed, hasUncertain, matching, tagName };
})();
