"use strict";
// The contexts of an answer: each with its number, its id, whether it was wanted, and the places that the answer is about.
const Contexts = (() => {
  const { element, t } = Frame;
  const SHORT = 360; // a longer text is folded
  const AROUND = 60; // characters beside a mark in a folded text
  const LONGEST_WORD = 20;

  // `pane` shows all of them, null where there are none, `folded` the same in less space; `go` brings one into sight
  function make(data, output) {
    const given = output?.contexts ?? [];
    if (!given.length) return { pane: null, folded: () => null, go: null };
    const hasTexts = given.some((each) => each.text !== undefined);
    const entries = given.map((each, place) => entry(data, each, place, hasTexts));
    const name = `${t("report.contexts")} (${(given.length + (output.others ?? 0)).toLocaleString("en")})`;
    const body = content(output, entries, name);
    return {
      pane: element("section", { class: "contexts", "aria-label": name }, element("h3", {}, name), ...body),
      folded: () => element("details", { class: "contexts" }, element("summary", {}, name), ...body),
      go: (place) => show(entries[place]),
    };
  }

  function content(output, entries, name) {
    const isMarked = output.contexts.some((each) => each.marks);
    return [
      isMarked ? Texts.legend(["holds"]) : "",
      element(
        "div",
        { class: "context-list", tabindex: "0", role: "region", "aria-label": name },
        element("ol", { class: "plain" }, entries),
        output.others ? element("p", { class: "muted small note" }, counted("report.contexts_left_out", output.others)) : null,
      ),
      missed(output) ?? "",
    ];
  }

  function entry(data, each, place, hasTexts) {
    const text = hasTexts ? words(data, each) : null;
    return element("li", { class: "context", tabindex: "-1" }, head(data, each, place), text, rest(data, each));
  }

  function head(data, each, place) {
    const size = each.length ?? characters(textOf(data, each));
    return element(
      "p",
      { class: "context-head small" },
      element("span", { class: "context-number digits", title: t("report.context").replace("{number}", place + 1) }, String(place + 1)),
      each.id ? element("span", { class: "context-id said" }, each.id) : null,
      each.relevant === undefined ? null : relevance(each.relevant),
      size ? element("span", { class: "muted digits" }, counted("report.characters", size)) : null,
    );
  }

  // a sign and words, so that the colour is not all
  function relevance(isRelevant) {
    const [sign, code, tone] = isRelevant ? ["✓", "report.relevant", "good"] : ["–", "report.not_relevant", "muted"];
    return element("span", { class: tone }, element("span", { "aria-hidden": "true" }, `${sign} `), t(code));
  }

  function textOf(data, each) {
    return each.text === undefined ? "" : data.contexts[each.text];
  }

  // as people count them: one that takes two units of the script counts once
  function characters(text) {
    return [...text].length;
  }

  function words(data, each) {
    const text = textOf(data, each);
    if (!text) return element("p", { class: "muted small note" }, t("report.no_text"));
    return shortened(text, (each.marks ?? []).filter((mark) => mark[1] <= text.length));
  }

  // a long text shows its beginning and what is around its marks, and unfolds
  function shortened(text, marks) {
    const made = element("div", { class: "context-text said" });
    if (text.length <= SHORT * 1.25) made.append(...Texts.marked(text, marks));
    else {
      const button = element("button", { type: "button", class: "more" }, t("report.show_all"));
      button.addEventListener("click", () => made.replaceChildren(...Texts.marked(text, marks)));
      made.append(...excerpts(text, marks), " ", button);
    }
    return made;
  }

  function excerpts(text, marks) {
    const nodes = [];
    let at = 0;
    for (const [start, end] of windows(text, marks)) {
      if (start > at) nodes.push(element("span", { class: "muted" }, " … "));
      const inside = marks.filter((mark) => mark[0] < end && start < mark[1]);
      const moved = inside.map(([from, to, ...of]) => [Math.max(from, start) - start, Math.min(to, end) - start, ...of]);
      nodes.push(...Texts.marked(text.slice(start, end), moved));
      at = end;
    }
    if (at < text.length) nodes.push(element("span", { class: "muted" }, " …"));
    return nodes;
  }

  // the stretches that are shown of a folded text, in order; none overlap
  function windows(text, marks) {
    const found = [[0, whole(text, marks.length ? SHORT / 2 : SHORT)]];
    for (const [start, end] of marks) {
      const next = [whole(text, Math.max(0, start - AROUND)), whole(text, Math.min(text.length, end + AROUND))];
      const last = found[found.length - 1];
      if (next[0] <= last[1] + AROUND) last[1] = Math.max(last[1], next[1]);
      else found.push(next);
    }
    return found;
  }

  // the nearest place before this one where neither a character nor a short Latin word is cut
  function whole(text, at) {
    let place = at;
    while (place > 0 && at - place < LONGEST_WORD && /^[\w’'-]{2}$/.test(text.slice(place - 1, place + 1))) place -= 1;
    const unit = text.charCodeAt(place);
    return unit >= 0xdc00 && unit < 0xe000 ? place - 1 : place;
  }

  // how much is left out, and how many of the places that are marked elsewhere
  function rest(data, each) {
    const text = textOf(data, each);
    const left = each.length === undefined ? 0 : each.length - characters(text);
    const unseen = (each.marks ?? []).filter((mark) => mark[1] > text.length).length;
    if (left <= 0) return null;
    return element(
      "div",
      { class: "muted small" },
      element("p", { class: "note" }, counted("report.left_out", left)),
      unseen ? element("p", { class: "note" }, counted("report.holds_left_out", unseen)) : null,
    );
  }

  function missed(output) {
    if (!output.missed) return null;
    return element("div", { class: "small" }, element("h4", {}, t("report.not_retrieved")), ids(output.missed, output.unlisted));
  }

  function ids(names, others = 0) {
    const more = others ? `… +${others.toLocaleString("en")}` : null;
    return element("p", { class: "chips" }, names.map((each) => element("span", { class: "chip said" }, each)), more);
  }

  function counted(code, number) {
    return Frame.filled(code, { number: number.toLocaleString("en") });
  }

  function show(found) {
    if (!found) return;
    found.closest("details")?.setAttribute("open", "");
    found.scrollIntoView({ block: "nearest" });
    found.focus({ preventScroll: true });
  }

  // the contexts that should have been retrieved; of some only the id is known
  function expected(data, given) {
    const texts = given.filter((each) => each.text !== undefined);
    const bare = given.filter((each) => each.text === undefined).map((each) => each.id);
    return [...texts.map((each) => reference(data, each)), ...(bare.length ? [ids(bare)] : [])];
  }

  function reference(data, each) {
    const name = each.id ? element("p", { class: "context-id small said" }, each.id) : null;
    return element("div", { class: "passage" }, name, shortened(textOf(data, each), []), rest(data, each));
  }

  return { make, expected };
})();
