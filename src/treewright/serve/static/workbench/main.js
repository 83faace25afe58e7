// The page: loads a project, opens sentences, carries out keys and clicks. Every change is sent at once; the server
// answers with the best tree that agrees with everything decided, and draws it.

import { change, get, logIn, onSaved, Refused } from "./api.js";
import { afterPainting, byId, listed, make, nodeName, points, quoted } from "./dom.js";
import { actionChooser, labelChooser, valueEditor, wordChooser } from "./editors.js";
import { isTyping, keyOf } from "./keys.js";
import { showPanel } from "./panel.js";
import { chooseQueue, hasHits, neighbour, neighbourWord, reloadQueue, search, showPlace, showQueues, startQueue, stepHit } from "./queue.js";
import { difference, showScreen } from "./screens.js";
import { app, onProblem, readSentence, run, wordOf } from "./state.js";
import { drawingWidth, isRightToLeft, onClick, paint, showCursor, showHints } from "./tree.js";

const SETTLED = 40; // milliseconds between two words whose alternatives are asked for; a held arrow key passes more

const visited = new Set(); // doubtful words that Tab has shown in this visit
let prepared = null; // {id, layer, width, answer}: the next sentence, asked for while this one is read
let settling = 0;
let moved = -SETTLED; // when the cursor or the tree changed last

// -- opening and showing

const view = () => new URLSearchParams({ layer: app.layer, width: String(drawingWidth()) });

function ask(id) {
  const [layer, width] = [app.layer, drawingWidth()];
  if (prepared?.id === id && prepared.layer === layer && prepared.width === width) return prepared.answer;
  return get(`sentences/${id}?${view()}`);
}

async function open(id, word = 1) {
  closeMode();
  if (app.view !== "sentence") await show("sentence"); // the width of the drawing is that of the visible page
  const answer = await ask(id);
  prepared = null;
  visited.clear();
  Object.assign(app, { explanation: null, conflict: [], alternatives: null, isPicked: false });
  news();
  showSentence(answer, word);
  if (word === 1) for (const element of [byId("sentence"), document.documentElement]) element.scrollTop = 0;
  prepareNext();
}

async function prepareNext() {
  const id = await neighbour(1).catch(() => undefined);
  if (id === undefined) return;
  const answer = get(`sentences/${id}?${view()}`);
  answer.catch(() => {}); // asked for again when it is opened
  prepared = { id, layer: app.layer, width: drawingWidth(), answer };
}

