"use strict";
// The viewer: times in the reader's zone and language on every page; the list with its search, sorting and choice of two.
const MOST = 500;
const POINTS = 20;
const OTHERS = 3; // metrics beside the main one
const SVG = "http://www.w3.org/2000/svg";
const COLUMNS = [
  { key: "name", words: "report.result", cell: nameCell },
  { key: "time", words: "view.time", wide: true, cell: (row) => timeOf(row.time, row.file_time) },
  { key: "items", words: "report.items", wide: true, number: true, cell: (row) => row.items.toLocaleString("en") },
  { key: "errors", words: "report.errors", number: true, wide: true, cell: (row) => errorsCell(row) },
  { key: "mean", words: "report.mean", number: true, cell: meanCell },
  { key: "change", words: "view.since_before", number: true, past: true, cell: changeCell },
  { key: "runs", words: "view.history", wide: true, past: true, cell: runsCell },
];

let results = [];
let order = { key: "time", down: true };
let all = false;
let falling = new Set();
let undirected = new Set();
const chosen = []; // at most two rows: what the second is compared with comes first

function shownTime(seconds) {
  const tag = Frame.tag() === "en" ? "en-GB" : Frame.tag();
  return new Date(seconds * 1000).toLocaleString(tag, { dateStyle: "medium", timeStyle: "short" });
}

// the time that a result says it was made; that of its file is marked
function timeOf(seconds, isFile) {
  const note = isFile ? Frame.element("div", { class: "muted small" }, Frame.t("view.file_time")) : null;
  return [Frame.element("time", {}, shownTime(seconds)), note];
}

function span(text, attributes = {}) {
  return Frame.element("span", { class: "said", ...attributes }, text);
}

function nameCell(row) {
  const link = Frame.element("a", { href: `/result/${row.id}`, class: "said result-name" }, row.name || row.path);
  const mark = row.unfinished ? Frame.element("span", { class: "chip warn" }, Frame.t("view.unfinished")) : null;
  const errors = row.errors ? Frame.element("span", { class: "chip bad narrow" }, `${Frame.t("report.errors")} ${row.errors}`) : null;
  const kind = () => span(Frame.nameOf("kind_names", row.kind));
  const path = Frame.element("div", { class: "muted path" }, kind(), " · ", span(row.path));
  const about = Frame.element("div", { class: "muted narrow" }, kind(), ` · ${shownTime(row.time)}`);
  return [link, " ", mark, errors, path, about];
}

function meanCell(row) {
  const bounds = row.low === null ? null : `[${Frame.number(row.low)}, ${Frame.number(row.high)}]`;
  const interval = bounds && Frame.element("small", { class: "muted" }, ` ${bounds}`);
  const main = Frame.element("div", {}, metricName(row.metric), Frame.element("strong", {}, Frame.number(row.mean)), interval);
  const name = row.before ? "other" : "other inline"; // below one another only where changes are beside them
  return [main, others(row).map((metric) => Frame.element("div", { class: name }, metricName(metric), Frame.number(row.metrics[metric])))];
}

function metricName(metric) {
  return Frame.element("span", { class: "muted said metric-name" }, `${Frame.nameOf("headline_names", metric)} `);
}

// the metrics that are listed beside the main one
function others(row) {
  return Object.keys(row.metrics).filter((metric) => metric !== row.metric).slice(0, OTHERS);
}

// the change of each listed metric since the run before of the same system
function changeCell(row) {
  const { before } = row;
  if (!before) return Frame.element("span", { class: "muted" }, row.runs > 1 ? Frame.t("view.first_run") : "–");
  return [row.metric, ...others(row)].map((metric, place) => {
    const change = difference(row.metrics[metric], before.metrics[metric]);
    return Frame.element("div", { class: place ? "other" : null }, delta(metric, change));
  });
}

function difference(now, then) {
  return typeof now === "number" && typeof then === "number" ? now - then : null;
}

// a change with its sign; no test was made, so it has no ▲ or ▼
function delta(metric, change) {
  if (change === null) return Frame.element("span", { class: "muted" }, "–");
  const digits = Math.abs(change).toFixed(4);
  const same = Number(digits) === 0;
  const sign = same ? "" : change > 0 ? "+" : "−";
  const tone = same || undirected.has(metric) ? "muted" : change > 0 !== falling.has(metric) ? "good" : "bad";
  const words = { good: "report.better", bad: "report.worse", muted: null }[tone];
  return Frame.element("span", { class: `digits ${tone}`, title: words && Frame.t(words) }, `${sign}${digits}`);
}

function errorsCell(row) {
  return Frame.element("span", { class: row.errors ? "bad" : "muted" }, row.errors.toLocaleString("en"));
}

function runsCell(row) {
  if (row.runs < 2) return Frame.element("span", { class: "muted" }, "–");
  const label = `${Frame.t("view.history")}${Frame.t("core.colon")}${Frame.filled("view.n_runs", { n: row.runs })}`;
  const line = sparkline(row.past.map((run) => run.metrics[row.metric]).filter((mean) => typeof mean === "number"));
  return Frame.element("a", { href: `/history/${row.series}`, "aria-label": label, class: "trend" }, line, String(row.runs));
}

