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
  const CHOICES = { state: Object.keys(STATES), uncertain: Object.keys(DOUBTS), change: Object.keys(CHANGES) };
  const SORTS = ["id", "score", "before", "change"];

  // the controls; `changed` is called with the name of what was changed; `show` sets them to what the choice says
  function make(place, data, changed) {
    const filters = { choice: start(data), controls: [] };
    const update = (key, value) => {
      filters.choice[key] = value;
      changed(key);
    };
    const add = (made) => made && filters.controls.push(made);
    if (data.results.length > 2) add(versus(data, update));
    if (data.metrics.length > 1) add(metric(data, update));
    add(search(update));
    for (const made of tags(data, filters, changed)) add(made);
    if (isRanged(data)) for (const made of range(update)) add(made);
    add(state(data, update));
    if (hasUncertain(data)) add(chosen("report.uncertain_items", "uncertain", DOUBTS, update));
    if (hasChanges(data)) add(chosen("report.changed_since", "change", CHANGES, update));
    filters.clear = element("button", { type: "button", class: "clear", onclick: () => clear(data, filters, changed) }, word("report.clear_filters"));
    place.replaceChildren(...filters.controls.map((made) => made.node), filters.clear);
    show(data, filters);
    return filters;
  }

  function start(data) {
    const sort = { by: data.results.length > 1 ? "change" : "score", down: false };
    const given = { state: "", uncertain: "", change: "", metric: data.main, other: data.chosen };
    return { query: "", tags: Object.create(null), low: null, high: null, ...given, sort };
  }

  function show(data, filters) {
    for (const made of filters.controls) made.show(filters.choice);
    filters.clear.hidden = !isFiltered(filters.choice);
  }

  // whether the choice leaves items out
  function isFiltered(choice) {
    const given = [choice.query, choice.state, choice.uncertain, choice.change].some(Boolean);
    return given || choice.low !== null || choice.high !== null || Object.values(choice.tags).some((code) => code !== null);
  }

  // which result, metric and order are shown stays as it is
  function clear(data, filters, changed) {
    const { metric: shown, other, sort } = filters.choice;
    filters.choice = { ...start(data), metric: shown, other, sort };
    show(data, filters);
    changed("clear");
    document.getElementById("search").focus();
  }

  // a control with its label; `show` sets it to what a choice says
  function control(title, made, shown, name = "") {
    const node = element("label", { class: `control ${name}` }, word(title), made);
    return { node, show: (choice) => (made.value = shown(choice) ?? "") };
  }

  function select(options, onchange) {
    return element("select", { onchange: (event) => onchange(event.target.value) }, options);
  }

  // a choice between values by code, after the one that chooses all
  function chosen(title, key, codes, update) {
    const given = [option("", ALL), ...Object.entries(codes).map(([value, code]) => option(value, code))];
    return control(title, select(given, (value) => update(key, value)), (choice) => choice[key]);
  }

  function option(value, text, isCode = true) {
    return element("option", { value, ...(isCode ? translated(text) : {}) }, isCode ? t(text) : text);
  }

  function versus(data, update) {
    const given = data.results.slice(1).map((each, place) => option(String(place + 1), each.name, false));
    const made = select(given, (value) => update("other", Number(value)));
    return control("report.against_first", made, (choice) => String(choice.other));
  }

  function metric(data, update) {
    const given = data.metrics.map((each) => named("metric_names", each, each));
    return control("report.metric", select(given, (value) => update("metric", value)), (choice) => choice.metric);
  }

  // an option whose text is a name of the catalogue, or a name that is not ours
  function named(section, name, value) {
    const code = Frame.codeOf(section, name);
    return option(value, code, code !== name);
  }

  function search(update) {
    const made = element("input", { type: "search", autocomplete: "off", spellcheck: "false", id: "search" });
    made.addEventListener("input", () => update("query", made.value));
    const shown = control("report.search", made, (choice) => choice.query, "grow");
    return { node: shown.node, show: (choice) => made.value !== choice.query && shown.show(choice) };
  }

  function tags(data, filters, changed) {
    return usableTags(data).map(([name, tag]) => {
      const given = tag.values.map((value, code) => named(`${name}_values`, value, String(code)));
      const made = select([option("", ALL), ...given], (value) => {
        filters.choice.tags[name] = value === "" ? null : Number(value);
        changed(`tag ${name}`);
      });
      const shown = (choice) => String(choice.tags[name] ?? "");
      return control(tagName(name), made, shown);
    });
  }

  // the tags whose values tell items apart, and are few enough to choose from
  function usableTags(data) {
    return Object.entries(data.tags).filter(([, tag]) => tag.values.length > 1 && tag.values.length <= MOST_VALUES);
  }

  // what the page calls a tag, and a value of it: most have their own names
  function tagName(name) {
    return Frame.codeOf("tag_names", name);
  }

  function valueName(tag, value) {
    return Frame.nameOf(`${tag}_values`, value);
  }

  // whether any metric has different scores
  function isRanged(data) {
    const differs = (column) => column.some((score) => score !== null && score !== column.find((each) => each !== null));
    return data.results.some((result) => Object.values(result.scores).some(differs));
  }

  function range(update) {
    const bound = (key, title) => {
      const made = element("input", { type: "number", step: "any", class: "short" });
      made.addEventListener("input", () => update(key, made.value === "" ? null : Number(made.value)));
      const shown = control(title, made, (choice) => choice[key]);
      const isShown = (choice) => (made.value === "" ? null : Number(made.value)) === choice[key];
      return { node: shown.node, show: (choice) => isShown(choice) || shown.show(choice) };
    };
    return [bound("low", "report.score_from"), bound("high", "report.score_to")];
  }

  // only the states that there are; nothing to choose where all items are in one
  function state(data, update) {
    const found = new Set();
    for (const result of data.results) {
      for (const [name, column] of Object.entries(result.scores)) {
        column.forEach((score, item) => found.add(stateOf(result.said[item], name, score)));
      }
    }
    const there = Object.entries(STATES).filter(([name]) => found.has(name));
    return there.length > 1 ? chosen("report.state", "state", Object.fromEntries(there), update) : null;
  }

  // whether any verdict of any result is uncertain
  function hasUncertain(data) {
    return data.results.some((result) => uncertainOf(result)?.includes(1));
  }

  // which verdicts of a result are uncertain, where one of its metrics says so
  function uncertainOf(result) {
    return Object.values(result.parts).find((parts) => parts.uncertain)?.uncertain;
  }

  // whether any score is another one than in the first result
  function hasChanges(data) {
    const [first, ...others] = data.results;
    return others.some((result) =>
      Object.entries(result.scores).some(([name, column]) => column.some((score, item) => score !== (first.scores[name]?.[item] ?? null))),
    );
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
    return !choice.state || stateOf(data.results[choice.other].said[item], choice.metric, score) === choice.state;
  }

  function stateOf(output, metric, score) {
    if (hasFailed(output, metric)) return "errors";
    return score === null ? "unscored" : "scored";
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

  return { make, show, start, usableTags, columns, difference, hasFailed, hasUncertain, matching, valueName, CHOICES, SORTS };
})();
