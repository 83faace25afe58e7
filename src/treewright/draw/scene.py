"""The content of a drawing: words in a line and arcs between them.

Everything that has the columns of a sentence is converted to a Scene once; the layout and the three media use
nothing else. Nodes are numbered as everywhere: 0 is the root, words are 1..n, here with the empty nodes of an enhanced
graph among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from treewright.checks import describe_value
from treewright.draw.measure import clean, is_right_to_left
from treewright.errors import InputError

State = Literal["suggested", "decided", "pinned", "changed", "doubtful", "rejected"]
Kind = (
    Literal["tree", "given", "extra", "basic", "correct", "wrong-head", "wrong-span", "wrong-label", "missed"] | State
)
States = Mapping[tuple[int, int], str]  # of arcs (head, modifier)
Direction = Literal["auto", "ltr", "rtl"]
Features = Sequence[str] | Mapping[str, Sequence[str]] | None
Marks = Iterable[Any] | None  # words by number (3, "8.1") and arcs as pairs of numbers (head, modifier)


@dataclass(frozen=True)
class Word:
    """A word, or an empty node; notes are the lines under it, details those that a page shows on hover.

    has_hint: the first note is the letters by which the word is chosen.
    """

    form: str
    notes: tuple[str, ...] = ()
    number: str = ""
    empty: bool = False
    has_hint: bool = False
    is_cursor: bool = False
    details: tuple[str, ...] = ()  # lemma, tags, features; or nothing
    is_marked: bool = False


@dataclass(frozen=True)
class Arc:
    """An arc between nodes. note is drawn after the label, in another colour: what the label ought to be, ..."""

    head: int
    modifier: int
    label: str = ""
    kind: Kind = "tree"
    note: str = ""
    below: bool = False
    confidence: float | None = None
    is_marked: bool = False

    @property
    def is_stub(self) -> bool:
        """Whether only its modifier is drawn: it comes from the root, from the word itself, or from an unknown head."""
        return self.head in (UNKNOWN, ROOT, self.modifier)

    @property
    def text(self) -> str:
        """What is written on it: a sign for a loop or an unknown head, the label, the note."""
        sign = {ROOT: "", self.modifier: "↻ ", UNKNOWN: "? "}.get(self.head, "")
        return f"{sign}{self.label}{self.note}".strip()


ROOT, UNKNOWN = 0, -1


@dataclass(frozen=True)
class Token:
    """Words first..last, written together as form."""

    first: int
    last: int
    form: str


@dataclass(frozen=True)
class Scene:
    """A sentence ready to be laid out."""

    words: tuple[Word, ...]
    arcs: tuple[Arc, ...]
    tokens: tuple[Token, ...] = ()
    title: str = ""
    name: str = ""
    rtl: bool = False
    certificate: str = ""


STATES: tuple[State, ...] = get_args(State)
STATE_NOTES = {"decided": " •", "rejected": "×"}  # after the label, so that a state is not a matter of colour alone
MISC_PREFIX = "misc:"

# The columns of a sentence under their usual names.
ALIASES = {"lemma": "lemmas", "pos": "upos", "tag": "xpos", "feat": "feats", "deprel": "deprels"}

GraphArc = tuple[str, str, str]  # head, modifier, label; nodes as CoNLL-U numbers them: "8", "8.1"

MIN_UNMARKED = 0.9  # arcs of lower probability have it beside their label; not tuned


@dataclass(frozen=True)
class Analysis:
    """The checked columns of a sentence. One entry a word; a head is a CoNLL number, -1 where it is not known."""

    forms: list[str]
    heads: list[int]
    labels: list[str]
    confidence: list[float | None]
    graph: list[GraphArc]


def scene_of(
    sentence: Any = None,
    *,
    gold: Any = None,
    given: Any = None,
    marks: Marks = None,
    enhanced: bool | None = None,
    features: Features = None,
    direction: Direction = "auto",
    states: States | None = None,
    cursor: int | None = None,
    hints: Mapping[int, str] | None = None,
    title: str | None = None,
    with_details: bool = False,
    **columns: Any,
) -> Scene:
    """Return the scene of a sentence, of columns given by name, or of both; a column that is given wins."""
    if direction not in ("auto", "ltr", "rtl"):
        raise InputError(f"direction is {direction!r}; it can be 'auto', 'ltr' or 'rtl'")
    wants_graph = columns.get("graph") is not None if enhanced is None else enhanced
    analysis = analysis_of(sentence, columns, wants_graph)
    right = None if gold is None else other_analysis(gold, analysis.forms, wants_graph, "gold")
    positions = positions_of(len(analysis.forms), analysis.graph + (right.graph if right else []))
    arcs = tree_arcs(analysis, positions) if right is None else compare_arcs(analysis, right, positions)
    if given is not None:
        heads = other_analysis(given, analysis.forms, False, "given").heads
        arcs = with_given(arcs, heads, positions)
    if states is not None:
        arcs = with_states(arcs, states, positions)
    if analysis.graph or (right and right.graph):
        arcs = with_graph(arcs, analysis.graph, right.graph if right else None, positions)
    notes = notes_of(sentence, columns, features, len(analysis.forms))
    details = details_of(sentence, columns, len(analysis.forms)) if with_details else [()] * len(analysis.forms)
    words = [Word(form, note, details=more) for form, note, more in zip(analysis.forms, notes, details, strict=True)]
    words = with_cursor_and_hints(words, cursor, hints or {})
    numbered = list(number_words(words, empty_forms(sentence), positions))
    if marks is not None:
        numbered, arcs = with_marks(numbered, arcs, marks, positions)
    return Scene(
        tuple(numbered),
        tuple(arcs),
        tuple(tokens_of(sentence, positions)),
        clean(title if title is not None else str(getattr(sentence, "text", None) or " ".join(analysis.forms))),
        clean(str(getattr(sentence, "sent_id", None) or "")),
        direction == "rtl" or (direction == "auto" and is_right_to_left(analysis.forms)),
        certificate_of(sentence),
    )


def analysis_of(sentence: Any, columns: Mapping[str, Any], with_graph: bool, name: str = "") -> Analysis:
    column = partial(column_of, sentence, columns)
    heads, forms = column("heads"), column("forms")
    if forms is None:
        if heads is None:
            raise InputError(
                f"there is nothing to draw: give a sentence, or forms and heads (got {type(sentence).__name__})"
            )
        forms = [str(m) for m in range(1, len(heads) + (len(heads) == 0 or not is_of_root(heads[0])))]
    n = len(forms)
    parents = [one_or_more(head) for head in one_a_word(heads, n, f"{name}heads", UNKNOWN)]
    first = checked_heads([heads[0] if heads else UNKNOWN for heads in parents], f"{name}heads")
    labels = one_a_word(column("deprels"), n, f"{name}deprels", "")
    labels = ["" if label in (None, "_") else clean(str(label)) for label in labels]
    edges = column("graph") if with_graph else None
    graph = [] if edges is None else list(edges)
    if any(len(heads) > 1 for heads in parents):
        graph += [(h, m, labels[m - 1] if h == heads[0] else "") for m, heads in enumerate(parents, 1) for h in heads]
    given = columns.get("confidence")
    probabilities = getattr(sentence, "head_confidence", None) if given is None else given
    confidence = checked_confidence(one_a_word(probabilities, n, "confidence", None))
    return Analysis([clean(str(form)) for form in forms], first, labels, confidence, graph_arcs(graph, n))


def other_analysis(other: Any, forms: list[str], with_graph: bool, name: str) -> Analysis:
    """Return the sentence to compare with; it is a sentence, a parse without words, or the heads alone."""
    if not hasattr(other, "heads") and not is_heads(other):
        raise TypeError(f"{name} is {describe_value(other)}; expected a sentence, or the heads of its words")
    columns: dict[str, Any] = {} if hasattr(other, "heads") else {"heads": other}
    if getattr(other, "forms", None) is None:
        columns["forms"] = forms
    analysis = analysis_of(other, columns, with_graph, f"{name} ")
    if len(analysis.forms) != len(forms):
        words = f"{name} has {len(analysis.forms)} words, the sentence {len(forms)}"
        raise InputError(f"{words}; only the same words compare")
    for m, (form, right) in enumerate(zip(forms, analysis.forms, strict=True), start=1):
        if form != right:
            raise InputError(f"word {m} is {right!r} in {name}, {form!r} in the sentence; only the same words compare")
    return analysis


def is_heads(value: Any) -> bool:
    """Whether it can be the heads of words: a list or an array of whole numbers."""
    is_many = hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping))
    return is_many and getattr(value, "ndim", 1) == 1 and all(hasattr(head, "__index__") for head in value)


def one_a_word(values: Any, n: int, name: str, missing: Any) -> list[Any]:
    """Return the n values of a column, without the first entry that decoders give to the root."""
    if values is None:
        return [missing] * n
    entries = list(values)
    if len(entries) == n + 1 and (name == "confidence" or (name.endswith("heads") and is_of_root(entries[0]))):
        del entries[0]
    if len(entries) != n:
        raise InputError(f"{name} has {len(entries)} entries for {n} words; give one a word")
    return entries


def is_of_root(head: Any) -> bool:
    """Whether it is the entry that the root has in a vector of heads."""
    return not one_or_more(head) or one_or_more(head)[0] == -1


def one_or_more(head: Any) -> list[Any]:
    """Return the heads of a word: one, or as many as a graph gives it."""
    if isinstance(head, (list, tuple)):
        return list(head)
    return [] if head is None else [head]


def checked_heads(heads: list[Any], name: str) -> list[int]:
    numbers = [int(head) for head in heads]
    for m, head in enumerate(numbers, start=1):
        if not UNKNOWN <= head <= len(numbers):
            expected = f"between 0 (the root) and {len(numbers)}, the number of words, or -1 where it is not known"
            raise InputError(f"{name}: word {m} has head {head}; a head is {expected}")
    return numbers


def checked_confidence(values: list[Any]) -> list[float | None]:
    for m, value in enumerate(values, start=1):
        if value is not None and (value < 0 or value > 1):
            raise InputError(f"confidence of word {m} is {value}; a probability is between 0 and 1")
    return [None if value is None or value != value else float(value) for value in values]  # NaN: not known


def graph_arcs(graph: list[Any], n: int) -> list[GraphArc]:
    arcs = []
    for arc in graph:
        head, modifier, label = (*arc, "")[:3]
        arcs.append((node_number(head, n), node_number(modifier, n), clean(str(label or ""))))
    return arcs


def node_number(node: Any, n: int) -> str:
    """Return a node as CoNLL-U writes it: 8 and "8" are "8", (8, 1) and "8.1" are "8.1"."""
    parts = [str(part) for part in node] if isinstance(node, tuple) else str(node).split(".")
    if not all(part.isdecimal() for part in parts):
        raise InputError(f"graph has an arc with node {node}; a node is a number, or two for an empty node: 8.1")
    whole, part = (*map(int, parts), 0)[:2]
    if whole > n:
        raise InputError(f"graph has an arc with node {node}; nodes are between 0 (the root) and {n}")
    return f"{whole}.{part}" if part else str(whole)


def positions_of(n: int, graph: list[GraphArc]) -> dict[str, int]:
    """Return the position of each node: the root at 0, then words and empty nodes from left to right."""
    numbers = {str(m) for m in range(n + 1)} | {node for arc in graph for node in arc[:2]}
    in_order = sorted(numbers, key=lambda number: [int(part) for part in number.split(".")])
    return {number: position for position, number in enumerate(in_order)}


def number_words(words: list[Word], empty: Mapping[str, str], positions: Mapping[str, int]) -> Iterator[Word]:
    for number in positions:
        if "." in number:
            yield Word(empty.get(number, number), (), number, empty=True)
        elif number != "0":
            yield replace(words[int(number) - 1], number=number)


def empty_forms(sentence: Any) -> dict[str, str]:
    nodes = getattr(sentence, "empty_nodes", None) or ()
    return {node.id: clean(node.form) for node in nodes if node.form not in ("", "_")}


def tokens_of(sentence: Any, positions: Mapping[str, int]) -> Iterator[Token]:
    for token in getattr(sentence, "tokens", None) or ():
        yield Token(positions[str(token.first)], positions[str(token.last)], clean(token.form))


def notes_of(sentence: Any, columns: Mapping[str, Any], features: Features, n: int) -> list[tuple[str, ...]]:
    """Return the lines under each word: the columns given, which must exist; without any, upos if it exists."""
    if isinstance(features, Mapping):
        lines = [one_a_word(values, n, name, "") for name, values in features.items()]
    elif features is not None:
        lines = [feature_column(sentence, columns, name, n) for name in features]
    else:
        lines = [one_a_word(column_of(sentence, columns, "upos"), n, "upos", "_")]
    if all(value in ("", "_", None) for line in lines for value in line):
        return [()] * n
    return [tuple(part for value in values for part in note_lines(value)) for values in zip(*lines, strict=True)]


def details_of(sentence: Any, columns: Mapping[str, Any], n: int) -> list[tuple[str, ...]]:
    """Return lemma, tags and features of each word, as far as the sentence has them."""
    lemmas, upos, xpos, feats = (
        [as_text(value) for value in one_a_word(column_of(sentence, columns, name), n, name, None)]
        for name in ("lemmas", "upos", "xpos", "feats")
    )
    tags = [f"{a} {b}".strip() for a, b in zip(upos, xpos, strict=True)]
    rows = zip(lemmas, tags, feats, strict=True)
    return [details if any(details) else () for details in rows]


def certificate_of(sentence: Any) -> str:
    """Return what the parser proved about the tree, from its result or from the comment that commands write."""
    parse, comment = getattr(sentence, "parse", None), getattr(sentence, "comment", None)
    if parse is not None:
        return " over ".join(str(getattr(parse, name)) for name in ("status", "scope") if hasattr(parse, name))
    return clean(comment("treewright") or "") if callable(comment) else ""


def feature_column(sentence: Any, columns: Mapping[str, Any], feature: str, n: int) -> list[Any]:
    name = ALIASES.get(feature, feature)
    if name == "id":
        return [str(m) for m in range(1, n + 1)]
    if name.startswith(MISC_PREFIX):
        cells = one_a_word(column_of(sentence, columns, "misc"), n, "misc", "_")
        return [misc_value(cell, name.removeprefix(MISC_PREFIX)) for cell in cells]
    values = column_of(sentence, columns, name)
    if values is None:
        raise InputError(
            f"features has no column {feature!r} to write under the words; "
            "known: id, upos, xpos, lemma, feats, misc:KEY"
        )
    return one_a_word(values, n, name, "")


def misc_value(cell: str, key: str) -> str:
    """Return the value of a key in a MISC cell; empty if it has none.

    >>> misc_value("Gloss=dog|SpaceAfter=No", "Gloss"), misc_value("_", "Gloss")
    ('dog', '')
    """
    return next((item[len(key) + 1 :] for item in str(cell).split("|") if item.startswith(f"{key}=")), "")


def column_of(sentence: Any, columns: Mapping[str, Any], name: str) -> Any:
    """Return a column that was given, or the sentence's own, if it has it."""
    return columns[name] if columns.get(name) is not None else getattr(sentence, name, None)


