"use strict";
// The viewer: times in the reader's zone and language on every page; the list with its search, sorting and choice of two.
const MOST = 500;
const COLUMNS = [
  { key: "name", words: "report.result", cell: nameCell },
  { key: "kind", words: "view.kind", wide: true, cell: (row) => span(Frame.nameOf("kind_names", row.kind)) },
  { key: "time", words: "view.time", wide: true, cell: (row) => Frame.element("time", {}, shownTime(row.time)) },
  { key: "items", words: "report.items", wide: true, number: true, cell: (row) => String(row.items) },
  { key: "mean", words: "report.mean", number: true, cell: meanCell },
  { key: "errors", words: "report.errors", number: true, cell: (row) => errorsCell(row) },
  { key: "runs", words: "view.history", number: true, wide: true, cell: runsCell },
];

let results = [];
let order = { key: "time", down: true };
let all = false;
const chosen = [];

function shownTime(seconds) {
  const tag = Frame.tag() === "en" ? "en-GB" : Frame.tag();
  return new Date(seconds * 1000).toLocaleString(tag, { dateStyle: "medium", timeStyle: "short" });
}

function span(text, attributes = {}) {
  return Frame.element("span", { class: "said", ...attributes }, text);
}

function nameCell(row) {
  const link = Frame.element("a", { href: `/result/${row.id}`, class: "said" }, row.name || row.path);
  const mark = row.unfinished ? Frame.element("span", { class: "chip warn" }, Frame.t("view.unfinished")) : null;
  const about = Frame.element("div", { class: "muted narrow" }, span(Frame.nameOf("kind_names", row.kind)), ` · ${row.items} · ${shownTime(row.time)}`);
  return [link, " ", mark, Frame.element("div", { class: "muted path" }, span(row.path)), about];
}

function meanCell(row) {
  const metric = Frame.element("div", { class: "muted" }, span(Frame.nameOf("metric_names", row.metric)));
  const interval = row.low === null ? null : Frame.element("small", { class: "muted" }, ` [${Frame.number(row.low)}, ${Frame.number(row.high)}]`);
  return [metric, Frame.number(row.mean), interval];
}

function errorsCell(row) {
  return Frame.element("span", { class: row.errors ? "bad" : "muted" }, String(row.errors));
}

function runsCell(row) {
  if (row.runs < 2) return Frame.element("span", { class: "muted" }, "–");
  const label = `${Frame.t("view.history")}: ${row.runs} ${Frame.t("view.runs")}`;
  return Frame.element("a", { href: `/history/${row.series}`, "aria-label": label }, String(row.runs));
}

function compared(one, other) {
  const [a, b] = [one[order.key], other[order.key]];
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  const sign = typeof a === "string" ? a.localeCompare(b, "zh-CN", { numeric: true }) : a - b;
  return order.down ? -sign : sign;
}

function matching() {
  const wanted = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = document.getElementById("kind").value;
  const fits = (row) => wanted.every((word) => `${row.name}\n${row.path}`.toLowerCase().includes(word));
  return results.filter((row) => (!kind || row.kind === kind) && fits(row)).sort(compared);
}

function choose(identifier, on) {
  const place = chosen.indexOf(identifier);
  if (place >= 0) chosen.splice(place, 1);
  if (on) chosen.push(identifier);
  if (chosen.length > 2) chosen.shift(); // the two chosen last
  for (const box of document.querySelectorAll("#results input")) box.checked = chosen.includes(box.value);
  drawCompare();
}

// the first chosen is what the second is compared with, and the button says so
function drawCompare() {
  const button = document.getElementById("compare");
  const names = chosen.map((identifier) => results.find((row) => row.id === identifier).name);
  button.disabled = names.length !== 2;
  const words = Frame.t("view.compare_selected");
  button.textContent = names.length === 2 ? `${Frame.t("view.compare")}: ${names[0]} → ${names[1]}` : words;
}

function drawRow(row) {
  const label = `${Frame.t("view.select")}: ${row.name}`;
  const box = Frame.element("input", { type: "checkbox", value: row.id, "aria-label": label });
  box.checked = chosen.includes(row.id);
  box.addEventListener("change", () => choose(row.id, box.checked));
  const classes = (column) => [column.number && "number", column.wide && "wide"].filter(Boolean).join(" ") || null;
  const cells = COLUMNS.map((column) => Frame.element("td", { class: classes(column) }, column.cell(row)));
  return Frame.element("tr", {}, Frame.element("td", {}, box), cells);
}

function drawRows() {
  const rows = matching();
  const shown = all ? rows : rows.slice(0, MOST);
  document.querySelector("#results tbody").replaceChildren(...shown.map(drawRow));
  document.getElementById("shown").textContent = `${shown.length} / ${results.length}`;
  document.getElementById("more").hidden = shown.length === rows.length;
}

function drawHead() {
  const cells = COLUMNS.map((column) => {
    const button = Frame.element("button", { type: "button", class: "sort", onclick: () => sortBy(column) }, Frame.t(column.words));
    const sorted = order.key === column.key ? (order.down ? "descending" : "ascending") : null;
    const classes = [column.number && "number", column.wide && "wide"].filter(Boolean).join(" ") || null;
    return Frame.element("th", { scope: "col", class: classes, "aria-sort": sorted, "data-key": column.key }, button);
  });
  const first = Frame.element("td", {}); // above the boxes
  document.querySelector("#results thead tr").replaceChildren(first, ...cells);
}

function sortBy(column) {
  const down = column.key === order.key ? !order.down : column.key !== "name" && column.key !== "kind";
  order = { key: column.key, down };
  drawHead();
  drawRows();
  document.querySelector(`#results th[data-key="${column.key}"] button`).focus();
}

function drawKinds() {
  const select = document.getElementById("kind");
  const before = select.value;
  const kinds = [...new Set(results.map((row) => row.kind))].sort();
  const options = kinds.map((kind) => Frame.element("option", { value: kind }, Frame.nameOf("kind_names", kind)));
  select.replaceChildren(Frame.element("option", { value: "" }, Frame.t("report.all")), ...options);
  select.value = before;
}

function compareChosen() {
  window.location.assign(`/compare/${chosen[0]}/${chosen[1]}`);
}

function drawList() {
  drawCompare();
  drawKinds();
  drawHead();
  drawRows();
}

function drawTimes() {
  for (const each of document.querySelectorAll("time[data-time]")) each.textContent = shownTime(Number(each.dataset.time));
}

function listen() {
  document.getElementById("search").addEventListener("input", drawRows);
  document.getElementById("kind").addEventListener("change", drawRows);
  document.getElementById("compare").addEventListener("click", compareChosen);
  document.querySelector("#more button").addEventListener("click", () => { all = true; drawRows(); });
}

Frame.data().then((data) => {
  const draw = data.page === "list" ? drawList : drawTimes;
  results = data.results ?? [];
  if (data.page === "list") listen();
  draw();
  Frame.onLanguage((language) => {
    document.cookie = `steelyard-language=${language}; Path=/; SameSite=Strict`; // the next page speaks it too
    draw();
  });
});
