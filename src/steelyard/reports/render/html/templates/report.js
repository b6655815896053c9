"use strict";
// The page of a report: the list of items, what is asked of it, and the item that is open.
(async () => {
  const { element, t } = Frame;
  const data = await Frame.data();
  const state = { choice: null, columns: null, list: null };
  const numbers = new Map(data.ids.map((id, item) => [id, item]));
  const haystacks = new Map();

  // what the search box looks through, made when it is first needed
  function texts(item) {
    if (!haystacks.has(item)) haystacks.set(item, haystack(item).toLowerCase());
    return haystacks.get(item);
  }

  // while nobody waits, so that the first search is as quick as the second
  function prepare(item, deadline) {
    let next = item;
    while (next < data.ids.length && deadline.timeRemaining() > 1) texts(next++);
    if (next < data.ids.length) requestIdleCallback((later) => prepare(next, later));
  }

  function haystack(item) {
    const tags = Object.values(data.tags).map((tag) => tag.values[tag.codes[item]] ?? "");
    const answers = data.results.map((each) => each.said[item]?.answer ?? "");
    return [data.ids[item], data.questions[item], ...tags, ...answers].join("\n");
  }

  function cells() {
    const compared = data.results.length > 1;
    const hasQuestions = data.questions.some(Boolean);
    const first = Object.keys(data.tags)[0];
    const score = (item) => scoreCell(state.columns.now[item], item);
    const doubted = showsUncertain();
    return [
      { key: "id", title: "report.id", sortable: true, cell: (item) => bare(data.ids[item]) },
      ...(first ? [{ key: "tag", title: Filters.tagName(first), cell: (item) => bare(tagOf(first, item)) }] : []),
      ...(hasQuestions ? [{ key: "question", title: "report.question", cell: (item) => bare(data.questions[item]) }] : []),
      ...(doubted ? [{ key: "uncertain", title: "report.uncertain_items", sortable: true, cell: uncertainCell }] : []),
      ...(compared ? [{ key: "before", title: "report.before", sortable: true, cell: (item) => beforeCell(item) }] : []),
      { key: "score", title: compared ? "report.after" : "report.score", sortable: true, cell: score },
      ...(compared ? [{ key: "change", title: "report.change", sortable: true, cell: changeCell }] : []),
    ];
  }

  // beside tags and questions there is room for a column
  function showsUncertain() {
    return Filters.hasUncertain(data) && Object.keys(data.tags).length > 0 && data.questions.some(Boolean);
  }

  function uncertainCell(item) {
    const name = Frame.nameOf("part_names", "uncertain");
    return state.columns.uncertain[item] === 1 ? element("span", { class: "chip warn" }, name) : null;
  }

  function tagOf(tag, item) {
    return Frame.nameOf(`${tag}_values`, data.tags[tag].values[data.tags[tag].codes[item]] ?? "");
  }

  // one line of a text; what follows the first few hundred characters is not in sight anyway
  function bare(text) {
    return element("span", { class: "one-line" }, String(text).slice(0, 300));
  }

  function scoreCell(score, item) {
    const output = data.results[state.choice.other].said[item];
    if (Filters.hasFailed(output, state.choice.metric)) return element("span", { class: "chip bad" }, t("report.failed"));
    if (score === null) return element("span", { class: "chip warn" }, t(output ? "report.unscored" : "report.missing"));
    return [meter(score), element("span", { class: "digits" }, Texts.number(score, 3))];
  }

  const SVG = "http://www.w3.org/2000/svg";

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

  function beforeCell(item) {
    return element("span", { class: "digits muted" }, Texts.number(state.columns.before?.[item] ?? null, 3));
  }

  function changeCell(item) {
    const found = Filters.difference(state.columns, item);
    const tone = Texts.tone(data, state.choice.metric, found) || "muted";
    return element("span", { class: `digits ${tone}` }, Texts.signed(found));
  }

  function refresh() {
    state.columns = Filters.columns(data, state.choice);
    const rows = Filters.matching(data, state.choice, state.columns, texts);
    List.show(state.list, rows, state.choice.sort);
    const [shown, all] = [rows.length.toLocaleString("en"), data.ids.length.toLocaleString("en")];
    document.getElementById("shown").textContent = `${shown} / ${all} ${t("report.items")}`;
  }

  function sort(key) {
    const { sort: now } = state.choice;
    state.choice.sort = { by: key, down: now.by === key ? !now.down : key === "uncertain" };
    refresh();
  }

  function address(item) {
    return `#item/${encodeURIComponent(data.ids[item])}`;
  }

  // the address says which item is open, so that it can be sent to somebody
  function follow() {
    const item = numbers.get(named(location.hash));
    if (item === undefined) dialog.close();
    else dialog.show(item);
  }

  function named(hash) {
    try {
      return decodeURIComponent(hash.slice(1)).replace(/^item\//, "");
    } catch {
      return null; // not an address of ours
    }
  }

  const dialog = Item.make(document.getElementById("item"), data, {
    other: () => state.choice.other,
    metric: () => state.choice.metric,
    neighbours: (item) => {
      const place = state.list.rows.indexOf(item);
      const at = (step) => (place < 0 ? undefined : state.list.rows[place + step]);
      return { place, count: state.list.rows.length, previous: at(-1), next: at(1) };
    },
    go: (item) => (location.hash = address(item)),
    closed: (item) => {
      history.replaceState(null, "", location.href.split("#")[0]);
      List.reveal(state.list, item);
      state.list.grid.focus({ preventScroll: true });
    },
  });

  function chooseGroup(event) {
    for (const each of document.querySelectorAll("[data-group]")) each.hidden = each.dataset.group !== event.target.value;
  }

  state.choice = Filters.make(document.getElementById("filters"), data, refresh);
  const place = document.getElementById("list");
  const go = (item) => (location.hash = address(item));
  state.list = List.make(place, cells(), { open: go, sort });
  place.classList.toggle("compared", data.results.length > 1);
  place.classList.toggle("doubted", showsUncertain());
  place.classList.toggle("untagged", Object.keys(data.tags).length === 0);
  place.classList.toggle("unasked", !data.questions.some(Boolean));
  document.getElementById("group-choice")?.addEventListener("change", chooseGroup);
  refresh();
  window.addEventListener("hashchange", follow);
  Frame.onLanguage(() => {
    refresh();
    dialog.redraw();
  });
  follow();
  document.documentElement.dataset.ready = "true";
  if (window.requestIdleCallback) requestIdleCallback((deadline) => prepare(0, deadline)); // Safari has none
})();
