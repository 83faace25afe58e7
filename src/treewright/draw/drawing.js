// SVG from the data that data.py writes: the elements and constants are those of the Python code, in C.
// drawing(data, title, layout) is the same text as dependency_svg or phrase_svg returns for that layout.

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]);
const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const more = (note) => (note ? fill(C.MORE, { text: escaped(note) }) : "");
const titled = (text) => (text ? `<title>${escaped(text)}</title>` : "");

function drawing(data, title, layout) {
  const [inner, height] = layout;
  const frame = { data, x: (along) => C.MARGIN + (data.rtl ? inner - along : along), forward: data.rtl ? -1 : 1 };
  const body = data.nodes ? tree(frame, layout) : layout[2].flatMap((row) => rowParts(frame, row, layout[2].length > 1));
  return fill(C.SVG, {
    width: inner + 2 * C.MARGIN,
    height: height + 2 * C.MARGIN,
    title: escaped(title),
    description: escaped(data.nodes ? brackets(data.nodes) : data.arcs.map((arc) => arcInWords(data, arc)).join("; ") || "no arcs"),
    body: body.join("\n"),
  });
}

// A mark is part of the class: words by their place, arcs by their index; the filter of a page adds its own.
const marked = (marks, item) => (marks && marks.includes(item) ? ` ${C.MARKED}` : "");
const formOf = (data, node) => data.words[node - 1][0];
const numberOf = (data, node) => data.words[node - 1][3] || String(node);

function arcInWords(data, [head, modifier, style, text, , , , , sure, full]) {
  const from = head === 0 ? "root" : head === -1 ? "head not known" : formOf(data, head);
  const kind = C.STYLES[style];
  const judged = C.JUDGED.includes(kind) ? `, ${kind.replace("-", " ")}` : "";
  return `${from} → ${formOf(data, modifier)}: ${full || text || "no label"}${judged}${sure ? `, confidence ${sure}` : ""}`;
}

function rowParts(frame, row, numbered) {
  const { data } = frame;
  const [first, last, , , , baseline, depth, above, below] = row;
  const parts = [];
  for (let k = 0; k < above.length; k += 3) parts.push(stroke(frame, row, above.slice(k, k + 3), baseline - C.FORM_SIZE, -1));
  for (let k = 0; k < below.length; k += 3) parts.push(stroke(frame, row, below.slice(k, k + 3), baseline + depth, 1));
  const tokens = (data.tokens || []).filter((token) => token[0] <= last && first <= token[1]);
  const lines = (depth - (C.FORM_LINE - C.FORM_SIZE) - (tokens.length ? C.TOKEN_LINE : 0)) / C.NOTE_LINE;
  for (let node = first; node <= last; node++) parts.push(...wordParts(frame, row, node, numbered ? lines : 0));
  return parts.concat(tokens.map((token) => tokenPart(frame, row, token, baseline + depth - C.TOKEN_LINE)));
}

function wordParts(frame, row, node, numberLine) {
  const [form, notes = "", details = "", number = "", shown = ""] = frame.data.words[node - 1];
  const x = frame.x(frame.data.middles[node - 1] + row[2]), y = row[5];
  const part = (style, y, text, title = "", direction = "") => fill(C.WORD, { style, x, y, direction, text: escaped(text), title });
  const [lemma, tags, features] = details.split("\n");
  const hover = details ? [form, lemma && `lemma: ${lemma}`, tags, features].filter(Boolean).join("\n") : shown && form;
  const style = `form${number.includes(".") ? " empty" : ""}${marked(frame.data.markedWords, node)}`;
  const parts = [part(style, y, shown || form, titled(hover), frame.data.rtl ? ' direction="rtl"' : "")];
  const below = y + C.FORM_LINE - C.FORM_SIZE;
  notes.split("\n").forEach((note, k) => note && parts.push(part("note", below + (k + 1) * C.NOTE_LINE - 4, note)));
  if (numberLine) parts.push(part("number", below + numberLine * C.NOTE_LINE - 5, numberOf(frame.data, node)));
  return parts;
}

