"use strict";
// What every page shares: its data, its languages, its two themes, and elements made without markup.
const Frame = (() => {
  const listeners = [];
  let language = null; // both are known when the data are read
  const words = {};

  async function data(page = document) {
    const source = page.getElementById("data");
    const text = source.type === "application/json" ? source.textContent : await unpacked(source.textContent);
    source.textContent = ""; // parsed, it is held once and not twice
    const found = JSON.parse(text);
    // a page that is shown in place of this one has the language of this one, and words for its scripts
    for (const each of Object.keys(found.words)) words[each] = { ...words[each], ...found.words[each] };
    language ??= found.language;
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

  // such words with values in their places; {n:item|items} is the first word where n is 1, else the second
  function filled(code, values) {
    return t(code).replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, several) => {
      const value = String(values[name]);
      return one === undefined ? value : value === "1" ? one : several;
    });
  }

  function named(chosen, code) {
    return Object.hasOwn(words[chosen], code) ? words[chosen][code] : code;
  }

  // a name of a section of the catalogue, such as that of a part of a score; a name that is not in it is itself
  function nameOf(section, name) {
    return words[language][`${section}.${name}`] ?? name;
  }

  // the code of such a name; a name that is not in the section is itself
  function codeOf(section, name) {
    const code = `${section}.${name}`;
    return Object.hasOwn(words[language], code) ? code : name;
  }

  // the same in every language as attributes: what has them changes with the language by itself
  function translated(code) {
    return Object.fromEntries(languages().map((each) => [`data-${each}`, named(each, code)]));
  }

  // of a text in every language the one that the page shows
  function chosen(texts) {
    return texts[languages().indexOf(language)];
  }

  function languages() {
    return Object.keys(words);
  }

  function word(code) {
    return element("span", translated(code), t(code));
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
    return value > 1 && Number.isInteger(value) ? String(value) : value.toFixed(digits).replace(/^-(?=[0.]*$)/, "");
  }

  function following() {
    const all = languages();
    return all[(all.indexOf(language) + 1) % all.length];
  }

  // what the page has in every language, in the one that it shows
  function translate() {
    for (const each of document.querySelectorAll("[data-en]")) each.textContent = each.getAttribute(`data-${language}`);
    for (const each of document.querySelectorAll("[data-label-en]")) {
      each.setAttribute("aria-label", each.getAttribute(`data-label-${language}`));
    }
  }

  function switchLanguage(next) {
    language = next;
    document.documentElement.lang = t("language.tag");
    translate();
    const button = document.getElementById("language-switch");
    button.textContent = named(following(), "language.name");
    button.lang = named(following(), "language.tag");
    for (const listener of listeners) listener(language);
  }

  function switchTheme(theme) {
    document.documentElement.dataset.theme = theme;
  }

  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  switchTheme(prefersDark ? "dark" : "light");
  document.getElementById("theme-switch").addEventListener("click", () => {
    switchTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
  document.getElementById("language-switch").addEventListener("click", () => {
    if (language) switchLanguage(following());
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
    codeOf,
    nameOf,
    translated,
    translate,
    chosen,
    filled,
    word,
    number,
    language: () => language,
    tag: () => t("language.tag"),
    onLanguage: (listener) => listeners.push(listener),
  };
})();
