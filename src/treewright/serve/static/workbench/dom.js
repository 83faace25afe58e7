// Small helpers: elements, percentages, names of words.

export const byId = (/** @type {string} */ id) => document.getElementById(id);

/** Make an element; children that are strings become text, so nothing in them is markup. */
export function make(/** @type {string} */ name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function percent(/** @type {number} */ probability) {
  if (probability < 0.005) return "< 1 %";
  return probability > 0.995 && probability < 1 ? "> 99 %" : `${Math.round(100 * probability)} %`;
}

export const points = (/** @type {number} */ difference) => difference.toFixed(2).replace("-", "−");

/** What a change does to the score: what a person decided can score less than what the model would choose. */
export const costs = (/** @type {number} */ loss) => `${loss < 0 ? "gains" : "costs"} ${points(Math.abs(loss))} points of the model's score`;

/** A form as it is quoted in running text: isolated, so that its direction does not disturb the sentence around it. */
export const quoted = (/** @type {string} */ form) => make("bdi", { class: "form" }, clip(form));

export function clip(/** @type {string} */ text, limit = 60) {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** The name of a node in running text: "the root", "no head", or the form of a word, numbered if it is not unique. */
export function nodeName(sentence, number) {
  if (number === 0) return make("span", {}, "the root");
  if (number < 0) return make("span", {}, "no head");
  const { form } = sentence.words[number - 1];
  const isUnique = sentence.words.filter((word) => word.form === form).length === 1;
  return make("span", {}, quoted(form), isUnique ? "" : make("small", {}, ` ${number}`));
}

/** Join elements as a list in running text: a, b and c. */
export function listed(elements) {
  return elements.flatMap((element, i) => {
    if (i === 0) return [element];
    return [i === elements.length - 1 ? " and " : ", ", element];
  });
}

/** Call a function after the next painting; at once in a tab that is not painted. */
export function afterPainting(/** @type {() => void} */ call) {
  if (document.hidden) call();
  else requestAnimationFrame(() => setTimeout(call));
}
