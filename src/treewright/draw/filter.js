// What the filter of a page finds in the data of a drawing, without the page itself.

// Terms are parts of words, labels, tags, lemmas and names. head -> modifier is an arc: each side is a form, lemma or
// tag of the word, or the label of the arc; a side that is left out is any word.
function parsed(query) {
  const tokens = query.toLowerCase().replace(/→|-+>/g, " -> ").split(/\s+/).filter(Boolean);
  const terms = [], arcs = [];
  tokens.forEach((token, i) => {
    const beside = (k) => (tokens[k] && tokens[k] !== "->" && tokens[k] !== "*" ? tokens[k] : "");
    if (token === "->") arcs.push([beside(i - 1), beside(i + 1)]);
    else if (token !== "*" && tokens[i - 1] !== "->" && tokens[i + 1] !== "->") terms.push(token);
  });
  return { terms, arcs };
}

function sideFits(data, node, label, term) {
  if (!term || label === term || label.startsWith(`${term}:`)) return true;
  if (node < 1) return node === 0 && term === "root";
  const [form, notes = "", details = ""] = data.words[node - 1];
  const [lemma = "", tags = ""] = details.split("\n");
  return [form, lemma, ...tags.split(" "), ...notes.split("\n")].some((text) => text.toLowerCase() === term);
}

// In a phrase-structure tree the arrow is from a node to its child.
function arcFits(data, [head, modifier]) {
  const fits = (node, term) => !term || (node && node[1].toLowerCase() === term);
  if (data.nodes) return data.nodes.some((node) => node[0] >= 0 && fits(data.nodes[node[0]], head) && fits(node, modifier));
  return data.arcs.some((arc) => oneArcFits(data, arc, [head, modifier]));
}

const labelOf = ([, , , text, , , , note = "", , full]) =>
  (full || text).toLowerCase() + (note.startsWith(":") ? note.split(" ")[0].toLowerCase() : "");

function oneArcFits(data, arc, [head, modifier]) {
  const label = labelOf(arc);
  return sideFits(data, arc[0], label, head) && sideFits(data, arc[1], label, modifier);
}

// Marks what the filter has found, beside the marks that the page was made with; returns whether that changed.
function mark(data, terms, arcs) {
  if (data.nodes) return false;
  data.own ??= [data.markedWords || [], data.markedArcs || []];
  const [words, strokes] = data.own.map((items) => new Set(items));
  const has = (text) => terms.some((term) => text.toLowerCase().includes(term));
  data.words.forEach((word, i) => { if (has(word.slice(0, 3).join("\n"))) words.add(i + 1); });
  data.arcs.forEach((arc, i) => {
    if (has(labelOf(arc))) strokes.add(i);
    if (!arcs.some((asked) => oneArcFits(data, arc, asked))) return;
    strokes.add(i);
    arc.slice(0, 2).forEach((node) => words.add(node));
  });
  const before = JSON.stringify([data.markedWords, data.markedArcs]);
  [data.markedWords, data.markedArcs] = [[...words], [...strokes]];
  return before !== JSON.stringify([data.markedWords, data.markedArcs]);
}
