"use strict";
(() => {
  const articles = [...document.querySelectorAll("article")];
  const find = (id) => document.getElementById(id);
  const [search, wrong, order, theme, shown] = ["search", "wrong", "order", "theme", "shown"].map(find);
  const words = new Map(); // article -> the text that the filter searches, collected on first use

  function contents(article) {
    if (!words.has(article)) words.set(article, article.textContent.toLowerCase());
    return words.get(article);
  }

  function filter() {
    const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const article of articles) {
      const fits = (!wrong || !wrong.checked || article.dataset.wrong > 0) &&
        terms.every((word) => contents(article).includes(word));
      article.hidden = !fits;
      count += fits;
    }
    shown.textContent = count === articles.length ? "" : `${count} of ${articles.length} shown`;
  }

  function sort() {
    const key = order.value === "doubt" ? (article) => +article.dataset.doubt : (article) => +article.dataset.number;
    articles.sort((a, b) => key(a) - key(b) || a.dataset.number - b.dataset.number);
    document.querySelector("main").append(...articles);
  }

  function move(step) {
    const visible = articles.filter((article) => !article.hidden);
    const top = document.querySelector("header").offsetHeight + 24;
    const focused = visible.indexOf(document.activeElement);
    let here = focused >= 0 ? focused : visible.findIndex((article) => article.getBoundingClientRect().bottom > top) - (step > 0);
    const next = visible[Math.max(0, Math.min(visible.length - 1, here + step))];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView();
    history.replaceState(null, "", `#${next.id}`);
  }

  function flipTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  search.addEventListener("input", filter);
  if (wrong) wrong.addEventListener("change", filter);
  if (order) order.addEventListener("change", sort);
  theme.addEventListener("click", flipTheme);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; filter(); }
      if (event.key === "Escape" || event.key === "Enter") search.blur();
      return;
    }
    if (event.target.tagName === "SELECT") return;
    const action = { j: () => move(1), k: () => move(-1), "/": () => search.focus(), t: flipTheme }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  document.body.classList.add("scripted");
})();