function showSentence(answer, word = app.word) {
  app.sentence = readSentence(answer);
  app.word = Math.min(Math.max(word, 1), app.sentence.words.length);
  const { sentence } = app;
  paint(sentence.svg);
  byId("sent-id").textContent = sentence.sent_id ?? `sentence ${sentence.id}`;
  byId("status").textContent = sentence.status === "accepted" ? "accepted ✓" : sentence.status;
  byId("status").dataset.status = sentence.status;
  byId("layer").textContent = app.layer === app.project.layer ? "" : `layer ${app.layer}`;
  byId("labels").replaceChildren(...sentence.labels.map((label) => make("li", {}, label)));
  byId("text").textContent = sentence.text;
  const translation = sentence.comments.find((comment) => /^#?\s*text_en\s*=/.test(comment));
  byId("translation").hidden = !translation;
  byId("translation").textContent = translation ? translation.replace(/^[^=]*=\s*/, "") : "";
  showProof();
  showColumns();
  showPlace();
  showWord();
}

/** Show the cursor, the panel and the keys; then record the state in the attributes of the body. */
function showWord() {
  const { sentence, word } = app;
  showCursor(word, app.isPicked);
  refreshPanel();
  clearTimeout(settling);
  const rest = SETTLED - (performance.now() - moved);
  moved = performance.now();
  settling = setTimeout(() => loadAlternatives().catch(() => {}), Math.max(0, rest));
  afterPainting(() => {
    if (app.sentence !== sentence || app.word !== word) return;
    Object.assign(document.body.dataset, {
      sentence: sentence.id,
      word,
      heads: sentence.heads.join(" "),
      seq: sentence.seq,
      revision: sentence.revision,
      status: sentence.status,
    });
  });
}

function refreshPanel() {
  showPanel(act);
  showKeys();
}

/** Return the alternatives of the word under the cursor; they are asked for once for each state of the sentence. */
function loadAlternatives() {
  const { sentence, word } = app;
  const known = app.alternatives;
  if (known && known.word === word && known.sentence === sentence) return known.answer;
  const question = new AbortController();
  const path = `sentences/${sentence.id}/alternatives?word=${word}&layer=${encodeURIComponent(app.layer)}`;
  const answer = get(path, question.signal).then(
    ({ alternatives }) => {
      asked.list = alternatives;
      if (app.alternatives === asked && app.sentence === sentence && app.word === word && !app.mode?.element) showPanel(act);
      return alternatives;
    },
  );
  const asked = { sentence, word, answer, question, list: [] };
  app.alternatives = asked;
  answer.catch(() => app.alternatives === asked && (app.alternatives = null)); // asked for again by the next key
  return answer;
}

function showProof() {
  const { sentence } = app;
  const badge = byId("proof");
  badge.hidden = !sentence.proof;
  badge.dataset.state = sentence.certified ? "proven" : "open";
  badge.firstElementChild.textContent = [sentence.proof, sentence.note].filter(Boolean).join(" ");
  const facts = [
    ["score", sentence.score === null ? "–" : points(sentence.score)],
    ["bound", sentence.bound === null ? "–" : points(sentence.bound)],
    ["gap", sentence.gap === null ? "–" : points(sentence.gap)],
    ["expected errors left", sentence.expected_errors === null ? "–" : sentence.expected_errors.toFixed(1)],
  ];
  badge.lastElementChild.replaceChildren(...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

const COLUMNS = ["form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];
const EDITORS = { lemma: "lemma", upos: "tag", xpos: "other", feats: "features", head: "head", deprel: "relation", misc: "other" };

function showColumns() {
  const details = byId("columns");
  if (!details.open) return;
  const head = make("tr", {}, make("th", {}, ""), ...COLUMNS.map((name) => make("th", {}, name.toUpperCase())));
  const rows = app.sentence.words.map((word) =>
    make(
      "tr",
      { "data-row": word.number },
      make("th", {}, String(word.number)),
      ...COLUMNS.map((name) => make("td", { class: word.states[name.toUpperCase()] ?? "", "data-column": name }, make("bdi", {}, String(word[name] === -1 ? "_" : word[name])))),
    ),
  );
  details.querySelector("table").replaceChildren(head, ...rows);
}

/** Say what happened, or nothing. */
function news(...parts) {
  byId("news").replaceChildren(...parts);
  byId("news").classList.remove("problem");
}

/** Say what went wrong: above the tree, or at the top of another screen. */
function problem(error) {
  const text = error instanceof Refused ? error.message : `The page has a problem: ${error.message}`;
  if (app.view !== "sentence") {
    byId("screen").querySelector(".alert")?.remove();
    byId("screen").prepend(make("p", { class: "alert problem", role: "alert" }, text));
    byId("screen").scrollTop = 0;
    return;
  }
  news(error instanceof Refused && error.status === 403 && !app.project ? "Open the address that `treewright annotate` printed: it has the token." : text);
  byId("news").classList.add("problem");
}

// -- changes

/** Send a change. What was asked about the sentence before it is given up: the word may no longer exist after it. */
function send(path, body) {
  clearTimeout(settling);
  app.alternatives?.question.abort();
  return change(path, body);
}

async function apply(ops, saying = null) {
  const { sentence, word } = app;
  try {
    const answer = await send(`sentences/${sentence.id}/ops?${view()}`, { base: sentence.revision, cursor: word, ops });
    await showAnswer(answer, saying);
    return true;
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error;
    if (!error.conflict.length) showSentence(await get(`sentences/${sentence.id}?${view()}`)); // changed in another window
    offerRelease(error, ops);
    return false;
  }
}

async function showAnswer(answer, saying = null) {
  const before = app.sentence;
  app.explanation = null;
  if (answer.state.id !== before.id || answer.state.text !== before.text) await reloadQueue();
  if (answer.state.text !== before.text || answer.state.labels.join() !== before.labels.join()) await loadProject();
  showSentence({ ...answer.state, svg: answer.svg, seq: answer.seq });
  const others = answer.changed.filter((word) => word !== app.word);
  const parts = saying ?? [];
  if (others.length) {
    const few = others.slice(0, 5).map((word) => quoted(wordOf(word).form));
    const names = others.length > 5 ? [...few, make("span", {}, `${others.length - 5} more`)] : few;
    news(...parts, parts.length ? "; " : "", ...listed(names), " moved along.");
  } else news(...parts, parts.length ? "." : "");
}

function offerRelease(error, ops) {
  const own = new Set(ops.map((op) => op.word));
  const arcs = error.conflict.filter(([, word]) => !own.has(word));
  app.conflict = error.conflict;
  news(error.message);
  byId("news").classList.add("problem");
  const actions = arcs.slice(0, 9).map(([head, word]) => ({
    text: make("span", {}, "release ", quoted(wordOf(word).form), " under ", nodeName(app.sentence, head)),
    act: () => (closeMode(), apply([{ kind: "release", word }, ...ops])),
  }));
  if (actions.length) setMode(actionChooser({ title: "These contradict each other: give up one", actions, close: closeMode }));
}

async function simple(path, saying) {
  const answer = await send(`sentences/${app.sentence.id}/${path}?${view()}`, {});
  await showAnswer(answer, [saying]);
}

function attach(head, deprel) {
  const form = quoted(wordOf(app.word).form);
  const op = { kind: "head", word: app.word, head, ...(deprel && { deprel }) };
  return apply([op], ["You attached ", form, " to ", nodeName(app.sentence, head)]);
}

// -- commands: name -> what it does

const commands = {
  move(step) {
    const { words } = app.sentence;
    app.word = Math.min(Math.max(app.word + step, 1), words.length);
    app.isPicked = false;
    showWord();
  },
  left: () => commands.move(isRightToLeft() ? 1 : -1),
  right: () => commands.move(isRightToLeft() ? -1 : 1),
  first: () => commands.move(-app.sentence.words.length),
  last: () => commands.move(app.sentence.words.length),
  async doubtful() {
    visited.add(app.word);
    const word = app.sentence.doubtful.find((number) => !visited.has(number));
    if (word === undefined) return commands.next();
    return commands.goTo(word);
  },
  async doubtfulBack() {
    visited.delete(app.word);
    const word = [...visited].pop();
    if (word === undefined) return commands.previous();
    visited.delete(word);
    return commands.goTo(word);
  },
  goTo(word) {
    app.word = word;
    app.isPicked = false;
    showWord();
  },
  async next() {
    const id = await neighbour(1);
    if (id === undefined) news("This is the last sentence of the queue.");
    else await open(id, neighbourWord(id));
  },
  async previous() {
    const id = await neighbour(-1);
    if (id === undefined) news("This is the first sentence of the queue.");
    else await open(id, neighbourWord(id));
  },
  async alternative(number) {
    const item = (await loadAlternatives())[number - 1];
    if (!item) return news(`There is no alternative ${number} for this word.`);
    return attach(item.head, item.deprel);
  },
  go: () => chooseWord("go to a word", false, (word) => commands.goTo(word)),
  head: () => chooseWord("choose the head", true, (head) => (head === app.word ? news("A word is not its own head.") : attach(head))),
  root: () => attach(0),
  async reject() {
    const { word } = app;
    const { head, form } = wordOf(word);
    if (head < 0) return news("This word has no head.");
    return apply([{ kind: "reject", word, head }], ["Not ", quoted(form), " under ", nodeName(app.sentence, head)]);
  },
  async confirm() {
    const { word } = app;
    if (wordOf(word).head < 0) return news("This word has no head yet: choose one with h.");
    if (!(await apply([{ kind: "confirm", word }]))) return undefined;
    const open = app.sentence.words.find((other) => other.number > word && other.states.HEAD !== "decided");
    if (open) return commands.goTo(open.number);
    return news("No open word follows. Enter accepts the sentence.");
  },
  async accept() {
    await simple("accept", "Accepted");
    const id = await neighbour(1);
    if (id === undefined) news("Accepted. This was the last sentence of the queue.");
    else await open(id, neighbourWord(id));
  },
  reopen: () => simple("reopen", "Open again"),
  async relation() {
    const options = await optionsFrom("labels");
    const choose = (deprel) => commands.label(deprel);
    setMode(labelChooser({ title: "Relation", options, choose, close: closeMode }));
  },
  async label(deprel) {
    closeMode();
    app.lastRelation = deprel;
    await apply([{ kind: "deprel", word: app.word, deprel }], [quoted(wordOf(app.word).form), ` is ${deprel}`]);
  },
  repeat: () => (app.lastRelation ? commands.label(app.lastRelation) : news("No relation was chosen yet.")),
  async tag() {
    const options = await optionsFrom("tags");
    const choose = (upos) => (closeMode(), apply([{ kind: "upos", word: app.word, upos }]));
    setMode(labelChooser({ title: "UPOS", options, choose, close: closeMode }));
  },
  features: () => editFeatures(),
  lemma: () => editValues("Lemma", [["lemma", wordOf(app.word).lemma]]),
  other: () => editValues("Other columns", [["xpos", wordOf(app.word).xpos], ["misc", wordOf(app.word).misc]]),
  note() {
    const save = ({ text }) => (closeMode(), text && apply([{ kind: "note", word: app.word, text }]));
    setMode(valueEditor({ title: "Note", fields: [{ name: "text", value: "" }], save, close: closeMode }));
  },
  labels() {
    const old = app.sentence.labels;
    const save = ({ labels }) => {
      closeMode();
      const chosen = labels.split(/\s+/).filter(Boolean);
      const changes = [
        ...chosen.filter((label) => !old.includes(label)).map((label) => ({ kind: "label", label })),
        ...old.filter((label) => !chosen.includes(label)).map((label) => ({ kind: "label", label, value: false })),
      ];
      return changes.length && apply(changes);
    };
    const hint = "Words of your own, separated by spaces. Each is a queue at the left.";
    setMode(valueEditor({ title: "Labels of the sentence", fields: [{ name: "labels", value: old.join(" ") }], save, close: closeMode, hint }));
  },
  unsure: () => apply([{ kind: "unsure", word: app.word, value: !wordOf(app.word).isUnsure }]),
  release: () => apply([{ kind: "release", word: app.word }]),
  split() {
    const { form } = wordOf(app.word);
    const save = ({ parts }) =>
      (closeMode(), apply([{ kind: "split_word", word: app.word, forms: parts.split(/[ +]+/), as_token: parts.includes("+") }], ["Split: ", parts]));
    const hint = "A space makes separate words; + makes the words of a multiword token.";
    setMode(valueEditor({ title: "Split", fields: [{ name: "parts", value: form }], save, close: closeMode, hint }));
  },
  join: () => apply([{ kind: "join_words", word: app.word }], ["Joined with the next word"]),
  token: () => {
    const token = app.sentence.tokens.find(({ first, last }) => first <= app.word && app.word <= last);
    if (token) return apply([{ kind: "dissolve_token", word: app.word }], ["Separate words"]);
    return apply([{ kind: "make_token", word: app.word, last: app.word + 1 }], ["One token with the next word"]);
  },
  insert() {
    const save = ({ form }) => (closeMode(), form && apply([{ kind: "insert_word", word: app.word, form }], ["Inserted ", quoted(form)]));
    setMode(valueEditor({ title: "Insert a word after this one", fields: [{ name: "form", value: "" }], save, close: closeMode }));
  },
  remove: () => apply([{ kind: "delete_word", word: app.word }], ["Deleted"]),
  splitSentence: () => apply([{ kind: "split_sentence", word: app.word }], ["Two sentences"]),
  joinSentences: () => apply([{ kind: "join_sentences" }], ["Joined with the next sentence"]),
  splitAtRoots: () => apply([{ kind: "split_at_roots" }], ["Split at the roots"]),
  changed() {
    const moved = app.sentence.changed;
    if (!moved.length) return news("The last decision moved no other word.");
    return commands.goTo(moved.find((word) => word > app.word) ?? moved[0]);
  },
  undo: () => (app.sentence.can_undo ? simple("undo", "Undone") : news("Nothing to undo in this sentence.")),
  redo: () => (app.sentence.can_redo ? simple("redo", "Done again") : news("Nothing to redo in this sentence.")),
  why: () =>
    chooseWord("why not this head", true, async (head) => {
      if (head === app.word) return news("A word is not its own head.");
      const answer = await get(`sentences/${app.sentence.id}/why?word=${app.word}&head=${head}&layer=${encodeURIComponent(app.layer)}`);
      app.explanation = answer;
      return refreshPanel();
    }),
  async message() {
    const words = [...new Set(app.sentence.lint.map(({ word }) => word))].filter((word) => word !== null).sort((a, b) => a - b);
    if (!words.length) return news("No messages about this sentence.");
    return commands.goTo(words.find((word) => word > app.word) ?? words[0]);
  },
  async mend(message = null) {
    const chosen = message ?? app.sentence.lint.find(({ word, mend }) => mend && (word === app.word || word === null));
    if (!chosen) return news("There is no mend for this word.");
    return apply(chosen.mend, ["Mended: ", chosen.reason]);
  },
  search: () => byId("request").focus(),
  async nextHit() {
    if (!(await stepHit(1))) news("This is the last hit.");
  },
  async previousHit() {
    if (!(await stepHit(-1))) news("This is the first hit.");
  },
  async take(layer) {
    const ops = difference().ops[layer];
    if (!ops.length) return news("The layers have other words: divide them here with s, j or w, and accept the sentence.");
    if (!(await apply(ops, [`Taken from ${layer}`]))) return undefined;
    return commands.nextHit();
  },
};

/** Options of the word under the cursor as [value, probability]. */
async function optionsFrom(name) {
  const answer = await get(`sentences/${app.sentence.id}/${name}?word=${app.word}&layer=${encodeURIComponent(app.layer)}`);
  return answer[name];
}

function chooseWord(title, allowRoot, choose) {
  const done = (word) => (closeMode(), choose(word));
  setMode(wordChooser({ title, count: app.sentence.words.length, allowRoot, choose: done, close: closeMode }));
}

function editValues(title, fields) {
  const { word } = app;
  const save = (values) => {
    closeMode();
    const changes = fields.filter(([name, old]) => values[name] !== old);
    return changes.length && apply(changes.map(([kind]) => ({ kind, word, [kind]: values[kind] || "_" })));
  };
  setMode(valueEditor({ title, fields: fields.map(([name, value]) => ({ name, value })), save, close: closeMode }));
}

async function editFeatures() {
  const { word } = app;
  app.features ??= (await get(`features?layer=${encodeURIComponent(app.layer)}`)).features;
  const pairs = () => (wordOf(word).feats === "_" ? [] : wordOf(word).feats.split("|"));
  const roster = Object.entries(app.features[wordOf(word).upos] ?? {});
  const known = roster.flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
  const suggest = (typed) => {
    const part = typed.toLowerCase();
    return [...new Set([...pairs(), ...known])].filter((pair) => pair.toLowerCase().includes(part)).map((pair) => [pair, pairs().includes(pair)]);
  };
  const save = async (values, [input]) => {
    const typed = values.feature.trim();
    if (!typed) return closeMode();
    const chosen = suggest(typed).find(([pair]) => pair === typed)?.[0] ?? (typed.includes("=") ? typed : suggest(typed)[0]?.[0]);
    input.value = "";
    if (!chosen) return news(`No feature has ${typed} in it; write Name=Value for a new one.`);
    const [name, value] = chosen.split("=");
    const others = pairs().filter((pair) => !pair.startsWith(`${name}=`));
    const isRemoved = !value || pairs().includes(chosen);
    const feats = (isRemoved ? others : [...others, chosen]).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()));
    await apply([{ kind: "feats", word, feats: feats.join("|") || "_" }]);
    return app.mode?.element.dispatchEvent(new Event("input"));
  };
  const hint = "Enter sets the first one, or removes it if it is set; an empty line leaves.";
  setMode(valueEditor({ title: "Features", fields: [{ name: "feature", value: "" }], save, close: closeMode, suggest, hint }));
}

function setMode(mode) {
  app.mode = mode;
  if (mode.element) refreshPanel();
  else showKeys();
}

function closeMode() {
  if (!app.mode) return;
  app.mode = null;
  showHints(null);
  if (isTyping(document.activeElement)) document.activeElement.blur();
  refreshPanel();
}

function act(name, ...values) {
  run(() => commands[name](...values));
}

// -- keys: key, command, what the bar says

const hasModel = () => app.sentence?.score !== null;

// Keys without a text are shown in the panel.
const KEYS = [
  ["Left", "left", "← →", "word"],
  ["Right", "right"],
  ["Up", "previous"],
  ["Down", "next"],
  ["Home", "first"],
  ["End", "last"],
  ["Tab", "doubtful", "Tab", "doubtful word"],
  ["⇧Tab", "doubtfulBack"],
  ["Space", "confirm", "Space", "confirm"],
  ["Enter", "accept", "Enter", "accept"],
  ["Backspace", "reopen", "⌫", "reopen", () => app.sentence?.status === "accepted"],
  ["h", "head", "h", "head"],
  ["0", "root"],
  ["x", "reject", "x", "not this head"],
  ["l", "relation", "l", "relation"],
  [".", "repeat", ".", "same relation", () => app.lastRelation],
  ["u", "undo", "u", "undo", () => app.sentence?.can_undo],
  ["U", "redo", "U", "redo", () => app.sentence?.can_redo],
  ["c", "changed", "c", "what moved", () => app.sentence?.changed.length],
  ["?", "why", "?", "why not", hasModel],
  ["g", "go", "g", "go to"],
  ["t", "tag"],
  ["f", "features"],
  ["m", "lemma"],
  ["o", "other"],
  ["v", "message", "v", "next message", () => app.sentence?.lint.length],
  ["y", "mend", "y", "mend", () => app.sentence?.lint.some(({ mend, word }) => mend && (word === app.word || word === null))],
  ["d", "unsure", "d", "unsure"],
  ["N", "note", "N", "note"],
  ["L", "labels", "L", "labels"],
  ["k", "release", "k", "release", () => app.sentence && (wordOf(app.word).rejected.length || wordOf(app.word).states.HEAD === "decided")],
  ["s", "split", "s", "split word"],
  ["j", "join", "j", "join"],
  ["w", "token", "w", "token"],
  ["i", "insert", "i", "insert"],
  ["Delete", "remove", "Del", "delete"],
  ["S", "splitSentence", "S", "split sentence"],
  ["J", "joinSentences", "J", "join sentence"],
  ["R", "splitAtRoots", "R", "split at roots", () => app.sentence?.heads.filter((head) => head === 0).length > 1],
  ["/", "search", "/", "search"],
  ["n", "nextHit", "n p", "hits", hasHits],
  ["p", "previousHit"],
  ["[", "previous", "[ ]", "sentence"],
  ["]", "next"],
];

async function press(key, event) {
  if (app.mode) return app.mode.press(key, event);
  if (!app.sentence || app.view !== "sentence") return undefined;
  if (key === "Escape") {
    app.isPicked = false;
    app.explanation = null;
    return showWord();
  }
  if (/^[1-5]$/.test(key)) return commands.alternative(Number(key));
  const answers = Object.keys(difference()?.answers ?? {});
  const taken = answers[key.charCodeAt(0) - 97];
  if (key.length === 1 && taken) return commands.take(taken);
  const bound = KEYS.find(([name]) => name === key);
  return bound && commands[bound[1]]();
}

function showKeys() {
  const items = app.mode
    ? app.mode.keys.map(([key, text]) => make("span", {}, make("kbd", {}, key), ` ${text}`))
    : [
        ...(hasModel() ? [make("span", {}, make("kbd", {}, "1…5"), " alternative")] : []),
        ...KEYS.filter(([, , label, , isValid]) => label && (!isValid || isValid())).map(([, command, label, text]) =>
          make("button", { type: "button", onclick: () => act(command) }, make("kbd", {}, label), ` ${text}`),
        ),
      ];
  byId("keys").replaceChildren(...items);
}

addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.code !== "KeyZ" || isTyping(event.target)) return;
    event.preventDefault();
    run(() => (event.shiftKey ? commands.redo() : commands.undo()));
    return;
  }
  if (app.view !== "sentence") return;
  const key = keyOf(event);
  if (isTyping(event.target)) {
    if (event.target.id === "request" && key === "Escape") event.target.blur();
    if (!app.mode || (key !== "Enter" && key !== "Escape") || event.target.id === "request") return;
  } else if (event.target !== document.body && ["Tab", "⇧Tab", "Enter", "Space", "Escape"].includes(key)) {
    if (key === "Escape") event.target.blur();
    return; // a button or link was reached from the search by Tab
  }
  if (key === null && !app.mode) return;
  event.preventDefault();
  run(() => press(key, event));
});

