// What the page knows. `sentence` is the last answer of the server about the open sentence.

export const app = {
  project: null, // answer of GET /project
  sentence: null,
  word: 1, // under the cursor
  mode: null, // what takes the keys, if it is not the tree: {name, press(key, event), close()}
  isPicked: false, // the word under the cursor waits for a click on its head
  layer: null,
  alternatives: null, // {sentence, word, answer, question, list}: asked for last
  explanation: null, // {word, head, ...} of `?`
  conflict: [], // arcs that contradict each other
  features: null, // roster of features: UPOS -> name -> values
  lastRelation: null,
  view: "sentence",
};

/** Return a sentence as the page uses it: words with their columns as properties. */
export function readSentence(answer) {
  const words = answer.words.map(({ number, cells, states, confidence, rejected, is_unsure, notes, guideline }) => ({
    ...Object.fromEntries(Object.entries(cells).map(([column, value]) => [column.toLowerCase(), value])),
    head: answer.heads[number - 1],
    ...{ number, states, confidence, rejected, isUnsure: is_unsure, notes, guideline },
  }));
  return { ...answer, words };
}

export const wordOf = (number) => app.sentence.words[number - 1];

let chain = Promise.resolve();
let report = (_error) => {};

export function onProblem(call) {
  report = call;
}

/** Do tasks one after the other, so that keys take effect in the order in which they were pressed. */
export function run(task) {
  chain = chain.then(task).catch((error) => report(error));
  return chain;
}
