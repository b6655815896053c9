"use strict";
// A person reads sampled verdicts one at a time, agrees or disagrees, and saves what he thinks as JSON lines.
const Review = (() => {
  const { element, t } = Frame;
  const MARKS = { agree: "✓", disagree: "✗", unsure: "?", open: "·" };
  const CHOICES = { agree: "review.agree", disagree: "review.disagree", unsure: "review.unsure", open: "review.still_open" };
  const KEYS = { a: "agree", d: "disagree", u: "unsure" };
  const FILE = "review.jsonl";
  const EXCERPT = 200;
  const at = (id) => document.getElementById(id);

  // what was entered before; a browser that keeps nothing only forgets it on reload
  function kept(key) {
    try {
      return JSON.parse(localStorage.getItem(key)) ?? {};
    } catch {
      return {};
    }
  }

  function keep(key, entered) {
    try {
      localStorage.setItem(key, JSON.stringify(entered));
    } catch {
      // private windows and full disks: the page goes on without
    }
  }

  function make(data) {
    const { key, lines, passed, binary } = data.review;
    const stored = kept(key);
    const entered = { reviewer: stored.reviewer ?? "", opinions: stored.opinions ?? [] };
    let current = Math.max(0, lines.findIndex((_, item) => choiceOf(item) === "open"));

    function opinionOf(item) {
      return { choice: "open", remark: "", score: null, ...entered.opinions[item] };
    }

    // what the score should have been: of verdicts of two kinds the other one
    function scoreOf(item) {
      return opinionOf(item).score ?? (binary ? 1 - lines[item].verdict : null);
    }

    function choiceOf(item) {
      return opinionOf(item).choice;
    }

    function enter(change) {
      entered.opinions[current] = { ...opinionOf(current), ...change };
      keep(key, entered);
    }

    function choose(choice) {
      enter({ choice: choiceOf(current) === choice ? "open" : choice });
      drawVerdict();
      drawList();
    }

    function go(item) {
      if (item < 0 || item >= lines.length) return;
      current = item;
      shown.show(item);
      drawVerdict();
      drawList();
    }

    // what was asked; the id where no question is known
    function questionOf(item) {
      return String(data.questions[item] || lines[item].id).slice(0, EXCERPT);
    }

    // the open ones when only they are listed, and always the one that is shown
    function listed() {
      const all = lines.map((_, item) => item);
      return at("only-open").checked ? all.filter((item) => item === current || choiceOf(item) === "open") : all;
    }

    function drawList() {
      const rows = listed().map((item) => {
        const choice = choiceOf(item);
        const name = element("span", { class: "review-question said" }, questionOf(item));
        const id = data.questions[item] ? element("span", { class: "review-id said" }, lines[item].id) : null;
        const sign = element("span", { class: `sign ${choice}`, "aria-hidden": "true" }, MARKS[choice]);
        const state = element("span", { class: "unseen" }, `: ${t(CHOICES[choice])}`);
        const settings = { type: "button", "aria-current": item === current ? "true" : null, onclick: () => go(item) };
        return element("li", { value: item + 1 }, element("button", settings, sign, element("span", { class: "review-words" }, name, id), state));
      });
      at("list").replaceChildren(...rows);
      at("list").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
      drawProgress();
    }

    function drawProgress() {
      const done = lines.filter((_, item) => choiceOf(item) !== "open").length;
      at("progress").max = lines.length;
      at("progress").value = done;
      const words = done === lines.length ? ` · ${t("review.all_reviewed")}` : "";
      at("progress-words").textContent = `${done} / ${lines.length} ${t("review.reviewed")}${words}`;
      at("progress-counts").replaceChildren(...Object.values(KEYS).map(counted));
    }

    // how often a choice was made
    function counted(choice) {
      const number = lines.filter((_, item) => choiceOf(item) === choice).length;
      const sign = element("span", { class: `sign ${choice}`, "aria-hidden": "true" }, MARKS[choice]);
      return element("span", { class: "review-count" }, sign, ` ${t(CHOICES[choice])} ${number}`);
    }

    function drawVerdict() {
      const line = lines[current];
      const verdict = t(passed[current] ? "review.passed" : "review.not_passed");
      at("verdict").textContent = `${verdict} · ${Frame.nameOf("headline_names", line.metric)} ${Texts.number(line.verdict, 2)}`;
      at("verdict").className = passed[current] ? "judged-passed" : "judged-failed";
      for (const button of document.querySelectorAll("[data-choice]")) {
        button.setAttribute("aria-pressed", String(button.dataset.choice === choiceOf(current)));
      }
      at("remark").value = opinionOf(current).remark;
      at("score-field").hidden = choiceOf(current) !== "disagree";
      at("score").value = scoreOf(current) ?? "";
    }

    function filledIn(line, item) {
      const { choice, remark } = opinionOf(item);
      const agree = { agree: true, disagree: false }[choice] ?? null;
      const score = choice === "disagree" ? scoreOf(item) : null;
      return { ...line, agree, unsure: choice === "unsure", remark, reviewer: entered.reviewer, ...(score === null ? {} : { score }) };
    }

    function save() {
      const text = lines.map((line, item) => `${JSON.stringify(filledIn(line, item))}\n`).join("");
      const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
      element("a", { href: address, download: FILE }).click();
      URL.revokeObjectURL(address);
    }

    function press(event) {
      if (!at("keys").checked || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target.closest("input:not([type=checkbox]), textarea, select")) return;
      if (KEYS[event.key.toLowerCase()]) choose(KEYS[event.key.toLowerCase()]);
      // inside the item the item turns itself
      const step = event.target.closest("#item") ? 0 : { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) go(current + step);
    }

    function listen() {
      document.addEventListener("keydown", press, true); // before the item turns, and what was in it is gone
      at("save").addEventListener("click", save);
      at("only-open").addEventListener("change", drawList);
      at("reviewer").addEventListener("input", (event) => {
        entered.reviewer = event.target.value;
        keep(key, entered);
      });
      at("score").addEventListener("input", ({ target }) => enter({ score: target.value !== "" && target.validity.valid ? Number(target.value) : null }));
      at("remark").addEventListener("input", (event) => enter({ remark: event.target.value }));
      for (const button of document.querySelectorAll("[data-choice]")) {
        button.addEventListener("click", () => choose(button.dataset.choice));
      }
      Frame.onLanguage(() => {
        shown.redraw();
        drawVerdict();
        drawList();
      });
    }

    const shown = Item.make(at("item"), data, {
      other: () => 0,
      neighbours: (item) => ({
        place: item,
        count: lines.length,
        previous: item > 0 ? item - 1 : undefined,
        next: item + 1 < lines.length ? item + 1 : undefined,
      }),
      go,
      closed: () => at("item").show(),
    });
    at("reviewer").value = entered.reviewer;
    listen();
    go(current);
  }

  return { make };
})();

Frame.data().then(Review.make);
