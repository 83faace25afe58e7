// What takes the keys in place of the tree: choosing a label, typing a value, choosing a word by its hint. An editor has
// an element in the panel, `press(key, event)`, `focus()` and `close()`; none covers the tree.

import { make, percent } from "./dom.js";
import { hintsFor, labelCharacter } from "./keys.js";
import { run } from "./state.js";
import { showHints } from "./tree.js";

const SHOWN = 8; // options of a list

/** Choose a label by typing a part of it. options: [value, probability], the most probable first. */
export function labelChooser({ title, options, choose, close }) {
  let typed = "";
  let selected = 0;
  const list = make("ol", { class: "options" });
  const shown = make("output", { class: "typed" });
  const element = make("section", { class: "editor" }, make("h3", {}, title), shown, list);

  function matches() {
    const part = typed.toLowerCase();
    const rank = ([value]) => {
      const label = value.toLowerCase();
      return label === part ? 0 : label.startsWith(part) ? 1 : label.includes(part) ? 2 : 3;
    };
    const fitting = options.filter((option) => rank(option) < 3).sort((one, other) => rank(one) - rank(other));
    return fitting.length || !typed ? fitting : [[typed, null]];
  }

  function show() {
    shown.textContent = typed || "type a part of it";
    const items = matches().slice(0, SHOWN);
    selected = Math.min(selected, Math.max(0, items.length - 1));
    list.replaceChildren(
      ...items.map(([value, probability], i) =>
        make(
          "li",
          {},
          make(
            "button",
            { type: "button", class: i === selected ? "choice selected" : "choice", onclick: () => run(() => choose(value)) },
            make("span", { class: "what" }, make("b", {}, value)),
            make("span", { class: "worth" }, probability === null ? "new here" : percent(probability)),
          ),
        ),
      ),
    );
  }

  async function press(key, event) {
    if (key === "Escape") return close();
    if (key === "Enter" || key === "Tab") {
      const option = matches()[selected];
      return option ? choose(option[0]) : close();
    }
    if (key === "Up" || key === "Down") selected = Math.max(0, selected + (key === "Down" ? 1 : -1));
    else if (key === "Backspace") typed = typed.slice(0, -1);
    else {
      const character = labelCharacter(event);
      if (character === null) return undefined;
      typed += character;
      selected = 0;
    }
    return show();
  }

  show();
  return { element, press, close, keys: [["Enter", "take"], ["↑ ↓", "select"], ["Esc", "leave"]] };
}

/**
 * Type values. fields: [{name, value}]; save gets the values by name. suggest: what was typed -> values to choose from.
 */
export function valueEditor({ title, fields, save, close, suggest = null, hint = "" }) {
  const inputs = fields.map(({ name, value }) =>
    make("input", { type: "text", dir: "auto", value, "aria-label": name, autocomplete: "off", spellcheck: "false" }),
  );
  const list = make("ul", { class: "options" });
  const element = make(
    "section",
    { class: "editor" },
    make("h3", {}, title),
    ...inputs.map((input, i) => (fields.length > 1 ? make("label", {}, fields[i].name, input) : input)),
    list,
    hint && make("p", { class: "hint" }, hint),
  );
  const commit = () => save(Object.fromEntries(fields.map(({ name }, i) => [name, inputs[i].value])), inputs);

  function show() {
    if (!suggest) return;
    list.replaceChildren(
      ...suggest(inputs[0].value).map(([text, isChosen]) =>
        make("li", {}, make("button", { type: "button", class: isChosen ? "chip chosen" : "chip", onclick: () => run(() => pick(text)) }, text)),
      ),
    );
  }

  async function pick(text) {
    inputs[0].value = text;
    await commit();
    show();
  }

  async function press(key, event) {
    if (key === "Escape") return close();
    if (key === "Enter") {
      await commit();
      return show();
    }
    const input = inputs.includes(document.activeElement) ? document.activeElement : inputs[0];
    if (event.key.length === 1 && event.target !== input) input.value += event.key; // typed before the field had the focus
    return show();
  }

  element.addEventListener("input", show);
  show();
  const focus = () => {
    if (inputs.includes(document.activeElement)) return;
    inputs[0].focus();
    inputs[0].setSelectionRange(inputs[0].value.length, inputs[0].value.length);
  };
  return { element, press, close, focus, keys: [["Enter", "save"], ["Esc", "leave"]] };
}

/** Choose a word by the letters on it; 0 is the root where that is allowed. */
export function wordChooser({ title, count, allowRoot, choose, close }) {
  const hints = hintsFor(count);
  let typed = "";
  const show = () =>
    showHints(hints.map((letters, i) => [i + 1, letters]).filter(([, letters]) => letters.startsWith(typed)));

  async function press(key) {
    if (key === "Escape") return close();
    if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key === "0" && allowRoot) return choose(0);
    else if (/^[a-z]$/i.test(key)) {
      const next = typed + key.toLowerCase();
      const word = hints.indexOf(next) + 1;
      if (word) return choose(word);
      if (hints.some((letters) => letters.startsWith(next))) typed = next;
    }
    return show();
  }

  show();
  return { element: null, title, press, show, close, keys: [["letters", title], ...(allowRoot ? [["0", "root"]] : []), ["Esc", "leave"]] };
}

/** Choose one of several actions by its number. actions: [{text, act}] */
export function actionChooser({ title, actions, close }) {
  const list = make("ol", { class: "alternatives" });
  for (const [i, { text, act }] of actions.entries()) {
    list.append(make("li", {}, make("button", { type: "button", class: "choice", onclick: () => run(act) }, make("kbd", {}, String(i + 1)), text)));
  }
  const element = make("section", { class: "editor problem" }, make("h3", {}, title), list);
  const press = async (key) => (key === "Escape" ? close() : actions[Number(key) - 1]?.act());
  return { element, press, close, keys: [["1 …", "choose"], ["Esc", "leave"]] };
}
