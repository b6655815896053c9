"use strict";
// What every page shares: its data, its two languages, its two themes, and elements made without markup.
const Frame = (() => {
  const listeners = [];
  let language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
  let words = { en: {}, zh: {} };

  async function data() {
    const source = document.getElementById("data");
    const text = source.type === "application/json" ? source.textContent : await unpacked(source.textContent);
    source.textContent = ""; // parsed, it is held once and not twice
    const found = JSON.parse(text);
    words = found.words;
    return found;
  }

  async function unpacked(text) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at); // ten times as fast as Uint8Array.from
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  // the words of a code in the language that the page shows; a name that has no code is itself
  function t(code) {
    return named(language, code);
  }

  function named(tongue, code) {
    return Object.hasOwn(words[tongue], code) ? words[tongue][code] : code;
  }

  // the same as attributes: what has them changes with the language by itself
  function spoken(code) {
    return { "data-en": named("en", code), "data-zh": named("zh", code) };
  }

  function word(code) {
    return element("span", spoken(code), t(code));
  }

  // an element; texts are set as text and never as markup
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat(2)) if (child !== null && child !== undefined) made.append(child);
    return made;
  }

  function number(value, digits = 4) {
    if (value === null || value === undefined) return "–";
    return value > 1 && Number.isInteger(value) ? String(value) : value.toFixed(digits);
  }

  function switchLanguage(chosen) {
    language = chosen;
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    for (const each of document.querySelectorAll("[data-en]")) each.textContent = each.dataset[language];
    for (const each of document.querySelectorAll("[data-label-en]")) {
      each.setAttribute("aria-label", each.getAttribute(`data-label-${language}`));
    }
    const button = document.getElementById("language-switch");
    button.textContent = language === "zh" ? "English" : "中文";
    button.lang = language === "zh" ? "en" : "zh-CN";
    for (const listener of listeners) listener(language);
  }

  function switchTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.getElementById("theme-switch").setAttribute("aria-pressed", String(theme === "dark"));
  }

  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  switchTheme(prefersDark ? "dark" : "light");
  document.getElementById("theme-switch").addEventListener("click", () => {
    switchTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
  document.getElementById("language-switch").addEventListener("click", () => {
    switchLanguage(language === "zh" ? "en" : "zh");
  });
  // paper is white, whatever the screen was, and cannot be unfolded
  let screen = null;
  let folded = [];
  window.addEventListener("beforeprint", () => {
    screen = document.documentElement.dataset.theme;
    switchTheme("light");
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    switchTheme(screen);
    for (const each of folded) each.open = false;
  });

  return {
    data,
    element,
    t,
    spoken,
    word,
    number,
    language: () => language,
    onLanguage: (listener) => listeners.push(listener),
  };
})();
