"use strict";
// Passages beside the page of the document that they stand on.
const Evidence = (() => {
  const { element, t } = Frame;
  const ABSENT = "report.document_not_here";
  const MARKS = {
    right: ["✓", "good", "report.cites_required"],
    there: ["○", "muted", "report.on_the_page"],
    absent: ["✗", "bad", "report.not_on_the_page"],
  };

  const SPEAKERS = { question: "units.question", answer: "units.answer" };

  // `passage` shows a citation and whether it was found; `pane` is the page, none where no passage has one
  function make(data, item, results) {
    const name = documentOf(data, item);
    const pages = data.documents[name] ?? {};
    const marks = marksOf(data, item, results);
    const numbers = Object.keys(pages).filter((page) => marks.has(Number(page)) || isNamed(data, item, results, Number(page)));
    const view = { name, pages, marks, numbers, pane: null };
    const absent = name && aboutDocuments() && !data.library?.includes(name);
    if (numbers.length) view.pane = pane(view, firstPage(data, item, numbers));
    else if (absent) view.pane = element("p", { class: "muted note" }, t(ABSENT));
    return { pane: view.pane, passage: (each, kind = "cited") => passage(view, each, kind) };
  }

  // whether items of this kind are answered from documents
  function aboutDocuments() {
    return document.getElementById("item").hasAttribute("data-documents");
  }

  function documentOf(data, item) {
    const tag = data.tags.document;
    return tag ? (tag.values[tag.codes[item]] ?? "") : "";
  }

  function passagesOf(data, item, results) {
    const cited = results.flatMap((result) => result.said[item]?.citations ?? []);
    return [
      ...(data.expected[item]?.evidence ?? []).map((each) => [each, "expected"]),
      ...cited.map((each) => [each, "cited"]),
      ...results.flatMap((result) => result.said[item]?.evidence ?? []).map((each) => [each, "shown"]),
    ];
  }

  // page → [start, end, class]
  function marksOf(data, item, results) {
    const found = new Map();
    for (const [each, kind] of passagesOf(data, item, results)) {
      for (const [page, start, end] of each.places ?? []) {
        if (!found.has(page)) found.set(page, []);
        found.get(page).push([start, end, kind]);
      }
    }
    return found;
  }

  function isNamed(data, item, results, page) {
    return passagesOf(data, item, results).some(([each]) => each.pages.includes(page));
  }

  function firstPage(data, item, numbers) {
    const wanted = data.expected[item]?.evidence?.flatMap((each) => (each.places ?? []).map((place) => String(place[0]))) ?? [];
    return wanted.find((page) => numbers.includes(page)) ?? numbers[0];
  }

  function pane(view, first) {
    const text = element("div", { class: "page-text said", tabindex: "0", role: "region" });
    const tabs = view.numbers.map((page) =>
      element("button", { type: "button", "data-page": page, onclick: () => turnTo(made, view, page) }, Texts.page(page)),
    );
    const made = element(
      "section",
      { class: "document" },
      element("h3", { class: "said" }, view.name),
      element("div", { class: "pages" }, tabs),
      text,
      Texts.legend(["expected", "cited", "shown"]),
    );
    turnTo(made, view, first);
    return made;
  }

  function turnTo(made, view, page) {
    const text = made.querySelector(".page-text");
    text.replaceChildren(...Texts.marked(view.pages[page], view.marks.get(Number(page)) ?? []));
    text.setAttribute("aria-label", `${view.name}, ${Texts.page(page)}`);
    text.dataset.page = page;
    for (const each of made.querySelectorAll("[data-page]")) {
      if (each.tagName === "BUTTON") each.setAttribute("aria-pressed", String(each.dataset.page === page));
    }
    scrollToMark(made);
  }

  // bring what is expected into sight, else the first mark
  function scrollToMark(within) {
    const text = within.querySelector(".page-text");
    const first = text?.querySelector("mark.expected") ?? text?.querySelector("mark.cited") ?? text?.querySelector("mark");
    if (first) text.scrollTop = first.offsetTop - text.offsetTop - text.clientHeight / 3;
  }

  function passage(view, each, kind) {
    const speaker = [each.section, SPEAKERS[each.speaker] ? t(SPEAKERS[each.speaker]) : each.speaker].filter(Boolean).join(" · ");
    return element(
      "div",
      { class: "passage" },
      Texts.box(each.text || "–", [], { class: "passage-text" }),
      element("p", { class: "small muted" }, where(view, each, kind), speaker ? element("span", { class: "said" }, ` · ${speaker}`) : null),
    );
  }

  // where it is in the document, whether that is the page that it names, and of a citation whether it is right
  function where(view, each, kind) {
    const named = each.pages.length ? Texts.page(each.pages.join("–")) : t("report.no_page_named");
    if (each.places === undefined) return named;
    if (!each.places.length) return [mark("absent"), ` ${named}: `, element("span", { class: "bad" }, t("report.not_in_document"))];
    const page = each.places[0][0];
    const button = element("button", { type: "button", class: "link", onclick: () => jump(view, each) }, Texts.page(page));
    if (each.pages.includes(page)) return kind === "expected" ? button : [mark(each.right ? "right" : "there"), " ", button];
    return [mark("absent"), ` ${named}: `, element("span", { class: "bad" }, t("report.on_another_page")), " ", button];
  }

  // a sign whose meaning is its tooltip and its name
  function mark(name) {
    const [sign, tone, code] = MARKS[name];
    return element("span", { class: `sign ${tone}`, role: "img", "aria-label": t(code), title: t(code) }, sign);
  }

  function jump(view, each) {
    const [page, start] = each.places[0];
    turnTo(view.pane, view, String(page));
    const text = view.pane.querySelector(".page-text");
    let at = 0;
    for (const node of text.childNodes) {
      if (at >= start && node.nodeName === "MARK") {
        text.scrollTop = node.offsetTop - text.offsetTop - text.clientHeight / 3;
        break;
      }
      at += node.textContent.length;
    }
    view.pane.scrollIntoView({ block: "nearest" });
    text.focus({ preventScroll: true });
  }

  return { make, scrollToMark };
})();