// A button that was clicked does not keep the keys Tab, Enter and Space for itself.
addEventListener("click", (event) => event.detail && event.target.closest?.("button, summary, a")?.blur());

// -- mouse: click a word, click its head

onClick(
  (word) =>
    run(() => {
      if (!Number.isInteger(word)) return undefined; // an empty node
      if (app.mode?.show) closeMode();
      if (app.isPicked && word !== app.word) return ((app.isPicked = false), attach(word));
      const isPicked = !(app.isPicked && word === app.word);
      Object.assign(app, { word, isPicked });
      news(...(isPicked ? ["Click the head of ", quoted(wordOf(word).form), ", or Esc."] : []));
      return showWord();
    }),
  (word) =>
    run(() => {
      if (!Number.isInteger(word)) return undefined;
      commands.goTo(word);
      return commands.relation();
    }),
  () => run(() => ((app.isPicked = false), app.sentence && showWord())),
);

byId("columns").addEventListener("toggle", () => app.sentence && showColumns());
byId("columns").addEventListener("click", (event) => {
  const cell = event.target.closest("td");
  if (!cell) return;
  run(() => {
    commands.goTo(Number(cell.parentElement.dataset.row));
    return commands[EDITORS[cell.dataset.column]]?.();
  });
});
byId("previous").addEventListener("click", () => act("previous"));
byId("next").addEventListener("click", () => act("next"));
byId("views").addEventListener("click", (event) => {
  const { view: name } = event.target.dataset;
  if (name) run(() => show(name));
});
byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const request = byId("request").value.trim();
  if (!request) return;
  run(async () => {
    byId("request").blur();
    if (!(await search(request))) news("No sentence has it.");
  });
});