def note_lines(value: Any) -> list[str]:
    """Return a value, features one a line; an empty value has a line too, so that the lines of all words correspond."""
    text = as_text(value)
    return text.split("|") if "=" in text else [text]


def as_text(value: Any) -> str:
    """Return a cell of a column; features may be given as a mapping."""
    if value is None or value == "_":
        return ""
    if isinstance(value, Mapping):
        return clean("|".join(f"{key}={content}" for key, content in value.items()))
    return clean(str(value))


def tree_arcs(analysis: Analysis, positions: Mapping[str, int]) -> list[Arc]:
    arcs = (tree_arc(analysis, m, positions) for m in range(len(analysis.forms)))
    return [arc for arc in arcs if arc is not None]


def tree_arc(analysis: Analysis, m: int, positions: Mapping[str, int]) -> Arc | None:
    """Return the arc to the word at index m; nothing if neither its head nor its label is known."""
    head, label, confidence = analysis.heads[m], analysis.labels[m], analysis.confidence[m]
    if head == UNKNOWN and not label:
        return None
    doubt = "" if confidence is None or confidence >= MIN_UNMARKED else f" {confidence:.0%}"
    return Arc(position(positions, head), positions[str(m + 1)], label, note=doubt, confidence=confidence)


def position(positions: Mapping[str, int], head: int) -> int:
    return UNKNOWN if head == UNKNOWN else positions[str(head)]


