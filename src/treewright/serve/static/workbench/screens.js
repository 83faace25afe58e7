// The other screens: comparison of layers, progress and training, people.

import { get, post } from "./api.js";
import { byId, make } from "./dom.js";
import { showHits } from "./queue.js";
import { app, run } from "./state.js";

const POLL = 1000; // milliseconds between questions about a job
let differences = [];

/** Return the difference between layers at the word under the cursor, or in the words of the sentence (word 0). */
export function difference() {
  if (!app.sentence || app.layer !== "gold") return undefined;
  return differences.find((item) => item.sentence_id === app.sentence.id && [0, app.word].includes(item.word));
}

/** Show a screen. page: what it can ask the rest of the page to do. */
export async function showScreen(name, page) {
  byId("screen").replaceChildren(...(await SCREENS[name](page)));
}

const SCREENS = { compare, progress, people };

async function compare(page) {
  const agreement = await get("agreement").catch((error) => ({ layers: [], pairs: [], message: error.message }));
  differences = agreement.layers.length < 2 ? [] : (await get("adjudication")).differences;
  const open = differences.filter((item) => !item.is_decided);
  const columns = ["UAS", "LAS", "κ of UPOS", "κ of relations"];
  const rows = agreement.pairs.map((pair) =>
    make(
      "tr",
      {},
      make("th", {}, `${pair.a} – ${pair.b}`),
      ...[pair.uas, pair.las].map((share) => make("td", {}, `${(100 * share).toFixed(1)} %`)),
      ...[pair.kappa_upos, pair.kappa_relations].map((kappa) => make("td", {}, kappa === null ? "–" : kappa.toFixed(3))),
      make("td", {}, String(pair.words)),
    ),
  );
  const adjudicate = async () => {
    app.layer = "gold";
    await showHits("Differing words", open);
  };
  const goBack = () => {
    app.layer = app.project.layer;
    return page.chooseQueue("file", true);
  };
  return [
    make("h2", {}, "Agreement"),
    rows.length
      ? make("table", {}, make("tr", {}, make("th", {}, ""), ...[...columns, "words"].map((text) => make("th", {}, text))), ...rows)
      : make("p", {}, agreement.message ?? "Two people must have accepted the same sentences."),
    make("h2", {}, "Adjudication"),
    make("p", {}, `${open.length} of ${differences.length} differing words are undecided. a takes the first answer, b the second; n goes on.`),
    make(
      "div",
      { class: "row" },
      make("button", { type: "button", class: "primary", disabled: !open.length, onclick: () => run(adjudicate) }, "Decide differing words"),
      app.layer === "gold" ? make("button", { type: "button", onclick: () => run(goBack) }, "Back to my own layer") : "",
    ),
  ];
}

async function progress(page) {
  const answer = await get("progress");
  const bar = (done, all) => make("progress", { value: done, max: Math.max(all, 1) });
  const line = make("p", { class: "job", role: "status" });
  const train = make("button", { type: "button", class: "primary", onclick: () => run(() => startTraining(line, train, page)) }, "Train on what is annotated");
  const adopt = (id) => run(async () => (await post("models/adopt", { model: id }), page.loadProject(), showScreen("progress", page)));
  const given = { id: null, title: answer.given ? `${answer.given}, given at the start` : "No model, as at the start", is_used: !answer.models.some((model) => model.is_used) };
  const trained = answer.models.map((model) => ({ ...model, title: `Trained ${new Date(model.at).toLocaleString()}` }));
  const models = [given, ...trained].map((model) =>
    make(
      "tr",
      {},
      make("th", {}, model.title),
      make("td", {}, accuracy(model)),
      make("td", {}, model.is_used ? "in use" : make("button", { type: "button", onclick: () => adopt(model.id) }, "use this one")),
    ),
  );
  const files = make("input", { type: "file", multiple: true, accept: ".conllu,.conllup,.conll,.conllx,.txt", "aria-label": "Files to add" });
  const text = make("textarea", { rows: 3, dir: "auto", placeholder: "or paste raw text here", "aria-label": "Raw text to add" });
  const added = make("p", { class: "job", role: "status" });
  const add = async () => {
    const documents = [...files.files].map((file) => ({ name: file.name, read: () => contentOf(file) }));
    const pasted = text.value;
    if (pasted.trim()) documents.push({ name: `pasted-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.txt`, read: () => pasted });
    const lines = [];
    for (const { name, read } of documents) {
      const answer = Promise.resolve(name).then(async () => (await post("documents", { name, text: await read() })).done);
      lines.push(await answer.catch((error) => error.message));
    }
    await page.loadProject();
    await page.chooseQueue("file");
    added.textContent = lines.join("; ") || "Choose a file or paste a text first.";
  };
  const isManager = app.project.person.role === "manager";
  const adding = [
    make("h2", {}, "Add sentences"),
    make("div", { class: "row" }, files, text, make("button", { type: "button", onclick: () => run(add) }, "Add")),
    added,
  ];
  const layers = app.project.layers.filter((layer) => layer === app.project.layer || layer === "gold");
  return [
    make("h2", {}, "Progress"),
    make("p", {}, bar(answer.accepted, answer.sentences), ` ${answer.accepted} of ${answer.sentences} sentences accepted`),
    make("h2", {}, "Models"),
    make("table", {}, ...models),
    make("div", { class: "row" }, train),
    line,
    make("p", { class: "hint" }, "A hundred sentences take less than a minute. A tenth of them is held out; the figure is for these. Open sentences change when you open them again."),
    ...(isManager ? adding : []),
    ...layers.flatMap((layer) => [make("h2", {}, layers.length > 1 ? `Export of the layer ${layer}` : "Export"), exportLinks(layer)]),
  ];
}