let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => {
    if (app.sentence && app.view === "sentence") run(async () => showSentence(await get(`sentences/${app.sentence.id}?${view()}`)));
  }, 200);
});

// -- screens and start

async function show(name) {
  app.view = name;
  document.body.dataset.view = name;
  for (const button of byId("views").children) {
    if (button.dataset.view === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  for (const id of ["queue", "sentence", "panel"]) byId(id).hidden = name !== "sentence";
  byId("screen").hidden = name === "sentence";
  byId("screen").replaceChildren();
  if (name === "sentence") {
    if (app.sentence) showWord();
  } else await showScreen(name, { open, loadProject, chooseQueue });
}

async function loadProject() {
  prepared = null; // sentences or the model may have changed
  app.project = await get("project");
  app.layer ??= app.project.layer;
  byId("project").textContent = app.project.name;
  showQueues(app.project.queues);
  const isAdjudicator = ["adjudicator", "manager"].includes(app.project.person.role);
  byId("views").querySelector("[data-view=compare]").hidden = !isAdjudicator || app.project.people < 2;
  byId("views").querySelector("[data-view=people]").hidden = app.project.person.role !== "manager";
}

onProblem(problem);
onSaved((waiting, seq, trouble) => {
  const line = byId("saved");
  line.classList.toggle("problem", trouble !== null);
  if (trouble !== null) line.textContent = `${waiting} not saved: ${trouble}`;
  else if (seq !== null && !waiting) line.textContent = `saved #${seq}`;
});

async function start() {
  await logIn();
  await loadProject();
  startQueue(open);
  await chooseQueue("file");
  const id = await neighbour(1);
  if (id === undefined) news("The project has no sentences.");
  else await open(id);
}

run(start);
