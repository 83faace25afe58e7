// The demo page: asks /api/v1 for trees, the second-best tree and the cost of other heads. Trees are drawn by the server
// and shown as images, so that nothing in them is part of this page.

const MAX_SENTENCES = 10; // of a text that are shown
const DOUBTFUL = 0.8; // probability of a head below which a word is marked
const byId = (id) => document.getElementById(id);

const token = new URLSearchParams(location.hash.slice(1)).get("token"); // of a server that asks for one: /#token=...

async function ask(path, request) {
  const answer = await fetch(`/api/v1/${path}`, {
    method: request ? "POST" : "GET",
    headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
    body: request && JSON.stringify(request),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error([value.error.message, value.error.remedy].filter(Boolean).join("; "));
  return value;
}

function make(name, text, attributes = {}) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function percent(probability) {
  if (probability < 0.005) return "< 1 %";
  return probability > 0.995 && probability < 1 ? "> 99 %" : `${Math.round(100 * probability)} %`;
}

function points(difference) {
  return difference.toFixed(2).replace("-", "−");
}

function picture(svg, text) {
  const image = make("img", undefined, { alt: `Dependency tree of: ${text}` });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return image;
}

function drawingWidth() {
  return Math.max(160, Math.min(1080, Math.floor(byId("sentences").clientWidth) - 48));
}

// The form of a word, with its number where several words have this form.
function name(sentence, number) {
  if (number === 0) return "the root";
  const { form } = sentence.words[number - 1];
  return sentence.words.filter((word) => word.form === form).length > 1 ? `${form} (word ${number})` : form;
}

function certificate(sentence) {
  const line = document.createElement("p");
  line.className = "certificate";
  if (sentence.certified) {
    line.append(make("b", "Proved: "), `no tree over ${sentence.certified_over} scores higher under the model. It may still be wrong.`);
  } else if (sentence.gap === null) {
    line.append("Not proved: another tree may score higher under the model.");
  } else {
    line.append(`Not proved: another tree may score higher by up to ${sentence.gap.toFixed(3)}.`);
  }
  const sure = sentence.words.map((word) => word.confidence).filter((one) => one !== undefined && one !== null);
  if (sure.length) {
    const expected = sure.reduce((sum, one) => sum + one, 0) / sure.length;
    line.append(` Expected share of right heads: ${percent(expected)}.`);
  }
  return line;
}

function moves(sentence, others) {
  const list = make("ul", undefined, { class: "moves" });
  for (const { word, head, rival_head: other } of others) {
    list.append(make("li", `${name(sentence, word)}: head ${name(sentence, other)} instead of ${name(sentence, head)}`));
  }
  return list;
}

function failure(error) {
  return make("p", `This failed: ${error.message}.`, { class: "problem" });
}

async function showSecond(sentence, place) {
  place.replaceChildren(make("p", "Searching …", { class: "hint" }));
  try {
    const answer = await ask("parse", { sentences: [sentence], kbest: 2, width: drawingWidth(), model: chosenModel() });
    const [best, second] = answer.sentences[0].trees;
    if (!second) {
      place.replaceChildren(make("p", "There is no other tree."));
      return;
    }
    const differences = second.words
      .filter((word, index) => word.head !== best.words[index].head)
      .map((word) => ({ word: word.id, head: best.words[word.id - 1].head, rival_head: word.head }));
    const odds = `Probability of the best tree ${percent(best.probability)}, of this one ${percent(second.probability)}; `;
    const drawing = make("div", undefined, { class: "drawing" });
    drawing.append(picture(second.svg, sentence.text));
    place.replaceChildren(
      make("p", `${odds}it scores ${points(second.gap)} less.`),
      moves(sentence, differences),
      drawing,
    );
  } catch (error) {
    place.replaceChildren(failure(error));
  }
}

async function showRival(sentence, word, head, place) {
  place.replaceChildren(make("p", "Searching …", { class: "hint" }));
  try {
    const answer = await ask("why-not", { sentences: [sentence], word, head, width: drawingWidth(), model: chosenModel() });
    const drawing = make("div", undefined, { class: "drawing" });
    drawing.append(picture(answer.svg, sentence.text));
    const costs = answer.loss >= 0 ? `${points(answer.loss)} less` : `${points(-answer.loss)} more`;
    const proved = answer.certified ? "" : " (not proved)";
    place.replaceChildren(
      make("p", `The best tree with ${name(sentence, head)} → ${name(sentence, word)} scores ${costs}${proved}. Words that change:`),
      moves(sentence, answer.moves),
      drawing,
    );
    place.scrollIntoView({ block: "nearest" });
  } catch (error) {
    place.replaceChildren(failure(error));
  }
}

async function showAlternatives(sentence, word, place) {
  place.replaceChildren(make("p", "Searching …", { class: "hint" }));
  try {
    const answer = await ask("why-not", { sentences: [sentence], word, model: chosenModel() });
    const table = make("table");
    const head = table.createTHead().insertRow();
    for (const [title, kind] of [["Head", ""], ["Relation", ""], ["Model probability", "number"], ["Score", "number"], ["", ""]]) {
      head.append(make("th", title, kind ? { class: kind } : {}));
    }
    const body = table.createTBody();
    const rival = make("div");
    const rows = [{ ...answer, loss: 0 }, ...answer.alternatives];
    for (const [index, row] of rows.entries()) {
      const line = body.insertRow();
      line.append(make("td", index ? name(sentence, row.head) : `${name(sentence, row.head)} (chosen)`), make("td", row.deprel));
      line.append(make("td", percent(row.probability), { class: "number" }));
      line.append(make("td", index ? points(-row.loss) : "best", { class: "number" }));
      const cell = line.insertCell();
      if (index) {
        const button = make("button", "Show tree", { type: "button" });
        button.addEventListener("click", () => showRival(sentence, word, row.head, rival));
        cell.append(button);
      }
    }
    place.replaceChildren(table, rival);
  } catch (error) {
    place.replaceChildren(failure(error));
  }
}

function wordButtons(sentence, alternatives) {
  return sentence.words.map((word) => {
    const item = make("li");
    const button = make("button", undefined, { type: "button", "aria-pressed": "false" });
    const sure = word.confidence === undefined || word.confidence === null ? "" : percent(word.confidence);
    if (sure && word.confidence < DOUBTFUL) button.classList.add("doubtful");
    button.append(make("span", word.form), make("small", sure || word.upos || ""));
    button.addEventListener("click", () => {
      for (const other of item.parentElement.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
      showAlternatives(sentence, word.id, alternatives);
    });
    item.append(button);
    return item;
  });
}

function show(sentence) {
  const article = byId("sentence").content.cloneNode(true).querySelector("article");
  const place = (selector) => article.querySelector(selector);
  place("h2").textContent = sentence.text;
  place(".certificate").replaceWith(certificate(sentence));
  place(".drawing").append(picture(sentence.svg, sentence.text));
  delete sentence.svg; // it is not sent back
  place(".words").append(...wordButtons(sentence, place(".alternatives")));
  const details = place("details");
  details.addEventListener("toggle", () => details.open && showSecond(sentence, place(".second")), { once: true });
  return article;
}

function chosenModel() {
  return byId("model").value || undefined;
}

function showFailure(error) {
  byId("status").className = "error";
  byId("status").textContent = `This failed: ${error.message}.`;
  document.body.dataset.state = "error";
}

async function submit() {
  const button = document.querySelector("#question button");
  const status = byId("status");
  button.disabled = true;
  document.body.dataset.state = "busy";
  status.className = "";
  status.textContent = "Parsing …";
  try {
    const begin = performance.now();
    const answer = await ask("parse", { text: byId("text").value, width: drawingWidth(), model: chosenModel() });
    const all = answer.sentences;
    const shown = all.slice(0, MAX_SENTENCES);
    byId("sentences").replaceChildren(...shown.map(show));
    const count = `${all.length} sentence${all.length === 1 ? "" : "s"}`;
    const some = all.length > shown.length ? `, the first ${shown.length} are shown` : "";
    status.textContent = all.length ? `${count}${some}, ${Math.round(performance.now() - begin)} ms.` : "There are no words in the text.";
    if (all.length === 1) byId("sentences").querySelector("details").open = true;
    document.body.dataset.state = "ready";
  } catch (error) {
    showFailure(error);
  }
  button.disabled = false;
}

async function showModels() {
  const { models } = await ask("models");
  for (const model of models) byId("model").append(make("option", [model.name, model.language].filter(Boolean).join(", "), { value: model.name }));
  document.querySelector(".model").hidden = models.length < 2;
}

byId("question").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
byId("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("question").requestSubmit();
});
try {
  await showModels();
  await submit();
} catch (error) {
  showFailure(error);
}
