"use strict";
// The list of items: only the rows in sight are in the page, so that ten thousand are as quick as ten.
const List = (() => {
  const { element, t } = Frame;
  const SPARE = 3;
  const PRINTED = 300;
  const TALLEST = 660; // pixels, and
  const SHARE = 0.74; // of the window
  let current = null; // the list of the page; a page that updates itself makes another

  window.addEventListener("beforeprint", () => current && print(current, PRINTED));
  window.addEventListener("afterprint", () => current && print(current, 0));
  window.addEventListener("resize", () => current && redraw(current), { passive: true });

  // `columns` are {key, title, width, cell(item) → nodes, sortable}; `open` is called with an item
  function make(place, columns, { open, sort }) {
    const list = { rows: [], active: 0, columns, open, drawn: "", printed: 0 };
    list.head = element("div", { role: "rowgroup", class: "list-head" }, header(list, sort));
    list.space = element("div", { role: "rowgroup", class: "list-space" });
    list.grid = element("div", { role: "grid", tabindex: "0", class: "list-grid" }, list.head, list.space);
    list.grid.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
    list.grid.addEventListener("scroll", () => requestAnimationFrame(() => draw(list)), { passive: true });
    list.grid.addEventListener("keydown", (event) => steer(list, event));
    list.space.addEventListener("click", (event) => choose(list, event));
    list.none = element("p", { class: "list-none muted", hidden: true }, Frame.word("report.no_items_match"));
    list.rest = element("p", { class: "list-rest muted small" });
    place.replaceChildren(list.grid, list.none, list.rest);
    new ResizeObserver(() => redraw(list)).observe(place);
    current = list;
    return list;
  }

  function header(list, sort) {
    return element(
      "div",
      { role: "row", class: "list-row", "aria-rowindex": "1" },
      list.columns.map((column) =>
        element(
          "div",
          { role: "columnheader", class: `c-${column.key}`, "data-key": column.key },
          column.sortable
            ? element("button", { type: "button", class: "sort", onclick: () => sort(column.key) }, Frame.word(column.title))
            : Frame.word(column.title),
        ),
      ),
    );
  }

  function show(list, rows, sorted) {
    list.rows = rows;
    list.active = Math.min(list.active, Math.max(rows.length - 1, 0));
    list.grid.setAttribute("aria-rowcount", String(rows.length + 1));
    list.grid.setAttribute("aria-label", t("report.items"));
    list.none.hidden = rows.length > 0;
    for (const each of list.head.querySelectorAll("[data-key]")) {
      if (each.dataset.key === sorted.by) each.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else each.removeAttribute("aria-sort");
    }
    redraw(list);
  }

  // the height of a row belongs to the style, which has another one for phones
  function height(list) {
    return parseFloat(getComputedStyle(list.grid).getPropertyValue("--row")) || 44;
  }

  // how much of the list is in sight below its head
  function sight(list) {
    return list.grid.clientHeight - list.head.offsetHeight;
  }

  // the list ends with a whole row
  function fit(list, each) {
    const head = list.head.offsetHeight;
    const most = Math.max(1, Math.floor((Math.min(TALLEST, window.innerHeight * SHARE) - head) / each));
    list.grid.style.maxHeight = `${head + most * each}px`;
  }

  function print(list, most) {
    list.printed = most;
    redraw(list);
  }

  function redraw(list) {
    list.drawn = "";
    fit(list, height(list));
    draw(list);
  }

  // the rows in sight, unless they are drawn already; for paper the first ones, and how many more there are
  function draw(list) {
    const { printed } = list;
    const each = height(list);
    const count = printed ? Math.min(printed, list.rows.length) : list.rows.length;
    const first = printed ? 0 : Math.max(0, Math.floor(list.grid.scrollTop / each) - SPARE);
    const last = printed ? count : Math.min(count, first + Math.ceil(sight(list) / each) + 2 * SPARE);
    const drawn = `${first} ${last} ${count} ${list.active}`;
    if (drawn === list.drawn) return;
    list.drawn = drawn;
    list.space.style.height = `${count * each}px`;
    list.rest.textContent = count < list.rows.length ? `… +${(list.rows.length - count).toLocaleString("en")}` : "";
    const made = [];
    for (let place = first; place < last; place += 1) made.push(row(list, place, each));
    list.space.replaceChildren(...made);
    if (list.rows.length) list.grid.setAttribute("aria-activedescendant", `row-${list.active}`);
    else list.grid.removeAttribute("aria-activedescendant");
  }

  function row(list, place, each) {
    const item = list.rows[place];
    const made = element(
      "div",
      {
        role: "row",
        id: `row-${place}`,
        class: place === list.active ? "list-row active" : "list-row",
        "aria-rowindex": String(place + 2),
        "aria-selected": String(place === list.active),
        "data-place": String(place),
      },
      list.columns.map((column) => element("div", { role: "gridcell", class: `c-${column.key}` }, column.cell(item))),
    );
    made.style.transform = `translateY(${place * each}px)`;
    return made;
  }

  function choose(list, event) {
    const found = event.target.closest("[data-place]");
    if (!found || !getSelection().isCollapsed) return; // words are being selected, not a row
    list.active = Number(found.dataset.place);
    draw(list);
    list.open(list.rows[list.active]);
  }

  function steer(list, event) {
    if (event.target.closest(".sort")) return;
    const page = Math.max(1, Math.floor(sight(list) / height(list)) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) move(list, list.active + steps[event.key]);
    else if (event.key === "Enter" && list.rows.length) list.open(list.rows[list.active]);
    else return;
    event.preventDefault();
  }

  function move(list, place) {
    list.active = Math.max(0, Math.min(place, list.rows.length - 1));
    const [each, top] = [height(list), list.grid.scrollTop];
    const at = list.active * each;
    if (at < top) list.grid.scrollTop = at;
    else if (at + each > top + sight(list)) list.grid.scrollTop = at + each - sight(list);
    draw(list);
  }

  // bring an item into sight, if the list has it
  function reveal(list, item) {
    const place = list.rows.indexOf(item);
    if (place >= 0) move(list, place);
  }

  return { make, show, reveal };
})();
