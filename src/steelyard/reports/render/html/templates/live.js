"use strict";
// A page about a run that is still being written asks for its new state and shows it in place, until the run has ended.
const Live = (() => {
  const SECONDS = 2;
  const SHARE = 5; // at least so many times as long as the last page took
  const KEPT = "select[id], input[id]";

  // `start` draws the page from new data; `isBusy` says that a reader would be interrupted
  function follow(data, start, isBusy) {
    if (!data.live) return;
    const status = Frame.element("p", { class: "live", role: "status" });
    document.querySelector("header.top").after(status);
    say(status, "view.live");
    wait({ tag: data.live, status, start, isBusy }, 1000 * SECONDS);
  }

  function say(status, code) {
    if (status.dataset.code === code) return;
    status.dataset.code = code;
    status.replaceChildren(Frame.word(code));
  }

  function wait(page, milliseconds) {
    setTimeout(async () => {
      const begun = performance.now();
      if (!document.hidden && !isRead(page)) await ask(page);
      if (page.tag) wait(page, Math.max(1000 * SECONDS, SHARE * (performance.now() - begun)));
    }, milliseconds);
  }

  // somebody types or chooses, or has an item open
  function isRead(page) {
    return page.isBusy() || document.activeElement?.matches("main :is(input:not([type=checkbox]), select, textarea)");
  }

  async function ask(page) {
    let answer;
    try {
      answer = await fetch(location.pathname, { headers: { "If-None-Match": page.tag }, cache: "no-store" });
    } catch {
      return say(page.status, "view.live_lost");
    }
    if (answer.status === 304) return say(page.status, "view.live");
    if (!answer.ok) return say(page.status, "view.live_gone");
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (isRead(page)) return undefined; // since it was asked
    const data = await Frame.data(next);
    show(next, () => page.start(data));
    page.tag = data.live ?? null;
    return say(page.status, data.live ? "view.live" : "view.live_ended");
  }

  // the new content in the place of the old, scrolled, unfolded and filled in as before
  function show(next, start) {
    const main = document.getElementById("main");
    const [top, open, values] = [window.scrollY, unfolded(main), filledIn(main)];
    main.replaceChildren(...document.adoptNode(next.getElementById("main")).childNodes);
    Frame.translate();
    start();
    const details = main.querySelectorAll("details");
    if (details.length === open.length) details.forEach((each, place) => { each.open = open[place]; });
    for (const [id, value] of values) fill(document.getElementById(id), value);
    window.scrollTo({ top, behavior: "instant" });
  }

  function unfolded(main) {
    return [...main.querySelectorAll("details")].map((each) => each.open);
  }

  function filledIn(main) {
    return [...main.querySelectorAll(KEPT)].map((each) => [each.id, each.value]);
  }

  function fill(field, value) {
    if (!field || field.value === value) return;
    field.value = value;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  }

  return { follow };
})();
