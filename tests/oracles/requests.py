"""Requests by definition: random sentences and requests, and all matchings by trying every assignment.

Nothing here uses the matcher or the parser of Treewright. A clause is a tuple whose first entry is its kind; `text_of`
writes it as a request, `holds` decides it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

Clause = tuple[Any, ...]
Edge = tuple[str, str, str]  # head, modifier, label with E: if it is enhanced
Node = dict[str, str]  # features by name

LABELS = ["a", "b", "a:x", "b:x", "a:y"]
TAGS = ["N", "V"]
CASES = ["Nom", "Acc"]


@dataclass
class Graph:
    """Nodes by id in order, edges, and the comments of a sentence."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    text: str = ""


def random_graph(random: Random, *, is_enhanced: bool) -> Graph:
    """Return a sentence of one to four words, not always a tree, with empty nodes if it is enhanced."""
    count = random.randint(1, 4)
    graph = Graph({"0": {"form": "__0__"}})
    ids = [str(number) for number in range(1, count + 1)]
    if is_enhanced and random.random() < 0.5:
        ids.insert(random.randint(1, count), "")
        ids = [id_ or f"{ids[place - 1]}.1" for place, id_ in enumerate(ids)]
    lines = []
    for id_ in ids:
        node = {"form": random.choice("pq"), "lemma": random.choice("pq"), "upos": random.choice(TAGS)}
        cells = [id_, node["form"], node["lemma"], node["upos"], "_", "_", "_", "_", "_", "_"]
        if random.random() < 0.6:
            node["Case"] = random.choice(CASES)
            cells[5] = f"Case={node['Case']}|Zero=1"
            node["Zero"] = "1"
        if random.random() < 0.6:
            node["Gloss"] = random.choice("pq")
            node["Confidence"] = node["conf"] = random.choice(["0.2", "0.7"])
            cells[9] = f"Confidence={node['conf']}|Gloss={node['Gloss']}"
        if "." not in id_ and random.random() < 0.9:
            head, label = str(random.randint(0, count)), random.choice(LABELS)
            cells[6:8] = [head, label]
            graph.edges.append((head, id_, label))
        if is_enhanced:
            heads = sorted(random.sample(["0", *ids], random.randint(0, 2)), key=float)
            edges = [(head, label) for head in heads for label in sorted(random.sample(LABELS, random.randint(1, 2)))]
            cells[8] = "|".join(f"{head}:{label}" for head, label in edges) or "_"
            graph.edges += [(head, id_, f"E:{label}") for head, label in edges]
        node["__id__"] = id_
        graph.nodes[id_] = node
        lines.append("\t".join(cells))
    graph.nodes["0"]["__id__"] = "0"
    graph.text = "# kind = test\n" + "\n".join(lines) + "\n\n"
    return graph


# -- random clauses

NAMES = ["X", "Y", "Z$"]


def random_request(random: Random, *, is_enhanced: bool) -> list[tuple[str, list[Clause]]]:
    """Return the blocks of a request."""
    pattern, names, edges = random_block(random, [], [], is_enhanced)
    blocks = [("pattern", pattern)]
    for _ in range(random.choice([0, 0, 1, 2])):
        clauses, _, _ = random_block(random, names, edges, is_enhanced)
        blocks.append((random.choice(["with", "without"]), clauses))
    return blocks


def random_block(
    random: Random, outer: list[str], outer_edges: list[str], is_enhanced: bool
) -> tuple[list[Clause], list[str], list[str]]:
    """Return clauses, and the names of nodes and edges that are known after them."""
    names = [*outer]
    for name in random.sample(NAMES, random.randint(0 if outer else 1, 3)):
        names += [] if name in names else [name]
    clauses: list[Clause] = [
        ("node", name, [random_features(random) for _ in range(random.randint(1, 2))])
        for name in names
        if name not in outer or random.random() < 0.3
    ]
    edges = [*outer_edges]
    if names:
        for _ in range(random.choice([0, 1, 1, 2])):
            free = [name for name in ("e", "f") if name not in edges]
            edge = random.choice([None, *free])
            edges += [edge] if edge else []
            ends: list[str | None] = [random.choice(names), random.choice(names)]
            if random.random() < 0.2:
                ends[random.randint(0, 1)] = None
            clauses.append(("edge", edge, *ends, random_label(random, is_enhanced)))
        for _ in range(random.choice([0, 0, 1, 2])):
            clauses.append(random_constraint(random, names, edges))
    random.shuffle(clauses)
    return clauses, names, edges