function tokenPart(frame, [rowFirst, rowLast, shift], [first, last, form], top) {
  const { extents } = frame.data;
  const x1 = frame.x(extents[Math.max(first, rowFirst) - 1][0] + shift), x2 = frame.x(extents[Math.min(last, rowLast) - 1][1] + shift);
  const begin = first >= rowFirst ? `M${x1} ${top + 2}V${top + 7}` : `M${x1} ${top + 7}`;
  const end = last <= rowLast ? `H${x2}V${top + 2}` : `H${x2}`;
  return fill(C.TOKEN, { path: begin + end, x: Math.floor((x1 + x2) / 2), y: top + 20, text: escaped(form) });
}

// edge is where the words end; levels go away from them by step.
function stroke(frame, row, [i, level, label], edge, step) {
  const { data, forward } = frame, arc = data.arcs[i];
  const [head, modifier, style, text, width, leftPort, rightPort, note] = arc;
  const [first, last, shift, leftEnd, rightEnd] = row;
  const stub = head <= 0 || head === modifier;
  const a = stub ? modifier : Math.min(head, modifier), b = Math.max(head, modifier);
  const cut = a < first ? "left" : b > last ? "right" : "";
  const x1 = frame.x(cut === "left" ? leftEnd : data.middles[a - 1] + leftPort + shift);
  const x2 = frame.x(cut === "right" ? rightEnd : data.middles[b - 1] + rightPort + shift);
  const other = cut === "left" ? a : b, toModifier = cut && other === modifier;
  const arrow = stub || modifier < head ? x1 : x2;
  const y = edge + step * (C.FOOT + level * C.LEVEL - C.LABEL_SIZE / 2);
  const labelled = text || note;
  const end = (x) => edge + step * (x === arrow && !toModifier ? C.TIP : 2);
  let path;
  if (stub) {
    path = `M${x1} ${y - step * (C.LABEL_SIZE - 4)}V${edge + step * C.TIP}`;
  } else {
    const corner = Math.min(C.CORNER, Math.floor(Math.abs(x2 - x1) / 2));
    path = cut === "left" ? `M${x1} ${y}` : `M${x1} ${end(x1)}V${y - step * corner}Q${x1} ${y} ${x1 + forward * corner} ${y}`;
    if (labelled) path += `H${frame.x(label) - forward * 3}M${frame.x(label + width) + forward * 3} ${y}`;
    path += cut === "right" ? `H${x2}` : `H${x2 - forward * corner}Q${x2} ${y} ${x2} ${y - step * corner}V${end(x2)}`;
  }
  const outwards = (cut === "right" ? 1 : -1) * forward;
  const tip = toModifier
    ? { x: (cut === "right" ? x2 : x1) + outwards * 2, y, shape: `l${-outwards * C.TIP} -4v8` }
    : { x: arrow, y: edge + step * 3, shape: `l-4 ${step * C.TIP}h8` };
  return fill(C.ARC, {
    style: C.STYLES[style] + marked(data.markedArcs, i),
    title: escaped(arcInWords(data, arc)),
    path,
    tip: fill(C.TIP_PATH, tip),
    label: labelled ? fill(C.LABEL, { x: frame.x(label + (width >> 1)), y: y + 4, text: escaped(text) + more(note) }) : "",
    tag: cut ? tag(frame, cut, x1, x2, y, other) : "",
  });
}

function tag({ data, forward }, cut, x1, x2, y, other) {
  const text = (data.tags || {})[other] || `${numberOf(data, other)} ${formOf(data, other)}`;
  const atLeft = cut === "left";
  const x = atLeft ? x1 - forward * 6 : x2 + forward * 6;
  return fill(C.TAG, { x, y: y + 4, anchor: atLeft !== Boolean(data.rtl) ? "end" : "start", text: escaped(text) });
}

