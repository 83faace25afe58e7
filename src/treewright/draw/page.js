// The page: draws a sentence when it comes near the window, filters, sorts, saves, follows the keyboard.
document.documentElement.classList.add("scripted");
(() => {
  const find = (id) => document.getElementById(id);
  const header = document.querySelector("header"), mains = document.getElementsByTagName("main");
  const [search, wrong, order, theme, shown] = ["search", "wrong", "order", "theme", "shown"].map(find);
  const articles = [], contents = new Map(), texts = new Map();

  const dataOf = (article) => {
    if (!contents.has(article)) contents.set(article, JSON.parse(article.querySelector("script").textContent));
    return contents.get(article);
  };

  // The drawings of a sentence: a tree of phrases may have its dependencies below.
  const drawingsOf = (article) => [dataOf(article), dataOf(article).below].filter(Boolean);
  // The widest layout that fits, or the narrowest.
  const fitting = (layouts, width) => layouts.find(([inner]) => inner + 2 * C.MARGIN <= width) || layouts[layouts.length - 1];
  const svgsOf = (article, layouts) => {
    const title = article.querySelector(".text").textContent;
    return drawingsOf(article).map((data, i) => drawing(data, title, layouts[i]));
  };

  function draw(article, isStale = false) {
    const target = article.querySelector(".drawing") || article.appendChild(newTarget(article));
    const layouts = drawingsOf(article).map((data) => fitting(data.layouts, target.clientWidth));
    if (!isStale && target.layouts && layouts.every((layout, i) => layout === target.layouts[i])) return;
    target.layouts = layouts;
    target.innerHTML = svgsOf(article, layouts).join("\n");
  }

  function newTarget(article) {
    const save = document.createElement("button");
    save.type = "button";
    save.className = "save";
    save.textContent = "save SVG";
    save.addEventListener("click", () => saveDrawing(article));
    article.querySelector("h2").append(save);
    const target = document.createElement("div");
    target.className = "drawing";
    return target;
  }

  function saveDrawing(article) {
    const drawn = stacked(svgsOf(article, article.querySelector(".drawing").layouts));
    const style = C.STYLE_SHEET + (drawn.includes(` ${C.MARKED}"`) ? C.MARK_STYLE : "");
    const svg = drawn.replace("<rect", () => `${style}<rect`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = `${(article.querySelector(".name")?.textContent || article.id).replace(/[^\p{L}\p{N}._-]+/gu, "_")}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // Several drawings as one, below each other, as in stack.py.
  function stacked(svgs) {
    if (svgs.length === 1) return svgs[0];
    let y = 0, widest = 0;
    const placed = svgs.map((svg) => {
      const [, width, height] = svg.match(/ width="(\d+)" height="(\d+)"/).map(Number);
      const inner = svg.replace("<svg ", `<svg y="${y}" `);
      y += height;
      widest = Math.max(widest, width);
      return inner;
    });
    return fill(C.STACK, { width: widest, height: y, style: "", drawings: placed.join("") });
  }

  const near = new IntersectionObserver(
    (entries) => entries.forEach((entry) => {
      entry.target.near = entry.isIntersecting;
      if (entry.isIntersecting) draw(entry.target);
    }),
    { rootMargin: "600px" },
  );
  addEventListener("resize", () => articles.forEach((article) => article.near && draw(article)));

  // While the page is still being read, articles that have arrived are drawn already. The last one may be incomplete.
  function collect() {
    const complete = document.readyState !== "loading";
    const found = mains.length ? mains[0].children : [];
    const arrived = found.length - (complete ? 0 : 1);
    for (let i = articles.length; i < arrived; i++) {
      articles.push(found[i]);
      near.observe(found[i]);
      if (i < 3) draw(found[i]); // the first screen, a frame before the observer reports it
    }
    if (!complete) requestAnimationFrame(collect);
  }

  function finish() {
    const end = find("end");
    find("summary").append(...end.querySelector(".summary").childNodes);
    header.append(...end.querySelectorAll(".legend"));
    wrong.parentNode.hidden = !("judged" in end.dataset);
    order.hidden = !("doubted" in end.dataset);
    const target = location.hash && find(location.hash.slice(1));
    if (target) target.scrollIntoView();
  }

  function textOf(article) {
    if (!texts.has(article)) {
      const parts = drawingsOf(article).flatMap((data) =>
        data.nodes ? data.nodes.map((node) => node[1]) : [...data.words.flat(), ...data.arcs.map((arc) => arc[3])]);
      texts.set(article, `${article.querySelector("h2").textContent} ${article.querySelector(".text").textContent} ${parts.join(" ")}`.toLowerCase());
    }
    return texts.get(article);
  }

  function filter() {
    const { terms, arcs } = parsed(search.value);
    let count = 0;
    for (const article of articles) {
      const fits = (!wrong.checked || article.dataset.wrong > 0) &&
        terms.every((term) => textOf(article).includes(term)) && arcs.every((arc) => drawingsOf(article).some((data) => arcFits(data, arc)));
      article.hidden = !fits;
      count += fits;
      const changed = fits && drawingsOf(article).map((data) => mark(data, terms, arcs)).some(Boolean);
      if (changed && article.querySelector(".drawing")) draw(article, true);
    }
    shown.textContent = count === articles.length ? "" : `${count} of ${articles.length} shown`;
  }

  const number = (article) => +article.id.slice(1);

  function sort() {
    const key = order.value === "doubt" ? (article) => +(article.dataset.doubt ?? 1) : number;
    articles.sort((a, b) => key(a) - key(b) || number(a) - number(b));
    mains[0].append(...articles);
  }

  function move(step) {
    const visible = articles.filter((article) => !article.hidden);
    const top = header.getBoundingClientRect().bottom + 24;
    const focused = visible.indexOf(document.activeElement.closest("article"));
    const here = focused >= 0 ? focused : visible.findIndex((article) => article.getBoundingClientRect().bottom > top) - (step > 0);
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

  function save() {
    const article = document.activeElement.closest("article");
    if (article) saveDrawing(article);
  }

  let waiting;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  wrong.addEventListener("change", filter);
  order.addEventListener("change", sort);
  theme.addEventListener("click", flipTheme);
  addEventListener("beforeprint", () => articles.forEach((article) => article.hidden || draw(article)));
  document.addEventListener("DOMContentLoaded", () => { collect(); finish(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; filter(); }
      if (event.key === "Escape" || event.key === "Enter") search.blur();
      return;
    }
    if (event.target.tagName === "SELECT") return;
    const action = { j: () => move(1), k: () => move(-1), "/": () => search.focus(), t: flipTheme, s: save }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  requestAnimationFrame(collect);
})();