/** Return the text of a file, with its byte order mark; other encodings are refused rather than damaged. */
async function contentOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name}: not UTF-8; convert the file`);
  }
}

const EXPORTS = {
  clean: "for publishing; sentences that nobody touched are the original bytes",
  marked: "with comments that say who decided what",
  partial: "what nobody decided is _",
};

function exportLinks(layer) {
  const address = (mode) => `/api/v1/export?${new URLSearchParams({ mode, layer })}`;
  return make("ul", {}, ...Object.entries(EXPORTS).map(([mode, text]) => make("li", {}, make("a", { href: address(mode), download: true }, mode), ` – ${text}`)));
}

function accuracy({ las, low, high, words }) {
  return las === undefined ? "" : `LAS ${las.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)}) on ${words} held-out words`;
}

async function startTraining(line, button, page) {
  const { job } = await post("train");
  watch(job, line, button, page);
}

function watch(id, line, button, page) {
  button.disabled = true;
  const again = async () => {
    const job = await get(`jobs/${encodeURIComponent(id)}`);
    if (job.state === "running") {
      line.replaceChildren(make("progress", { value: job.progress, max: 1 }), ` ${job.message}`);
      setTimeout(() => again().catch((error) => (line.textContent = error.message)), POLL);
    } else {
      line.textContent = job.message;
      line.classList.toggle("problem", job.state === "failed");
      if (app.view === "progress" && job.state === "done") await showScreen("progress", page);
      button.disabled = false;
    }
  };
  again().catch((error) => (line.textContent = error.message));
}

async function people(page) {
  const answer = await get("people");
  const rows = answer.people.map((person) => make("tr", {}, make("th", {}, make("bdi", {}, person.name)), make("td", {}, person.role)));
  const name = make("input", { type: "text", required: true, "aria-label": "Name", placeholder: "name", autocomplete: "off" });
  const role = make("select", { "aria-label": "Role" }, ...["annotator", "adjudicator", "reader", "manager"].map((text) => make("option", {}, text)));
  const link = make("p", { class: "link" });
  const add = async () => {
    const added = name.value.trim();
    const { token } = await post("people", { name: added, role: role.value });
    const address = `${location.origin}/#token=${token}`;
    await Promise.all([page.loadProject(), showScreen("people", page)]);
    byId("screen").querySelector(".link").replaceChildren("Link of ", make("bdi", {}, added), ", shown once: ", make("code", {}, address));
  };
  const form = make("form", { class: "row", onsubmit: (event) => (event.preventDefault(), run(add)) }, name, role, make("button", { class: "primary" }, "Add"));
  return [
    make("h2", {}, "People"),
    make("table", {}, ...rows),
    form,
    link,
    make("p", { class: "hint" }, "An annotator sees and writes the own layer; an adjudicator sees all layers and writes gold."),
  ];
}
