// The list at the left: sentences of a queue in pages, or the hits of a search.

import { get, post } from "./api.js";
import { byId, clip, make } from "./dom.js";
import { app, run } from "./state.js";

const PAGE = 100;
const TITLES = {
  file: "All sentences",
  open: "Not accepted",
  doubtful: "Doubtful words",
  notes: "With notes",
  unsure: "Marked unsure",
  lint: "With messages",
};

const queue = { name: "file", items: [], isWhole: false, hits: null, request: "" };
let open = async (_id, _word) => {};

export function startQueue(openSentence) {
  open = openSentence;
  byId("order").addEventListener("change", (event) => run(() => chooseQueue(event.target.value, true)));
  byId("sentences").addEventListener("click", (event) => {
    const item = event.target.closest("li[data-id]");
    if (item) run(() => open(Number(item.dataset.id), hitIn(Number(item.dataset.id))));
  });
  byId("sentences").addEventListener("scroll", ({ target }) => {
    if (target.scrollTop + target.clientHeight > target.scrollHeight - 200) run(loadMore);
  });
}

/** Fill the list of queues. queues: name -> number of sentences. */
export function showQueues(queues) {
  const options = Object.entries(queues).map(([name, count]) =>
    make("option", { value: name, selected: !queue.hits && name === queue.name }, `${TITLES[name] ?? name.replace(/^label:/, "Label ")} (${count})`),
  );
  if (queue.hits) options.push(make("option", { value: "hits", selected: true }, queue.title));
  byId("order").replaceChildren(...options);
}

/** Show a queue; openFirst: and its first sentence. */
export async function chooseQueue(name, openFirst = false) {
  if (name === "hits") return;
  Object.assign(queue, { name, items: [], isWhole: false, hits: null });
  await loadMore();
  if (openFirst && queue.items.length) await open(queue.items[0].id);
}

/** Read the list again as far as it was read: sentences were split or joined. */
export async function reloadQueue() {
  if (queue.hits) return;
  const count = queue.items.length;
  Object.assign(queue, { items: [], isWhole: false });
  while (queue.items.length < count && !queue.isWhole) await loadMore();
}

async function loadMore() {
  if (queue.isWhole || queue.hits) return;
  const after = queue.items.at(-1)?.id;
  const parameters = new URLSearchParams({ queue: queue.name, limit: String(PAGE), layer: app.layer });
  if (after !== undefined) parameters.set("after", String(after));
  const answer = await get(`sentences?${parameters}`);
  queue.items.push(...answer.sentences);
  queue.isWhole = answer.next === null;
  show(queue.items.length - answer.sentences.length);
}

/** Show hits as the queue. hits: [{sentence_id, word, text, sent_id}] */
export async function showHits(title, hits) {
  const items = [];
  for (const hit of hits) {
    const last = items.at(-1);
    if (last?.id === hit.sentence_id) last.hits += 1;
    else items.push({ id: hit.sentence_id, sent_id: hit.sent_id, text: hit.text, status: "hit", hits: 1 });
  }
  Object.assign(queue, { items, hits, title: `${title} (${hits.length})`, isWhole: true });
  show();
  showQueues(app.project.queues);
  if (hits.length) await open(hits[0].sentence_id, hits[0].word);
}

export async function search(request) {
  const answer = await post(`search?layer=${encodeURIComponent(app.layer)}`, { request });
  const hits = answer.hits.map((hit) => ({ ...hit, word: Math.min(...Object.values(hit.nodes)) }));
  await showHits(`Hits of ${clip(request, 30)}`, hits);
  return hits.length;
}

export const hasHits = () => queue.hits !== null;

const hitIn = (id) => queue.hits?.find((hit) => hit.sentence_id === id)?.word;

/** Go to the next (1) or previous (-1) hit; false if there is none. */
export async function stepHit(step) {
  const hits = queue.hits ?? [];
  const { id } = app.sentence;
  let place = hits.findIndex((hit) => hit.sentence_id === id && hit.word === app.word);
  if (place < 0) place = hits.findIndex((hit) => hit.sentence_id === id) - (step > 0 ? 1 : 0);
  const hit = hits[place + step];
  if (hit) await open(hit.sentence_id, hit.word);
  return hit !== undefined;
}

/** Return the next (1) or previous (-1) sentence of the queue; undefined at its end. */
export async function neighbour(step) {
  let place = queue.items.findIndex((item) => item.id === app.sentence?.id);
  if (place < 0) place = step > 0 ? -1 : 0;
  if (place + step >= queue.items.length) await loadMore();
  return queue.items[place + step]?.id;
}

export const neighbourWord = hitIn;

/** Bring the line of the open sentence up to date. */
export function showPlace() {
  const { sentence } = app;
  const item = queue.items.find(({ id }) => id === sentence.id);
  if (item && item.status !== "hit") item.status = sentence.status;
  byId("sentences").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = byId("sentences").querySelector(`[data-id="${sentence.id}"]`);
  if (!line) return;
  line.setAttribute("aria-current", "true");
  if (item) line.dataset.status = item.status;
  line.scrollIntoView({ block: "nearest" });
}

/** Show the list; first: how many of its lines are there already. */
function show(first = 0) {
  const lines = queue.items.slice(first).map((item, i) =>
    make(
      "li",
      { "data-id": item.id, "data-status": item.status, title: item.sent_id },
      make("span", { class: "place" }, String(first + i + 1)),
      make("span", { class: "words", dir: "auto" }, clip(item.text, 160)),
      item.doubtful ? make("span", { class: "count", title: "doubtful words" }, String(item.doubtful)) : null,
    ),
  );
  if (first) byId("sentences").append(...lines);
  else byId("sentences").replaceChildren(...lines);
  byId("count").textContent = queue.hits ? `in ${queue.items.length} sentence${queue.items.length === 1 ? "" : "s"}` : "";
  if (app.sentence) showPlace();
}
