// The drawing: the server makes it, the page adds the cursor, hints and clicks.

import { byId } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 28; // pixels of the drawing's frame

const MIN_WIDTH = 520; // of a drawing: on narrower screens it is scrolled, since rows of two words cannot be read

/** Width that a drawing may have. */
export const drawingWidth = () => Math.max(MIN_WIDTH, Math.min(4096, byId("tree").clientWidth - MARGIN));

/** Show a drawing; what it says is text, escaped by the server. */
export function paint(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  byId("tree").replaceChildren(document.importNode(parsed, true));
}

const formOf = (word) => byId("tree").querySelector(`text.form[data-word="${word}"]`);

/** Frame the word under the cursor, and mark its arc. */
export function showCursor(word, isPicked = false) {
  const drawing = byId("tree").firstElementChild;
  const form = formOf(word);
  if (!drawing || !form) return;
  for (const old of drawing.querySelectorAll(".cursor")) old.remove();
  for (const arc of drawing.querySelectorAll(".arc")) {
    arc.classList.toggle("current", arc.getAttribute("data-word") === String(word) && !arc.classList.contains("rejected"));
  }
  const box = form.getBBox();
  const frame = document.createElementNS(SVG, "rect");
  frame.setAttribute("class", isPicked ? "cursor picked" : "cursor");
  for (const [name, value] of Object.entries({ x: box.x - 5, y: box.y - 1, width: box.width + 10, height: box.height + 2, rx: 5 })) {
    frame.setAttribute(name, String(value));
  }
  form.before(frame);
  form.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Write hints on words; null removes them. hints: word -> letters, those that fit what was typed. */
export function showHints(hints) {
  const drawing = byId("tree").firstElementChild;
  if (!drawing) return;
  for (const old of drawing.querySelectorAll(".hint-mark")) old.remove();
  drawing.classList.toggle("hinted", hints !== null);
  for (const [word, letters] of hints ?? []) {
    const form = formOf(word);
    if (!form) continue;
    const box = form.getBBox();
    const mark = document.createElementNS(SVG, "g");
    mark.setAttribute("class", "hint-mark");
    const width = 9 * letters.length + 8;
    const middle = box.x + box.width / 2;
    const ground = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: middle - width / 2, y: box.y - 17, width, height: 17, rx: 4 })) {
      ground.setAttribute(name, String(value));
    }
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", String(middle));
    text.setAttribute("y", String(box.y - 4));
    text.setAttribute("data-hint", letters);
    text.setAttribute("data-for", String(word));
    text.textContent = letters;
    mark.append(ground, text);
    drawing.append(mark);
  }
}

/** Call back when a word, the label of an arc, or nothing of these is clicked. */
export function onClick(word, label, ground) {
  byId("tree").addEventListener("click", (event) => {
    const element = /** @type {Element} */ (event.target);
    const arc = element.closest(".arc");
    if (arc) label(Number(arc.getAttribute("data-word")), Number(arc.getAttribute("data-head")));
    else if (element.closest("[data-word]")) word(Number(element.closest("[data-word]").getAttribute("data-word")));
    else ground();
  });
}

/** Whether the drawing runs from right to left: arrows follow the screen. */
export const isRightToLeft = () => formOf(1)?.getAttribute("direction") === "rtl";
