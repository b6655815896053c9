"use strict";
// A person accepts or corrects the verdict of the open item; the viewer adds what is saved to the review file of the result.
const Reviewing = (() => {
  const { element, t } = Frame;
  const NAME = "steelyard-reviewer";
  const CHOICES = { agree: ["✓", "review.agree_with"], disagree: ["✗", "review.correct"], unsure: ["?", "review.unsure"] };
  const FLAGS = ["passed"]; // parts that are true or false
  const DERIVED = /^(corrected|agreed|chosen|uncertain)/;
  let known = null; // the name of the reviewer

  // `redraw` shows the open item again, when what is known of it has changed
  function make(data, redraw) {
    const drafts = new Map(); // what was entered and is not saved yet
    return (item, result) => form({ data, item, result, drafts, redraw });
  }

  function form(about) {
    const { data, item, result, drafts } = about;
    const place = data.results.indexOf(result);
    const of = data.reviewing.results[place];
    if (of.problem) return element("p", { class: "muted small note" }, Frame.chosen(of.problem));
    const score = result.scores[of.metric]?.[item] ?? null;
    if (score === null || result.said[item]?.failure) return null;
    const saved = of.judgements[data.ids[item]];
    const key = `${place} ${item}`;
    if (!drafts.has(key)) drafts.set(key, draftOf(saved));
    return panel({ ...about, of, score, saved, place, draft: drafts.get(key), forget: () => drafts.delete(key) });
  }

  function draftOf(saved = {}) {
    const choice = saved.agree === true ? "agree" : saved.agree === false ? "disagree" : saved.unsure ? "unsure" : null;
    return { choice, score: saved.score ?? null, parts: { ...saved.parts }, remark: saved.remark ?? "" };
  }

  function panel(about) {
    const { of, saved, place, draft } = about;
    const title = `review-${place}`;
    const status = element("span", { class: "small review-state", role: "status", tabindex: "-1" }, saved ? stateOf(of, saved) : "");
    const fields = element("div", { class: "review-fields" });
    const draw = () => fields.replaceChildren(...(draft.choice === "disagree" ? corrections(about) : []));
    draw();
    return element(
      "section",
      { class: "review-panel", "aria-labelledby": title, "data-place": String(place) },
      element("h4", { id: title }, t("review.your_review"), element("span", { class: "muted said" }, ` · ${Frame.nameOf("headline_names", of.metric)}`)),
      choices(draft, draw),
      fields,
      labelled("review.remark", element("textarea", { rows: "2", maxlength: "5000", oninput: (event) => { draft.remark = event.target.value; } }, draft.remark)),
      labelled("review.reviewer", element("input", { autocomplete: "name", maxlength: "200", value: reviewer(), oninput: (event) => remember(event.target.value) })),
      element("div", { class: "review-save" }, element("button", { type: "button", onclick: () => save(about, status) }, t("review.save_one")), status),
    );
  }

  function labelled(code, field) {
    return element("label", {}, element("span", {}, t(code)), field);
  }

  function choices(draft, draw) {
    const buttons = Object.entries(CHOICES).map(([choice, [sign, code]]) => {
      const pressed = () => String(draft.choice === choice);
      const mark = element("span", { class: `sign ${choice}`, "aria-hidden": "true" }, sign);
      const button = element("button", { type: "button", "data-choice": choice, "aria-pressed": pressed() }, mark, " ", element("span", {}, t(code)));
      button.addEventListener("click", () => {
        draft.choice = draft.choice === choice ? null : choice;
        for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.choice === draft.choice));
        draw();
      });
      return button;
    });
    return element("div", { class: "review-choices" }, buttons);
  }

  // the parts of the score, those with weights first, then the score, which follows them as they are entered
  function corrections({ data, item, result, of, score, place, draft }) {
    const columns = result.parts[of.metric] ?? {};
    const weights = data.weights?.[place]?.[item] ?? [];
    const weighted = weights.map(([name]) => name);
    const names = [...new Set([...weighted, ...Object.keys(columns)])];
    const parts = names.map((name) => [name, columns[name]?.[item] ?? null]).filter(([name, value]) => value !== null && !DERIVED.test(name));
    const total = numberField(draft.score ?? score, (value) => { draft.score = value === score ? null : value; });
    const entered = (name, judged) => (value) => {
      if (value === null || value === judged) delete draft.parts[name];
      else draft.parts[name] = value;
      if (!weights.some(([part]) => part === name)) return;
      const sum = weights.reduce((all, [part, weight, counted]) => all + weight * (draft.parts[part] ?? counted), 0);
      draft.score = Number(Math.max(0, Math.min(1, sum)).toFixed(4));
      total.value = String(draft.score);
    };
    const rows = parts.map(([name, value]) => {
      const judged = FLAGS.includes(name) ? t(value ? "senses.yes" : "senses.no") : Texts.number(value, 2);
      return row(Frame.nameOf(data.part_names, name), judged, field(name, draft.parts[name] ?? value, entered(name, value)));
    });
    return [...rows, row(Frame.nameOf("headline_names", of.metric), Texts.number(score, 2), total)];
  }

  function row(name, judged, input) {
    const before = element("span", { class: "muted small digits" }, `${t("review.judged")} ${judged}`);
    return element("label", { class: "review-row" }, element("span", {}, name), before, input);
  }

  function field(name, value, enter) {
    if (!FLAGS.includes(name)) return numberField(value, enter);
    return element("input", { type: "checkbox", checked: value === 1, onchange: (event) => enter(event.target.checked ? 1 : 0) });
  }

  function numberField(value, enter) {
    const read = (event) => enter(event.target.value === "" ? null : Number(event.target.value));
    return element("input", { type: "number", min: "0", max: "1", step: "any", value: String(value), oninput: read });
  }

  function stateOf(of, saved) {
    const mark = draftOf(saved).choice ?? "unsure";
    const words = [`${CHOICES[mark][0]} ${t(CHOICES[mark][1])}`, saved.reviewer, (saved.time ?? "").replace("T", " ").replace("Z", " UTC")];
    return words.filter(Boolean).join(" · ");
  }

  async function save(about, status) {
    const { data, item, of, draft } = about;
    const isCorrection = draft.choice === "disagree";
    const agree = { agree: true, disagree: false }[draft.choice] ?? null;
    const body = { id: data.ids[item], result: of.digest, agree, unsure: draft.choice === "unsure", remark: draft.remark, reviewer: reviewer() };
    if (isCorrection) Object.assign(body, { score: draft.score, parts: draft.parts });
    try {
      const headers = { "Content-Type": "application/json", "X-Steelyard-Key": data.reviewing.key };
      const answer = await fetch(of.address, { method: "POST", headers, body: JSON.stringify(body) });
      const told = answer.headers.get("Content-Type") === "application/json" ? await answer.json() : {};
      if (told.judgement) return keep(about, told.judgement);
      status.textContent = [t("review.not_saved"), told.error ? Frame.chosen(told.error) : String(answer.status)].join(t("core.colon"));
    } catch {
      status.textContent = `${t("review.not_saved")}${t("core.colon")}${t("view.live_lost")}`;
    }
    status.className = "small bad review-state";
    return undefined;
  }

  // the page shows what was saved as it will when it is opened again
  function keep(about, judgement) {
    const { data, item, result, of, place, forget, redraw } = about;
    of.judgements[data.ids[item]] = judgement;
    const columns = (result.parts[of.metric] ??= {});
    const values = { corrected: judgement.score ?? null, agreed_person: judgement.agree === null ? null : Number(judgement.agree) };
    for (const name of Object.keys(columns)) if (name.startsWith("corrected_")) values[name] = null;
    for (const [name, value] of Object.entries(judgement.parts ?? {})) values[`corrected_${name}`] = value;
    for (const [name, value] of Object.entries(values)) (columns[name] ??= data.ids.map(() => null))[item] = value;
    forget();
    redraw();
    const status = document.querySelector(`.review-panel[data-place="${place}"] .review-state`);
    status.textContent = Frame.filled("review.saved_in", { file: of.file });
    status.focus();
  }

  function reviewer() {
    try {
      return known ?? localStorage.getItem(NAME) ?? "";
    } catch {
      return ""; // a browser that keeps nothing
    }
  }

  function remember(name) {
    known = name;
    try {
      localStorage.setItem(NAME, name);
    } catch {
      // private windows: the name is asked for again on the next page
    }
  }

  return { make };
})();