def random_features(random: Random) -> list[Clause]:
    return [random_test(random) for _ in range(random.choice([0, 0, 0, 1, 1, 2]))]


def random_test(random: Random) -> Clause:
    name = random.choice(["upos", "Case", "Gloss", "form", "Missing"])
    values = {"upos": TAGS, "Case": CASES}.get(name, ["p", "q"])
    kind = random.choice(["in", "not in", "present", "absent", "regex"])
    return name, kind, random.sample(values, random.randint(1, len(values)))


def random_label(random: Random, is_enhanced: bool) -> Clause:
    prefix = "E:" if is_enhanced and random.random() < 0.6 else ""
    kind = random.choice(["any", "in", "not in", "parts", "regex"])
    labels = [prefix + label for label in random.sample(LABELS, random.randint(1, 2))]
    if kind == "any":
        return ("any",)
    if kind == "parts":
        tests: list[Clause] = [("1", random.choice(["in", "not in"]), [random.choice("ab")])]
        tests += [("2", random.choice(["in", "not in", "present", "absent"]), [random.choice("xy")])]
        return ("parts", tests + ([("enhanced", "in", ["yes"])] if prefix else []))
    return (kind, labels)


def random_constraint(random: Random, names: list[str], edges: list[str]) -> Clause:
    left, right = random.choice(names), random.choice(names)
    feature, other = random.choice(["form", "lemma", "Gloss", "Case"]), random.choice(["form", "lemma", "Gloss"])
    choices: list[Clause] = [
        ("next", left, right),
        ("before", left, right),
        ("dominates", left, right),
        ("compare", f"{left}.{feature}", random.choice(["=", "<>"]), f"{right}.{other}"),
        ("compare", f"{left}.__id__", random.choice(["<", ">", "<=", ">="]), f"{right}.__id__"),
        ("value", f"{left}.{feature}", random.choice(["=", "<>"]), random.sample(["p", "q", "Nom"], 2)),
        ("number", f"{left}.conf", random.choice(["<", ">", "<=", ">="]), 0.5),
        ("number", f"{random.choice(['delta', 'length'])}({left}, {right})", random.choice(["=", "<", ">"]), 1),
        ("absent", f"{left}.{feature}"),
        ("present", f"{left}.{feature}"),
    ]
    if edges:
        edge, second = random.choice(edges), random.choice(edges)
        choices += [
            ("covered node", left, edge),
            ("covered", edge, second),
            ("cross", edge, second),
            ("compare", f"{edge}.label", random.choice(["=", "<>"]), f"{second}.label"),
            ("compare", f"{edge}.1", random.choice(["=", "<>"]), f"{second}.1"),
            ("number", f"{edge}.length", random.choice(["=", "<", ">"]), 1),
            ("value", f"{edge}.2", "=", ["x"]),
        ]
    return random.choice(choices)


# -- as text


def text_of(blocks: list[tuple[str, list[Clause]]]) -> str:
    return "\n".join(
        f"{keyword} {{ % {number}\n  {'; '.join(map(clause_text, clauses))} }}"
        for number, (keyword, clauses) in enumerate(blocks)
    )