function tree(frame, layout) {
  const { nodes } = frame.data;
  const children = nodes.map(() => []);
  nodes.forEach(([parent], i) => parent >= 0 && children[parent].push(i));
  return layout.length > 3 ? sidewaysTree(frame, children, layout) : uprightTree(frame, children, layout);
}

function nodePart({ data }, i, isWord, x, y, anchor) {
  const [, text, style, , note, title] = data.nodes[i];
  return fill(C.NODE, {
    style: isWord ? "form" : `phrase ${C.STYLES[style]}`,
    x, y, anchor,
    direction: data.rtl ? ' direction="rtl"' : "",
    text: escaped(text) + more(note),
    title: titled(title),
  });
}

function uprightTree(frame, children, [, , middles]) {
  const heights = [];
  for (let i = children.length - 1; i >= 0; i--) heights[i] = 1 + Math.max(-1, ...children[i].map((k) => heights[k]));
  const x = (i) => frame.x(middles[i]), y = (i) => C.MARGIN + C.WORD_SIZE + (heights[0] - heights[i]) * C.NODE_LEVEL;
  return children.flatMap((below, i) => [
    ...below.map((k, place) => {
      const outer = place === 0 || place === below.length - 1, top = y(k) - C.WORD_SIZE;
      return fill(C.BRANCH, { path: outer ? drop(x(i), y(i) + 5, y(i) + 15, x(k), top) : `M${x(k)} ${y(i) + 15}V${top}` });
    }),
    nodePart(frame, i, !below.length, x(i), y(i), "middle"),
  ]);
}

function drop(x, y, bar, endX, endY) {
  const corner = Math.min(C.NODE_CORNER, Math.abs(endX - x));
  const along = endX > x ? endX - corner : endX + corner;
  return corner ? `M${x} ${y}V${bar}H${along}Q${endX} ${bar} ${endX} ${bar + corner}V${endY}` : `M${x} ${y}V${endY}`;
}

function sidewaysTree(frame, children, [, , starts, lines, joints]) {
  const { forward } = frame, baseline = (i) => C.MARGIN + C.WORD_SIZE + lines[i] * C.NODE_LINE;
  return children.flatMap((below, i) => {
    const parts = [], y = baseline(i) - 5;
    const branch = (path) => parts.push(fill(C.BRANCH, { path }));
    if (joints[i] !== null) {
      const ends = below.map((k) => [frame.x(starts[k]) - forward * 5, baseline(k) - 5]);
      const inline = ends[0][1] === y;
      if (inline) branch(`M${frame.x(starts[i] + frame.data.nodes[i][3] + 5)} ${y}H${ends[0][0]}`);
      ends.forEach(([endX, endY], k) => {
        if (endY <= y) return;
        const joint = frame.x(joints[i]), top = inline ? y : y + 10, corner = endY - C.NODE_CORNER;
        const start = k < ends.length - 1 ? `M${joint} ${corner}` : `M${joint} ${top}V${corner}`;
        branch(`${start}Q${joint} ${endY} ${joint + forward * C.NODE_CORNER} ${endY}H${endX}`);
      });
    }
    parts.push(nodePart(frame, i, !below.length, frame.x(starts[i]), baseline(i), "start"));
    return parts;
  });
}

function brackets(nodes) {
  const last = new Map(), isParent = new Set(nodes.map(([parent]) => parent)), closing = nodes.map(() => 0);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const end = isParent.has(i) ? last.get(i) : i;
    if (isParent.has(i)) closing[end]++;
    if (!last.has(nodes[i][0])) last.set(nodes[i][0], end);
  }
  const full = ([, text, , , , title]) => title || text;
  return nodes.map((node, i) => (isParent.has(i) ? `(${full(node)}` : full(node) + ")".repeat(closing[i]))).join(" ");
}