// a line through the means from the oldest run to this one, with a point for this one
function sparkline(means) {
  const shown = means.slice(-POINTS);
  const made = shape("svg", { viewBox: "0 0 96 24", class: "sparkline", "aria-hidden": "true", focusable: "false" });
  if (!shown.length) return made;
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const x = (place) => (shown.length === 1 ? 92 : 4 + (88 * place) / (shown.length - 1));
  const y = (mean) => (high === low ? 12 : 20 - (16 * (mean - low)) / (high - low));
  const points = shown.map((mean, place) => `${x(place).toFixed(1)},${y(mean).toFixed(1)}`).join(" ");
  made.append(shape("polyline", { points, class: "spark-line" }));
  made.append(shape("circle", { cx: x(shown.length - 1).toFixed(1), cy: y(shown.at(-1)).toFixed(1), r: 2.5, class: "spark-point" }));
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// columns about earlier runs are shown where there are some
function columns() {
  return results.some((row) => row.runs > 1) ? COLUMNS : COLUMNS.filter((column) => !column.past);
}

// the runs of a system up to each result, from the oldest, and the one before it; the data have the latest first
function linkRuns() {
  const series = new Map();
  for (const row of [...results].reverse()) {
    const runs = series.get(row.series) ?? [];
    series.set(row.series, runs);
    row.before = runs.at(-1) ?? null;
    runs.push(row);
    row.past = runs.slice(-POINTS);
    row.change = row.before ? difference(row.metrics[row.metric], row.before.metrics[row.metric]) : null;
  }
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

// the older result comes first, in whichever order the two are chosen; of one file, the one that is first in it
function choose(row, on) {
  if (on) chosen.push(row);
  else chosen.splice(chosen.indexOf(row), 1);
  chosen.sort((one, other) => (results.indexOf(other) - results.indexOf(one)) * (one.path === other.path ? -1 : 1));
  drawCompare();
}

// boxes that cannot be ticked, and why: two are chosen, or the one chosen is of another kind
function restrict(box, row) {
  const why = chosen.length > 1 ? "view.two_selected" : chosen.length && chosen[0].kind !== row.kind ? "view.other_kind" : null;
  box.checked = chosen.includes(row);
  box.disabled = !box.checked && why !== null;
  box.title = box.disabled ? Frame.t(why) : "";
}

function drawCompare() {
  for (const box of document.querySelectorAll("#results input")) restrict(box, results.find((row) => row.id === box.value));
  const button = document.getElementById("compare");
  const isPair = chosen.length === 2;
  button.disabled = !isPair;
  document.getElementById("swap").hidden = !isPair;
  const names = chosen.map((row) => row.name).join(" → ");
  button.textContent = isPair ? `${Frame.t("view.compare")}${Frame.t("core.colon")}${names}` : Frame.t("view.compare_selected");
}

function drawRow(row) {
  const label = `${Frame.t("view.select")}${Frame.t("core.colon")}${row.name}`;
  const box = Frame.element("input", { type: "checkbox", value: row.id, "aria-label": label });
  restrict(box, row);
  box.addEventListener("change", () => choose(row, box.checked));
  const classes = (column) => [column.number && "number", column.wide && "wide"].filter(Boolean).join(" ") || null;
  const cells = columns().map((column) => Frame.element("td", { class: classes(column) }, column.cell(row)));
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
  const cells = columns().map((column) => {
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
  select.closest("label").hidden = kinds.length < 2;
  const options = kinds.map((kind) => Frame.element("option", { value: kind }, Frame.nameOf("kind_names", kind)));
  select.replaceChildren(Frame.element("option", { value: "" }, Frame.t("report.all")), ...options);
  select.value = before;
}

function compareChosen() {
  window.location.assign(`/compare/${chosen[0].id}/${chosen[1].id}`);
}

function drawList() {
  drawCompare();
  drawKinds();
  drawHead();
  drawRows();
}

// what the pages of histories leave to the reader's browser: times, small lines, and the words of changes
function drawParts() {
  for (const each of document.querySelectorAll("time[data-time]")) {
    const words = "file" in each.dataset ? ` (${Frame.t("view.file_time")})` : "";
    each.textContent = shownTime(Number(each.dataset.time)) + words;
  }
  for (const each of document.querySelectorAll("[data-spark]")) each.replaceChildren(sparkline(each.dataset.spark.split(" ").map(Number)));
  for (const each of document.querySelectorAll("[data-delta]")) each.replaceChildren(delta(each.dataset.metric, Number(each.dataset.delta)));
}

// a command to the clipboard; where that is not allowed, its text is selected
async function copy(button) {
  const command = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(command.textContent);
    button.textContent = Frame.t("view.copied");
  } catch {
    getSelection().selectAllChildren(command);
  }
}

function listen() {
  document.getElementById("search").addEventListener("input", drawRows);
  document.getElementById("kind").addEventListener("change", drawRows);
  document.getElementById("compare").addEventListener("click", compareChosen);
  document.getElementById("swap").addEventListener("click", () => { chosen.reverse(); drawCompare(); });
  document.querySelector("#more button").addEventListener("click", () => { all = true; drawRows(); });
}

// the rows that were chosen before stay chosen, as far as they are still there
function start(data) {
  const before = chosen.map((row) => row.id);
  results = data.results ?? [];
  falling = new Set(data.falling ?? []);
  undirected = new Set(data.undirected ?? []);
  chosen.splice(0, chosen.length, ...before.map((id) => results.find((row) => row.id === id)).filter(Boolean));
  linkRuns();
  if (results.length) listen();
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));
  draw();
}

function draw() {
  if (results.length) drawList();
  else drawParts();
}

Frame.data().then((data) => {
  start(data);
  if (data.live) Live.follow(data, start, () => false);
  Frame.onLanguage((language) => {
    document.cookie = `steelyard-language=${language}; Path=/; SameSite=Strict`; // the next page speaks it too
    draw();
  });
});