def clause_text(clause: Clause) -> str:
    match clause:
        case ("node", name, alternatives):
            return f"{name} " + " | ".join(f"[{', '.join(map(test_text, tests))}]" for tests in alternatives)
        case ("edge", edge, head, modifier, label):
            arrow = "->" if label == ("any",) else f"-[{label_text(label)}]->"
            return f"{edge + ': ' if edge else ''}{head or '*'} {arrow} {modifier or '*'}"
        case ("next", left, right):
            return f"{left} < {right}"
        case ("before" | "covered" | "covered node", left, right):
            return f"{left} << {right}"
        case ("dominates", left, right):
            return f"{left} ->> {right}"
        case ("cross", left, right):
            return f"{left} >< {right}"
        case ("value", left, sign, values):
            return f"{left} {sign} {'|'.join(values)}"
        case ("compare" | "number", left, sign, right):
            return f"{left} {sign} {right}"
        case ("absent", attribute):
            return f"!{attribute}"
        case ("present", attribute):
            return str(attribute)
    raise AssertionError(clause)


def test_text(test: Clause) -> str:
    name, kind, values = test
    if kind == "regex":
        return f'{name} = re"{"|".join(value[:1] + ".*" for value in values)}"'
    joined = "|".join(values)
    return {"in": f"{name}={joined}", "not in": f"{name} <> {joined}", "present": f"{name}", "absent": f"!{name}"}[kind]


test_text.__test__ = False  # type: ignore[attr-defined]  # it is not a test


def label_text(label: Clause) -> str:
    match label:
        case ("parts", tests):
            return ", ".join(f"{test[0]}=*" if test[1] == "present" else test_text(test) for test in tests)
        case ("regex", labels):
            return "|".join(f're"{label[:3] if label.startswith("E:") else label[:1]}.*"' for label in labels)
        case ("not in", labels):
            return "^" + "|".join(labels)
        case (_, labels):
            return "|".join(labels)
    raise AssertionError(label)


# -- by definition


def matchings(blocks: list[tuple[str, list[Clause]]], graph: Graph) -> set[tuple[Any, ...]]:
    """Return every assignment that meets the pattern and all filters, as pairs of name and node or edge."""
    (_, pattern), *filters = blocks
    found = set()
    for nodes, edges in assignments(pattern, {}, {}, graph):
        if all((keyword == "with") == has_match(clauses, nodes, edges, graph) for keyword, clauses in filters):
            found.add((*sorted(nodes.items()), *sorted(edges.items())))
    return found


def has_match(clauses: list[Clause], nodes: dict[str, str], edges: dict[str, Edge], graph: Graph) -> bool:
    return any(True for _ in assignments(clauses, nodes, edges, graph))


def assignments(clauses: list[Clause], nodes: dict[str, str], edges: dict[str, Edge], graph: Graph) -> Any:
    names, edge_names = declared(clauses)
    names = [name for name in names if name not in nodes]
    for chosen in product(graph.nodes, repeat=len(names)):
        all_nodes = nodes | dict(zip(names, chosen, strict=True))
        injective = [node for name, node in all_nodes.items() if not name.endswith("$")]
        if len(set(injective)) < len(injective):
            continue
        for chosen_edges in product(graph.edges, repeat=len(edge_names)):
            all_edges = edges | dict(zip(edge_names, chosen_edges, strict=True))
            if all(holds(clause, all_nodes, all_edges, graph) for clause in clauses):
                yield all_nodes, all_edges


def declared(clauses: list[Clause]) -> tuple[list[str], list[str]]:
    names: list[str] = []
    edges: list[str] = []
    for clause in clauses:
        if clause[0] == "node":
            names.append(clause[1])
        elif clause[0] == "edge":
            edges += [clause[1]] if clause[1] else []
            names += [name for name in clause[2:4] if name]
        elif clause[0] in ("next", "before", "dominates"):
            names += clause[1:]
    return list(dict.fromkeys(names)), edges


