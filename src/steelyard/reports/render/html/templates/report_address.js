"use strict";
// The address of a view: the item that is open and the filters of the list, so that it can be sent to somebody.
//   #list?q=words&type=fact_exact&from=0.5&sort=-score        #item/ID?type=fact_exact
const Address = (() => {
  const NUMBERS = { from: "low", to: "high" };
  const ITEM = "item/";
  const LIST = "list";
  const OWN = ["q", "result", "metric", "sort", ...Object.keys(NUMBERS), ...Object.keys(Filters.CHOICES)];

  // the part after #; "" where nothing is chosen and no item is open
  function written(data, choice, id = null) {
    const found = String(parameters(data, choice));
    const page = id === null ? LIST : ITEM + encodeURIComponent(id);
    if (!found) return id === null ? "" : `#${page}`;
    return `#${page}?${found}`;
  }

  function parameters(data, choice) {
    const [given, usual] = [new URLSearchParams(), Filters.start(data)];
    const put = (name, value, otherwise) => value !== otherwise && given.set(name, value);
    put("q", choice.query, "");
    for (const [tag, { values }] of Object.entries(data.tags)) put(nameOf(tag), values[choice.tags[tag]] ?? "", "");
    for (const [name, key] of Object.entries(NUMBERS)) put(name, choice[key], null);
    for (const name of Object.keys(Filters.CHOICES)) put(name, choice[name], "");
    put("metric", choice.metric, usual.metric);
    put("result", data.results[choice.other].name, data.results[usual.other].name);
    put("sort", sortText(choice.sort), sortText(usual.sort));
    return given;
  }

  // a tag that is called like a filter of the page has a prefix
  function nameOf(tag) {
    return OWN.includes(tag) || tag.startsWith("tag.") ? `tag.${tag}` : tag;
  }

  function sortText({ by, down }) {
    return `${down ? "-" : ""}${by}`;
  }

  // the item and the choice of an address; `choice` is null where the address says nothing of it, and `ours` is false
  // for addresses of other parts of the page; the id of an item alone is an address too
  function read(data, hash, isItem) {
    const [page, query] = split(hash.replace(/^#/, ""));
    const isList = page === "" || page === LIST;
    const alone = isList || page.startsWith(ITEM) ? null : decoded(page);
    const id = page.startsWith(ITEM) ? decoded(page.slice(ITEM.length)) : isItem(alone) ? alone : null;
    const choice = query !== null || isList ? chosen(data, new URLSearchParams(query ?? "")) : null;
    return { id, choice, ours: id !== null || isList };
  }

  function split(text) {
    const place = text.indexOf("?");
    return place < 0 ? [text, null] : [text.slice(0, place), text.slice(place + 1)];
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return null; // not an address of ours
    }
  }

  // what cannot be chosen on this page is left out
  function chosen(data, given) {
    const choice = Filters.start(data);
    choice.query = given.get("q") ?? "";
    for (const [tag, { values }] of Filters.usableTags(data)) choice.tags[tag] = place(values, given.get(nameOf(tag)));
    for (const [name, key] of Object.entries(NUMBERS)) choice[key] = number(given.get(name));
    for (const [name, values] of Object.entries(Filters.CHOICES)) if (values.includes(given.get(name))) choice[name] = given.get(name);
    if (data.metrics.includes(given.get("metric"))) choice.metric = given.get("metric");
    choice.other = place(data.results.slice(1).map((each) => each.name), given.get("result"), -1) + 1 || choice.other;
    choice.sort = sorted(given.get("sort")) ?? choice.sort;
    return choice;
  }

  function place(values, value, none = null) {
    const found = value === null ? -1 : values.indexOf(value);
    return found < 0 ? none : found;
  }

  function number(text) {
    return text === null || text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);
  }

  function sorted(text) {
    const by = text?.replace(/^-/, "");
    return Filters.SORTS.includes(by) ? { by, down: text.startsWith("-") } : null;
  }

  // put an address into the browser without moving the page; what is typed in one go is one step of "back"
  function put(hash, { key = null, replaced = false } = {}) {
    const address = location.href.split("#")[0] + hash;
    const again = key !== null && history.state?.key === key;
    try {
      if (replaced || again) history.replaceState({ key }, "", address);
      else history.pushState({ key }, "", address);
    } catch {
      // a frame without an address of its own, or a browser that finds it too often
    }
  }

  return { read, written, put };
})();