def compare_arcs(analysis: Analysis, gold: Analysis, positions: Mapping[str, int]) -> list[Arc]:
    """Return the arcs, each compared with gold, and under the words the arcs of gold that were missed."""
    arcs, missed = [], []
    for m, (head, right) in enumerate(zip(analysis.heads, gold.heads, strict=True)):
        arc = tree_arc(analysis, m, positions)
        if arc is not None:
            arcs.append(arc if right == UNKNOWN else judge_arc(arc, head == right, gold.labels[m]))
        if head != right != UNKNOWN:
            missed.append(Arc(position(positions, right), positions[str(m + 1)], gold.labels[m], "missed", below=True))
    return arcs + missed


def with_given(arcs: list[Arc], heads: list[int], positions: Mapping[str, int]) -> list[Arc]:
    """Return the arcs, those marked whose heads are given: the others were completed."""
    given = {(position(positions, head), positions[str(m)]) for m, head in enumerate(heads, start=1) if head != UNKNOWN}
    return [
        replace(arc, kind="given", note=f" •{arc.note}")
        if arc.kind == "tree" and (arc.head, arc.modifier) in given
        else arc
        for arc in arcs
    ]


def with_states(arcs: list[Arc], states: States, positions: Mapping[str, int]) -> list[Arc]:
    """Return the arcs with their states, and below the words the rejected ones."""
    kinds: dict[tuple[int, int], Any] = {}  # a State each, checked here
    for arc, state in states.items():
        if not isinstance(arc, tuple) or len(arc) != 2:
            raise InputError(f"states: {arc!r} is no arc; expected pairs (head, modifier), each with its state")
        head, modifier = arc
        if state not in STATES:
            raise InputError(f"states: arc ({head}, {modifier}) is {state!r}; expected one of {', '.join(STATES)}")
        if not {str(head), str(modifier)} <= positions.keys() or not modifier:
            raise InputError(f"states: the sentence has no arc ({head}, {modifier})")
        kinds[positions[str(head)], positions[str(modifier)]] = STATES[STATES.index(state)]
    drawn = [with_state(arc, kinds.pop((arc.head, arc.modifier), None)) for arc in arcs]
    for (head, modifier), state in kinds.items():
        if state != "rejected":
            raise InputError(f"states: arc ({head}, {modifier}) is {state}, but the tree does not have it")
    return drawn + [Arc(h, m, "", "rejected", STATE_NOTES["rejected"], below=True) for h, m in kinds]


