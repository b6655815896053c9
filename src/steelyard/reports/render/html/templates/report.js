"use strict";
// The page of a report: the list of items, what is asked of it, and the item that is open.
const Page = (data) => {
  const state = { choice: null, columns: null, list: null };
  const TYPED = ["query", "low", "high", "sort"];
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

  function refresh() {
    state.columns = Filters.columns(data, state.choice);
    const rows = Filters.matching(data, state.choice, state.columns, texts);
    List.show(state.list, rows, state.choice.sort);
    const [shown, all] = [rows.length.toLocaleString("en"), data.ids.length.toLocaleString("en")];
    document.getElementById("shown").textContent = `${shown} / ${Frame.filled("report.n_items", { n: all })}`;
  }

  // a control was used: the list and the address follow
  function changed(key) {
    state.choice = filters.choice;
    Filters.show(data, filters);
    refresh();
    Address.put(Address.written(data, state.choice), { key: TYPED.includes(key) ? key : null });
  }

  // whether the list shows a choice already, so that ten thousand items need not be sorted again
  function isShown(choice) {
    return state.columns !== null && Address.written(data, choice) === Address.written(data, state.choice);
  }

  function choose(choice) {
    filters.choice = choice;
    state.choice = choice;
    Filters.show(data, filters);
    refresh();
  }

  function sort(key) {
    const { sort: now } = state.choice;
    state.choice.sort = { by: key, down: now.by === key && !now.down };
    changed("sort");
  }

  function go(item) {
    location.hash = Address.written(data, state.choice, data.ids[item]);
  }

  function isItem(id) {
    return numbers.has(id);
  }

  // show what the address says; one of an item alone keeps the filters, and gets them
  function follow() {
    const { id, choice, ours } = Address.read(data, location.hash, isItem);
    if (!ours) return dialog.close();
    if (choice && !isShown(choice)) choose(choice);
    const item = numbers.get(id);
    if (item === undefined) return dialog.close();
    Address.put(Address.written(data, state.choice, id), { replaced: true });
    dialog.show(item);
  }

  const dialog = Item.make(document.getElementById("item"), data, {
    other: () => state.choice.other,
    metric: () => state.choice.metric,
    review: data.reviewing ? Reviewing.make(data, () => dialog.redraw()) : null,
    neighbours: (item) => {
      const place = state.list.rows.indexOf(item);
      const at = (step) => (place < 0 ? undefined : state.list.rows[place + step]);
      return { place, count: state.list.rows.length, previous: at(-1), next: at(1) };
    },
    go,
    closed: (item) => {
      Address.put(Address.written(data, state.choice), { replaced: true });
      List.reveal(state.list, item);
      state.list.grid.focus({ preventScroll: true });
    },
  });

  function chooseGroup(event) {
    for (const each of document.querySelectorAll("[data-group]")) each.hidden = each.dataset.group !== event.target.value;
  }

  const filters = Filters.make(document.getElementById("filters"), data, changed);
  const place = document.getElementById("list");
  state.choice = filters.choice;
  state.list = List.make(place, Rows.columns(data, state), { open: go, sort });
  place.classList.toggle("tall", Rows.isTall(data));
  place.classList.toggle("compared", data.results.length > 1);
  document.getElementById("group-choice")?.addEventListener("change", chooseGroup);
  if (!Address.read(data, location.hash, isItem).choice) refresh();
  follow();
  if (window.requestIdleCallback) requestIdleCallback((deadline) => prepare(0, deadline)); // Safari has none
  const redraw = () => {
    refresh();
    dialog.redraw();
  };
  return { follow, redraw, isBusy: dialog.isOpen };
};

Frame.data().then((data) => {
  let page = Page(data);
  window.addEventListener("hashchange", () => page.follow());
  Frame.onLanguage(() => page.redraw());
  if (location.hash.startsWith("#list")) document.getElementById("section-items").scrollIntoView();
  document.documentElement.dataset.ready = "true";
  const start = (next) => { page = Page(next); };
  if (data.live) Live.follow(data, start, () => page.isBusy());
});