def holds(clause: Clause, nodes: dict[str, str], edges: dict[str, Edge], graph: Graph) -> bool:
    match clause:
        case ("node", name, alternatives):
            features = graph.nodes[nodes[name]]
            return any(all(passes(features.get(test[0]), test) for test in tests) for tests in alternatives)
        case ("edge", edge, head, modifier, label):
            return any(
                (head is None or nodes[head] == source)
                and (modifier is None or nodes[modifier] == target)
                and label_fits(text, label)
                for source, target, text in ([edges[edge]] if edge else graph.edges)
            )
        case ("next", left, right):
            places = nodes[left], nodes[right]
            return "." not in "".join(places) and int(places[0]) + 1 == int(places[1])
        case ("before", left, right):
            return float(nodes[left]) < float(nodes[right])
        case ("dominates", left, right):
            return nodes[right] in below(nodes[left], graph)
        case ("covered node", name, edge):
            first, last = span(edges[edge])
            return first < float(nodes[name]) < last
        case ("covered", left, right):
            (a, b), (c, d) = span(edges[left]), span(edges[right])
            return c <= a <= b <= d and (a, b) != (c, d)
        case ("cross", left, right):
            (a, b), (c, d) = span(edges[left]), span(edges[right])
            return a < c < b < d or c < a < d < b
        case ("absent" | "present" as kind, attribute):
            return (value_of(attribute, nodes, edges, graph) is None) == (kind == "absent")
        case ("value", attribute, sign, values):
            value = value_of(attribute, nodes, edges, graph)
            return value is not None and (value in values) == (sign == "=")
        case ("compare", left, sign, right):
            return compare(value_of(left, nodes, edges, graph), sign, value_of(right, nodes, edges, graph))
        case ("number", left, sign, number):
            return compare(value_of(left, nodes, edges, graph), sign, number, as_numbers=True)
    raise AssertionError(clause)


def compare(left: Any, sign: str, right: Any, *, as_numbers: bool = False) -> bool:
    if left is None or right is None:
        return False
    if as_numbers or sign not in ("=", "<>"):
        left, right = float(left), float(right)
    return bool(
        {"=": left == right, "<>": left != right, "<": left < right, ">": left > right, "<=": left <= right}.get(
            sign, left >= right
        )
    )


def value_of(attribute: str, nodes: dict[str, str], edges: dict[str, Edge], graph: Graph) -> str | None:
    if attribute.startswith(("delta(", "length(")):
        left, right = attribute.partition("(")[2].rstrip(")").split(", ")
        distance = float(nodes[right]) - float(nodes[left])
        return str(distance if attribute.startswith("delta") else abs(distance))
    owner, _, name = attribute.partition(".")
    if owner in nodes:
        return graph.nodes[nodes[owner]].get(name)
    head, modifier, label = edges[owner]
    if name == "label":
        return label
    if name == "length":
        return str(abs(float(head) - float(modifier)))
    return parts_of(label).get(name)


def passes(value: str | None, test: Clause) -> bool:
    _, kind, values = test
    if value is None:
        return bool(kind == "absent")
    if kind == "regex":
        return any(value.startswith(start[:1]) for start in values)
    return bool({"in": value in values, "not in": value not in values, "present": True, "absent": False}[kind])


def parts_of(label: str) -> dict[str, str]:
    first, _, second = label.removeprefix("E:").partition(":")
    parts = {"1": first, "2": second, "enhanced": "yes" if label.startswith("E:") else ""}
    return {name: value for name, value in parts.items() if value}


def label_fits(text: str, label: Clause) -> bool:
    """A test is about enhanced edges if it names them, and about basic edges if it names labels without E:."""
    is_enhanced = text.startswith("E:")
    match label:
        case ("any",):
            return not is_enhanced
        case ("parts", tests):
            wants = any(name == "enhanced" for name, _, _ in tests)
            return is_enhanced == wants and all(passes(parts_of(text).get(test[0]), test) for test in tests)
        case (kind, labels):
            if not any(item.startswith("E:") == is_enhanced for item in labels):
                return False
            if kind == "regex":
                return any(text.startswith(item[:3] if item.startswith("E:") else item[:1]) for item in labels)
            return bool((text in labels) == (kind == "in"))
    raise AssertionError(label)


def span(edge: Edge) -> tuple[float, float]:
    first, last = sorted((float(edge[0]), float(edge[1])))
    return first, last


def below(node: str, graph: Graph) -> set[str]:
    """Return the nodes that basic edges lead to."""
    reached: set[str] = set()
    pending = [node]
    while pending:
        source = pending.pop()
        new = {m for h, m, label in graph.edges if h == source and not label.startswith("E:")} - reached
        reached |= new
        pending += new
    return reached