def with_state(arc: Arc, state: State | None) -> Arc:
    return arc if state is None else replace(arc, kind=state, note=STATE_NOTES.get(state, "") + arc.note)


def with_cursor_and_hints(words: list[Word], cursor: int | None, hints: Mapping[int, str]) -> list[Word]:
    """Return the words, the one under the cursor marked, with hints as the first line under them."""
    for name, numbers in (("cursor", () if cursor is None else (cursor,)), ("hints", hints)):
        for number in numbers:
            if not 1 <= number <= len(words):
                raise InputError(f"{name}: there is no word {number}; words are 1..{len(words)}")
    if hints:
        words = [
            replace(word, notes=(clean(hints.get(m, "")), *word.notes), has_hint=True)
            for m, word in enumerate(words, 1)
        ]
    return [replace(word, is_cursor=m == cursor) for m, word in enumerate(words, 1)]


def with_marks(
    words: list[Word], arcs: list[Arc], marks: Iterable[Any], positions: Mapping[str, int]
) -> tuple[list[Word], list[Arc]]:
    """Mark words and arcs; the root, and an empty node or arc that is not drawn, are passed over."""
    marked: set[int | None] = set()
    marked_arcs: set[tuple[int | None, int | None]] = set()
    for mark in marks:
        if isinstance(mark, tuple):
            head, modifier, *_ = mark
            marked_arcs.add((positions.get(str(head)), positions.get(str(modifier))))
        else:
            marked.add(positions.get(str(mark)))
    return (
        [replace(word, is_marked=True) if place in marked else word for place, word in enumerate(words, start=1)],
        [replace(arc, is_marked=True) if (arc.head, arc.modifier) in marked_arcs else arc for arc in arcs],
    )


