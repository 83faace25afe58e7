// The panel of the word under the cursor: alternatives, columns, features, lint, notes.

import { byId, clip, costs, make, nodeName, percent, quoted } from "./dom.js";
import { difference } from "./screens.js";
import { app, wordOf } from "./state.js";

/** Draw the panel. act: name of a command and its arguments -> what is done. */
export function showPanel(act) {
  const { sentence, word: number } = app;
  const word = sentence && wordOf(number);
  if (!word) return byId("panel").replaceChildren();
  byId("panel").replaceChildren(
    heading(word),
    app.mode?.element ?? null,
    app.mode?.element ? null : adjudication(act),
    headList(word, act),
    explanation(),
    columns(word, act),
    features(word, act),
    messages(word, act),
    notes(word, act),
  );
  // replaceChildren writes null as text
  for (const node of [...byId("panel").childNodes]) if (node.nodeType === Node.TEXT_NODE) node.remove();
  app.mode?.focus?.();
}

function heading(word) {
  return make(
    "header",
    {},
    make("h2", { dir: "auto" }, clip(word.form, 40)),
    make("span", { class: "number" }, `word ${word.number} of ${app.sentence.words.length}`),
  );
}

function headList(word, act) {
  const { sentence } = app;
  const state = word.states.HEAD;
  const current = make(
    "div",
    { class: `choice current ${state ?? "open"}` },
    make("span", { class: "what" }, nodeName(sentence, word.head), " ", make("b", {}, word.deprel === "_" ? "" : word.deprel)),
    make("span", { class: "worth" }, state === "suggested" && word.confidence !== null ? percent(word.confidence) : (state ?? "open")),
  );
  const list = make("ol", { class: "alternatives" });
  const known = app.alternatives;
  const isCurrent = known && known.word === word.number && known.sentence === sentence;
  for (const [i, item] of (isCurrent ? known.list : []).entries()) {
    list.append(
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", class: "choice", onclick: () => act("alternative", i + 1) },
          make("kbd", {}, String(i + 1)),
          make("span", { class: "what" }, nodeName(sentence, item.head), " ", make("b", {}, item.deprel)),
          make("span", { class: "worth", title: costs(item.cost) }, percent(item.probability)),
        ),
      ),
    );
  }
  const others = make(
    "div",
    { class: "row" },
    button("h", "any head", () => act("head")),
    button("0", "root", () => act("root")),
    button("x", "not this head", () => act("reject")),
    button("Space", "confirm", () => act("confirm")),
  );
  return make("section", {}, make("h3", {}, "Head"), current, list, others);
}

function button(key, text, onclick) {
  return make("button", { type: "button", class: "small", onclick }, make("kbd", {}, key), ` ${text}`);
}

function columns(word, act) {
  const rows = [
    ["l", "relation", word.deprel, "relation", word.states.DEPREL],
    ["t", "UPOS", word.upos, "tag", word.states.UPOS],
    ["m", "lemma", word.lemma, "lemma", word.states.LEMMA],
    ["o", "XPOS", word.xpos, "other", word.states.XPOS],
    ["o", "MISC", word.misc, "other", word.states.MISC],
  ];
  if (word.deps !== "_") rows.push(["", "DEPS", word.deps, null, null]);
  const table = make("dl", { class: "columns" });
  for (const [key, name, value, command, state] of rows) {
    const shown = make("bdi", {}, clip(value, 80));
    table.append(
      make("dt", {}, key ? make("kbd", {}, key) : "", ` ${name}`),
      make("dd", { class: state ?? "" }, command ? make("button", { type: "button", onclick: () => act(command) }, shown) : shown),
    );
  }
  return make("section", {}, make("h3", {}, "Columns ", guidelineLink(word.guideline, word.deprel)), table);
}

/** A link to a guideline; it opens a tab of its own, and only when it is clicked. */
function guidelineLink(address, name) {
  return address ? make("a", { class: "guideline", href: address, target: "_blank", rel: "noreferrer noopener" }, `guideline of ${name}`) : null;
}

function features(word, act) {
  const pairs = word.feats === "_" ? [] : word.feats.split("|");
  const list = make("ul", { class: "chips" });
  for (const pair of pairs) list.append(make("li", {}, pair));
  if (!pairs.length) list.append(make("li", { class: "none" }, "none"));
  const edit = button("f", "edit", () => act("features"));
  return make("section", {}, make("h3", {}, "Features ", edit), list);
}

function messages(word, act) {
  const own = app.sentence.lint.filter((message) => message.word === word.number || message.word === null);
  if (!own.length) return null;
  const list = make("ul", { class: "lint" });
  for (const message of own) {
    list.append(
      make(
        "li",
        {},
        message.reason,
        " ",
        message.mend ? make("button", { type: "button", class: "small", onclick: () => act("mend", message) }, make("kbd", {}, "y"), " mend") : null,
      ),
    );
  }
  return make("section", {}, make("h3", {}, "Check"), list);
}

function notes(word, act) {
  if (!word.notes.length && !word.isUnsure) return null;
  return make(
    "section",
    {},
    make("h3", {}, "Note"),
    word.isUnsure ? make("p", {}, "Marked as unsure: open, and not used for training.") : null,
    ...word.notes.map((note) => make("p", { dir: "auto", class: "note", onclick: () => act("note") }, make("b", {}, note.author), ` ${note.text}`)),
  );
}

function adjudication(act) {
  const current = difference();
  if (!current) return null;
  const list = make("ol", { class: "alternatives" });
  for (const [i, [layer, cells]] of Object.entries(current.answers).entries()) {
    list.append(
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", class: "choice", onclick: () => act("take", layer) },
          make("kbd", {}, String.fromCharCode(97 + i)),
          make("span", { class: "what" }, make("i", {}, layer), " ", ...answerText(cells)),
        ),
      ),
    );
  }
  return make("section", { class: "difference" }, make("h3", {}, "Whose answer?"), list);
}

function answerText(cells) {
  return Object.entries(cells).flatMap(([column, value]) => {
    if (column === "HEAD") return [nodeName(app.sentence, value === "_" ? -1 : Number(value)), " "];
    return [make("b", {}, column === "DEPREL" ? value : `${column} ${value}`), " "];
  });
}

function explanation() {
  const answer = app.explanation;
  if (!answer || answer.word !== app.word) return null;
  const { sentence } = app;
  const moves = answer.moves.filter((move) => move.word !== answer.word);
  const name = [quoted(wordOf(answer.word).form), " under ", nodeName(sentence, answer.head)];
  const list = moves.map((move) =>
    make("li", {}, quoted(wordOf(move.word).form), ": ", nodeName(sentence, move.head), " → ", nodeName(sentence, move.rival_head)),
  );
  return make(
    "section",
    { class: "why" },
    make("h3", {}, "Why not?"),
    make("p", {}, ...name, ` ${costs(answer.loss)}.`, moves.length ? " These words would move:" : " No other word would move."),
    make("ul", {}, ...list),
  );
}
