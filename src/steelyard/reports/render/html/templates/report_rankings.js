"use strict";
// The rankings of one query: the first documents of every system side by side, with their grades and moves.
const Rankings = (() => {
  const { element, t } = Frame;
  const MOST_SYSTEMS = 8;

  // null where the page has no ranking of this item; `other` is the result set against the first
  function make(data, item, other, metric) {
    const found = data.rankings?.items[item];
    if (!found) return null;
    const systems = chosen(data, other);
    return [
      element("p", { class: "muted small" }, legend(data, systems)),
      element(
        "div",
        { class: "rankings", tabindex: "0", role: "region", "aria-labelledby": "item-title" },
        systems.map((system) => column(data, item, found, system, metric)),
      ),
      scores(data, item, systems),
    ];
  }

  // the text of the query: what was typed, and below it the sentence at length that a topic may have
  function query(data, item) {
    const [typed, ...rest] = String(data.questions[item] || "").split("\n");
    if (!typed) return null;
    return element(
      "section",
      { class: "block" },
      element("h3", {}, t("report.query")),
      Texts.box(typed, [], { class: "question" }),
      rest.length ? Texts.box(rest.join("\n"), [], { class: "muted" }) : null,
    );
  }

  // the first result, the one set against it, then the others
  function chosen(data, other) {
    const all = [0, other ?? 0, ...data.results.keys()];
    return [...new Set(all)].slice(0, MOST_SYSTEMS);
  }

  function legend(data, systems) {
    const { level } = data.rankings;
    if (systems.length === 1) return Frame.filled("report.grade_legend_one", { level });
    return Frame.filled("report.grade_legend", { level, name: data.results[0].name });
  }

  function column(data, item, found, system, metric) {
    const ranked = found.ranked[system];
    const name = element("h3", { class: "said" }, data.results[system].name);
    const titled = element("header", { class: "answer-head" }, name, score(data, item, system, metric));
    const absent = element("p", { class: "warn small" }, t("report.item_absent"));
    if (ranked === null) return element("article", { class: "ranking" }, titled, absent);
    const rows = ranked.map((document, place) => row(data, found, system, document, place));
    return element(
      "article",
      { class: "ranking" },
      titled,
      relevantFound(data, found, ranked),
      rows.length ? element("ol", { class: "plain" }, rows) : element("p", { class: "muted" }, t("report.nothing_retrieved")),
      system ? gone(data, found, system) : null,
      missed(data, found, system),
    );
  }

  function score(data, item, system, metric) {
    const [now, then] = [data.results[system].scores[metric]?.[item] ?? null, data.results[0].scores[metric]?.[item] ?? null];
    const change = system && now !== null && then !== null ? now - then : null;
    const tone = Texts.tone(data, metric, change);
    return element(
      "p",
      { class: "score" },
      element("strong", { class: "digits" }, Texts.number(now, 3)),
      element("span", { class: "muted small said" }, ` ${metric}`),
      change ? element("span", { class: `digits small ${tone}` }, ` ${Texts.signed(change)}`) : null,
    );
  }

  function isRelevant(data, found, document) {
    return (found.grades[document] ?? -Infinity) >= data.rankings.level;
  }

  function relevantFound(data, found, ranked) {
    if (found.relevant === null) return null;
    const count = ranked.filter((document) => isRelevant(data, found, document)).length;
    const text = Frame.filled("report.relevant_found", { found: count, relevant: found.relevant, n: data.rankings.first });
    return element("p", { class: "muted small" }, text);
  }

  function row(data, found, system, document, place) {
    return element(
      "li",
      { class: isRelevant(data, found, document) ? "ranked relevant" : "ranked" },
      element("span", { class: "rank digits muted" }, String(place + 1)),
      grade(data, found, document),
      words(data, found, document),
      system ? move(data, found, document, place) : null,
    );
  }

  function grade(data, found, document) {
    const value = found.grades[document];
    if (value === null) return element("span", { class: "grade unjudged" }, t("report.unjudged"));
    return element("span", { class: isRelevant(data, found, document) ? "grade relevant" : "grade" }, String(value));
  }

  // the title of a document and how it begins; without these its id
  function words(data, found, document) {
    const id = found.docs[document];
    const [title, text] = data.rankings.texts[id] ?? ["", ""];
    return element(
      "div",
      { class: "ranked-words" },
      title ? element("span", { class: "said strong" }, title) : null,
      text ? element("span", { class: "said excerpt" }, text) : null,
      element("span", { class: title || text ? "said small muted" : "said" }, id),
    );
  }

  // how far a document has moved since the first result; the move of a relevant one is good or bad
  function move(data, found, document, place) {
    const before = found.ranked[0]?.indexOf(document) ?? -1;
    const up = before < 0 ? 1 : before - place;
    if (up === 0) return element("span", { class: "move muted" }, "=");
    const tone = isRelevant(data, found, document) ? (up > 0 ? "good" : "bad") : "muted";
    const text = before < 0 ? t("report.rank_new") : `${up > 0 ? "↑" : "↓"} ${Math.abs(up)}`;
    return element("span", { class: `move digits ${tone}`, title: before < 0 ? null : `${before + 1} → ${place + 1}` }, text);
  }

  function gone(data, found, system) {
    const left = (found.ranked[0] ?? []).filter((document) => !found.ranked[system].includes(document));
    const ranks = new Map(found.missed[system]);
    const rows = left.map((document) => {
      const now = ranks.get(document) ?? "–";
      return lost(data, found, document, `${found.ranked[0].indexOf(document) + 1} → ${now}`);
    });
    return folded(Frame.filled("report.rank_gone", { n: data.rankings.first }), rows.length, rows);
  }

  function missed(data, found, system) {
    const shown = found.missed[system];
    const there = found.ranked[system].filter((document) => isRelevant(data, found, document)).length;
    const rows = shown.map(([document, rank]) => {
      return lost(data, found, document, rank === null ? t("report.not_retrieved") : Frame.filled("report.at_rank", { rank }));
    });
    if (found.relevant - there > rows.length) rows.push(element("li", { class: "muted small" }, `… +${found.relevant - there - rows.length}`));
    return folded(Frame.filled("report.rank_missed", { n: data.rankings.first }), found.relevant - there, shown.length ? rows : []);
  }

  function lost(data, found, document, where) {
    const tone = isRelevant(data, found, document) ? "bad" : "muted";
    return element(
      "li",
      { class: "ranked" },
      grade(data, found, document),
      words(data, found, document),
      element("span", { class: `move digits ${tone}` }, where),
    );
  }

  function folded(title, count, rows) {
    if (!rows.length) return null;
    const list = element("ul", { class: "plain" }, rows);
    return element("details", {}, element("summary", {}, `${title} (${count.toLocaleString("en")})`), list);
  }

  // every metric in every system
  function scores(data, item, systems) {
    const heads = systems.map((system) => element("th", { scope: "col", class: "number said" }, data.results[system].name));
    const cells = (metric) =>
      systems.map((system) => element("td", { class: "number" }, Texts.number(data.results[system].scores[metric]?.[item] ?? null, 4)));
    const rows = data.metrics.map((metric) => element("tr", {}, element("th", { scope: "row", class: "said" }, metric), cells(metric)));
    const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, t("report.metric")), heads));
    const table = element("table", { class: "numbers" }, head, element("tbody", {}, rows));
    const scrolled = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "item-title" }, table);
    return element("details", {}, element("summary", {}, t("report.all_scores")), scrolled);
  }

  return { make, query };
})();