def judge_arc(arc: Arc, right_head: bool, label: str) -> Arc:
    if not right_head:
        return replace(arc, kind="wrong-head", note=f" ×{arc.note}")
    if label not in ("", arc.label):
        return replace(arc, kind="wrong-label", note=f" → {label}{arc.note}")
    return replace(arc, kind="correct")


def with_graph(
    arcs: list[Arc], graph: list[GraphArc], gold: list[GraphArc] | None, positions: Mapping[str, int]
) -> list[Arc]:
    """Add the graph to the tree: of a longer label, what it adds; arcs outside the tree are below the words.

    Without a tree, the first arc of each word takes the place of its arc in the tree.
    """
    arcs = list(arcs) or first_arcs(graph, positions)
    above = {(arc.head, arc.modifier): i for i, arc in enumerate(arcs) if not arc.below}
    confirmed = set()
    for edge in graph:
        h, m, label = positions[edge[0]], positions[edge[1]], edge[2]
        i = above.get((h, m))
        if i is None or not same_or_longer(label, arcs[i].label):
            arcs.append(extra_arc(Arc(h, m, label, "extra", below=True), gold is None or edge in gold, bool(gold)))
        elif i not in confirmed and label != arcs[i].label:
            arcs[i] = replace(arcs[i], note=label[len(arcs[i].label) :] + arcs[i].note)
        confirmed.add(i)
    for i in above.values():
        if i not in confirmed and arcs[i].kind == "tree":
            arcs[i] = replace(arcs[i], kind="basic")
    drawn = {(arc.head, arc.modifier) for arc in arcs}
    missed = [(positions[edge[0]], positions[edge[1]], edge[2]) for edge in gold or () if edge not in graph]
    return arcs + [Arc(h, m, label, "missed", below=True) for h, m, label in missed if (h, m) not in drawn]


def same_or_longer(label: str, basic: str) -> bool:
    """Whether the label of the graph is that of the tree, or has more to it, as conj:and has more than conj."""
    return label == basic or label.startswith(f"{basic}:") or not basic


def extra_arc(arc: Arc, in_gold: bool, judged: bool) -> Arc:
    if not judged:
        return arc
    return replace(arc, kind="correct") if in_gold else replace(arc, kind="wrong-head", note=" ×")


def first_arcs(graph: list[GraphArc], positions: Mapping[str, int]) -> list[Arc]:
    arcs: dict[str, Arc] = {}
    for head, modifier, label in graph:
        arcs.setdefault(modifier, Arc(positions[head], positions[modifier], label))
    return list(arcs.values())
