"""Parse requests and rules. The parser reads characters directly, because labels and names have different letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from treewright.errors import RequestError
from treewright.query.syntax import (
    ENHANCED,
    AddEdge,
    Attribute,
    Clause,
    Command,
    Comparison,
    Condition,
    DeleteEdge,
    DeleteFeature,
    Distance,
    EdgeClause,
    FeatureTest,
    Filter,
    GlobalFlag,
    LabelTest,
    NodeClause,
    Operator,
    Relation,
    RequestTree,
    RuleTree,
    SetValue,
    Shift,
    Values,
)

SPACE = re.compile(r"(?:\s|%[^\n]*)*")
NAME = re.compile(r"[^\W\d]\w*\$?")
FEATURE = re.compile(r"[^\W\d][\w-]*(?:\[\w+\])?")
EDGE_FEATURE = re.compile(r"\w+")
STRING = re.compile(r'"((?:\\.|[^"\\])*)"', re.S)
REGEX = re.compile(r're"((?:\\.|[^"\\])*)"|/((?:\\.|[^/\\\n])+)/(i?)')
BARE = re.compile(r"[^\s,;|{}\[\]()\"=<>+%*!]+")
LABEL = re.compile(r"(?:[^\s,;|{}\[\]\"=<>^!%*-]|-(?!>))+")
LABEL_FEATURES = re.compile(r"\s*(?:!|\w+\s*(?:=|<>))")  # how conditions on the parts of a label begin
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])")
DOTTED = re.compile(r"([^\W\d]\w*\$?)\.([^\W\d][\w-]*(?:\[\w+\])?|[12]\b)")
META = re.compile(r"[^\W\d][\w:.-]*")
OPERATOR = re.compile(r"<=|>=|<>|=|<|>")

FLAGS = ("tree", "forest", "cyclic", "projective")
UNSUPPORTED = {  # keywords of Grew that are refused by name
    "commands": "commands change sentences; write a rule and use `treewright rewrite`",
    "rule": "a rule is for `treewright rewrite`; a request has pattern, with, without and global only",
    "strat": "strategies are not supported; rules are applied in the order of the file until nothing changes",
    "package": "packages are not supported; write the rules one after another",
    "import": "imports are not supported; give the rules in one file",
    "include": "imports are not supported; give the rules in one file",
    "lexicon": "lexicons are not supported; write the values as alternatives: lemma = a|b|c",
    "from": "lexicons are not supported; write the values as alternatives: lemma = a|b|c",
    "match": "`match` is older syntax; write `pattern`",
}
UNSUPPORTED_COMMANDS = {
    "add_node": "adding words is not supported; CoNLL-U words stand for text",
    "del_node": "deleting words is not supported; CoNLL-U words stand for text",
    "append_feats": "append_feats is not supported; assign the features one by one: X.Case = Y.Case",
    "prepend_feats": "prepend_feats is not supported; assign the features one by one: X.Case = Y.Case",
    "unorder": "the order of the words cannot be changed",
    "insert": "the order of the words cannot be changed",
}
FIXED = {  # features that commands cannot set
    "form": "it would contradict the text of the sentence",
    "conf": "it is computed by a parser",
    "head": "use add_edge and del_edge",
    **dict.fromkeys(("deprel", "label"), "name the edge in the pattern (e: X -> Y) and set e.label"),
}

T = TypeVar("T")


class Text:
    """The text of a request, read from left to right. Blanks and comments are skipped before every item."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.at = 0

    def skip(self) -> int:
        """Go to the next item, and return where it is."""
        self.at = cast(re.Match[str], SPACE.match(self.text, self.at)).end()
        return self.at

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what the pattern matches here, if it does."""
        if match := pattern.match(self.text, self.skip()):
            self.at = match.end()
        return match

    def accept(self, sign: str) -> bool:
        """Read a sign, if it is here."""
        if not self.text.startswith(sign, self.skip()):
            return False
        self.at += len(sign)
        return True

    def looks_at(self, *signs: str) -> bool:
        """Return whether one of the signs is here."""
        return self.text.startswith(signs, self.skip())

    def expect(self, sign: str, where: str) -> None:
        if not self.accept(sign):
            raise self.error(f"{self.rest()}; expected {sign!r} {where}")

    def name(self, what: str, pattern: re.Pattern[str] = NAME) -> str:
        """Read a name; `what` says in a message what is named."""
        if match := self.take(pattern):
            return match[0]
        raise self.error(f"{self.rest()}; expected {what}")

    def rest(self) -> str:
        """Return what stands here, for a message."""
        here = self.text[self.skip() :].split("\n")[0][:20].rstrip()
        if not here:
            return "the text ends here" if self.at >= len(self.text) else "the line ends here"
        word = re.match(r"\w+|\W[^\w\s]*", here)
        return repr(word[0] if word else here)

    def error(self, problem: str, at: int | None = None) -> RequestError:
        """Return the error for a problem here, or at another place."""
        return RequestError(self.source, self.text, self.skip() if at is None else at, problem)


def parse_request(text: str, source: str = "request") -> RequestTree:
    """Parse a request: blocks `pattern`, `with`, `without` and `global`, or clauses alone, which are a pattern."""
    reader = Text(text, source)
    if reader.skip() == len(text):
        raise reader.error("the request is empty; expected pattern { ... }")
    keyword = re.compile(r"(\w+)\s*\{").match(text, reader.at)
    if keyword is None and not _unsupported_keyword(text, reader.at):
        if block := re.compile(r"\b(with|without|global)\s*\{").search(text):
            raise reader.error(f"{block[1]!r} after clauses; write pattern {{ ... }} around them", block.start())
        tree = RequestTree(tuple(_items(reader, _clause, "")))
    else:
        tree = _blocks(reader, "")
    check_names(tree, reader)
    return tree


def parse_rules(text: str, source: str = "rules") -> list[RuleTree]:
    """Parse rules: `rule name { pattern { ... } commands { ... } }`, one after another; without a name, its number."""
    reader = Text(text, source)
    rules: list[RuleTree] = []
    while reader.skip() < len(text):
        at = reader.at
        if reader.text.startswith("#BEGIN", at):
            raise reader.error(UNSUPPORTED["lexicon"], at)
        keyword = reader.name("rule NAME { ... }")
        if keyword != "rule":
            raise reader.error(UNSUPPORTED.get(keyword, f"{keyword!r}; expected rule NAME {{ ... }}"), at)
        at = reader.skip()
        name = str(len(rules) + 1) if reader.looks_at("{") else reader.name("the name of the rule")
        if any(rule.name == name for rule in rules):
            raise reader.error(f"a second rule {name}; give each rule a name of its own", at)
        if reader.looks_at("("):
            raise reader.error("parameters and lexicons are not supported; write the values in the pattern")
        rules.append(_rule(reader, name))
    if not rules:
        raise reader.error("there is no rule; expected rule NAME { pattern { ... } commands { ... } }")
    return rules


def _rule(reader: Text, name: str) -> RuleTree:
    begin = reader.skip()
    reader.expect("{", f"after the name of rule {name}")
    commands: list[Command] = []
    tree = _blocks(reader, "}", commands)
    reader.expect("}", f"at the end of rule {name}")
    if not commands:
        raise reader.error(f"rule {name} has no commands; expected commands {{ ... }}", begin)
    check_names(tree, reader)
    _check_commands(tree, commands, reader)
    return RuleTree(name, tree, tuple(commands))


def _unsupported_keyword(text: str, at: int) -> bool:
    keyword = NAME.match(text, at)
    return keyword is not None and keyword[0] in UNSUPPORTED and bool(re.match(r"\s+\w|\s*\(", text[keyword.end() :]))


def _blocks(reader: Text, end: str, commands: list[Command] | None = None) -> RequestTree:
    """Parse blocks up to the end sign; the commands of a rule are put into `commands`, which a request has not."""
    pattern: list[Clause] = []
    filters: list[Filter] = []
    flags: list[GlobalFlag] = []
    metadata: list[FeatureTest] = []
    while reader.skip() < len(reader.text) and not (end and reader.looks_at(end)):
        at = reader.at
        keyword = reader.name("pattern, with, without or global")
        if keyword in UNSUPPORTED and not (keyword == "commands" and commands is not None):
            raise reader.error(f"{keyword!r}: {UNSUPPORTED[keyword]}", at)
        if keyword not in ("pattern", "with", "without", "global", "commands"):
            raise reader.error(f"{keyword!r}; expected pattern, with, without or global", at)
        reader.expect("{", f"after {keyword}")
        if keyword == "global":
            for item in _items(reader, _global_item, "}"):
                flags.append(item) if isinstance(item, GlobalFlag) else metadata.append(item)
        elif keyword == "commands":
            cast(list[Command], commands).extend(_items(reader, _command, "}"))
        else:
            clauses = tuple(_items(reader, _clause, "}"))
            if keyword == "pattern":
                pattern += clauses
            else:
                filters.append(Filter(clauses, keyword == "without"))
        reader.expect("}", f"at the end of {keyword} {{ ... }}, or ';' before the next item")
    return RequestTree(tuple(pattern), tuple(filters), tuple(flags), tuple(metadata))


def _items(reader: Text, parse: Callable[[Text], T], end: str) -> Iterator[T]:
    """Yield items separated by semicolons, up to the end sign, or to the end of the text if it is empty."""
    while True:
        while reader.accept(";"):
            pass
        if reader.skip() == len(reader.text) or (end and reader.looks_at(end)):
            return
        yield parse(reader)
        if not reader.looks_at(";", *([end] if end else [])) and reader.at < len(reader.text):
            closing = f"';' or '{end}'" if end else "';'"
            raise reader.error(f"{reader.rest()}; expected {closing} here")


# -- clauses


def _clause(reader: Text) -> Clause:
    at = reader.skip()
    if reader.accept("!"):
        return Condition(_attribute(reader), is_missing=True)
    if reader.accept("*"):
        return _edge(reader, None, None, at)
    if (call := re.compile(r"(delta|length)\s*\(").match(reader.text, at)) is not None:
        reader.at = call.end()
        left = reader.name("a node")
        reader.expect(",", f"in {call[1]}(X, Y)")
        right = reader.name("a node")
        reader.expect(")", f"after {call[1]}(X, Y")
        return _comparison(reader, Distance(left, right, call[1] == "delta", at))
    name = reader.name("a clause: X [upos=VERB], X -[obj]-> Y, X << Y or X.lemma = Y.lemma")
    if reader.looks_at("["):
        return NodeClause(name, tuple(_alternatives(reader)), at)
    if reader.accept(":"):
        head = None if reader.accept("*") else reader.name("the head of the edge: a node or *")
        return _edge(reader, name, head, at)
    if reader.accept("."):
        attribute = Attribute(name, _attribute_name(reader), at)
        has_operator = OPERATOR.match(reader.text, reader.skip()) is not None
        return _comparison(reader, attribute) if has_operator else Condition(attribute, is_missing=False)
    if reader.accept("->>"):
        return Relation(name, "->>", reader.name("a node after ->>"), at)
    if reader.looks_at("->", "-["):
        return _edge(reader, None, name, at)
    if reader.accept("><"):
        return Relation(name, "><", reader.name("an edge after ><"), at)
    if reader.looks_at("<>"):
        raise reader.error("<> between names is not supported; compare values: X.lemma <> Y.lemma")
    for sign in ("<<", ">>", "<", ">"):
        if reader.accept(sign):
            other = reader.name(f"a node or an edge after {sign}")
            left, right = (name, other) if sign[0] == "<" else (other, name)
            return Relation(left, "<" if len(sign) == 1 else "<<", right, at)
    raise reader.error(f"{reader.rest()} after {name}; expected [, ->, -[, ->>, <, <<, ':' or '.'")


def _edge(reader: Text, edge: str | None, head: str | None, at: int) -> EdgeClause:
    label = _label_in_arrow(reader, "-", "->", "after the head of the edge")
    if reader.looks_at(">"):
        raise reader.error("->> has no name and no *; write X ->> Y")
    modifier = None if reader.accept("*") else reader.name("the modifier of the edge: a node or *")
    return EdgeClause(edge, head, modifier, label, at)


def _label_in_arrow(reader: Text, sign: str, plain: str, place: str) -> LabelTest:
    """Read the labels of -[labels]-> or =[labels]=>, or the arrow without labels, which is `plain`."""
    if not reader.accept(f"{sign}["):
        reader.expect(plain, f"or {sign}[label]{sign}> {place}")
        return LabelTest()
    label = _label_test(reader)
    reader.expect(f"]{sign}>", "after the label")
    return label


def _alternatives(reader: Text) -> Iterator[tuple[FeatureTest, ...]]:
    """Yield the feature lists of [upos=VERB, Tense=Past] | [upos=AUX]."""
    while True:
        reader.expect("[", "before features")
        tests: list[FeatureTest] = []
        while not reader.accept("]"):
            if tests:
                reader.expect(",", "or ']' after a feature")
            tests.append(_feature_test(reader, FEATURE, "the name of a feature"))
        yield tuple(tests)
        if not reader.accept("|"):
            return


def _feature_test(reader: Text, pattern: re.Pattern[str], what: str) -> FeatureTest:
    if reader.accept("!"):
        return FeatureTest(reader.name(what, pattern), is_missing=True)
    name = reader.name(what, pattern)
    if reader.accept("<>"):
        values = _values(reader, BARE)
        if values.is_any:
            raise reader.error(f"{name} <> * excludes every value; write !{name} for a missing feature")
        return FeatureTest(name, values, is_negated=True)
    if reader.accept("="):
        return FeatureTest(name, _values(reader, BARE))
    if (sign := OPERATOR.match(reader.text, reader.skip())) is not None:
        raise reader.error(f"{sign[0]!r} in a feature list; write X.{name} {sign[0]} ... as a clause of its own")
    return FeatureTest(name)


def _values(reader: Text, bare: re.Pattern[str]) -> Values:
    """Parse alternatives: a|"b"|re"c.*"|/d/i, or *."""
    if reader.accept("*"):
        return Values(is_any=True)
    texts: set[str] = set()
    patterns: list[re.Pattern[str]] = []
    while True:
        value = _value(reader, bare)
        if isinstance(value, str):
            texts.add(value)
        else:
            patterns.append(value)
        if not reader.accept("|"):
            return Values(frozenset(texts), tuple(patterns))


def _value(reader: Text, bare: re.Pattern[str]) -> str | re.Pattern[str]:
    at = reader.skip()
    if match := reader.take(REGEX):
        return _regex(reader, match, at)
    if match := reader.take(STRING):
        return re.sub(r"\\(.)", r"\1", match[1], flags=re.S)
    if reader.looks_at('"', 're"'):
        raise reader.error('the quotation mark is not closed; expected "..."')
    if bare is BARE and (dotted := DOTTED.match(reader.text, at)):
        raise reader.error(f'{dotted[0]}: lexicons are not supported; quote a value with a dot: "{dotted[0]}"', at)
    if match := reader.take(bare):
        return match[0]
    raise reader.error(f'{reader.rest()}; expected a value: Plur, "Plur" or re"Pl.*"')


def _regex(reader: Text, match: re.Match[str], at: int) -> re.Pattern[str]:
    text = match[2] if match[1] is None else match[1].replace('\\"', '"')
    if re.search(r"(?<!\\)(?:\\\\)*\\\|", text):
        raise reader.error("\\| in a regular expression; write | for alternatives", at)
    try:
        return re.compile(text, re.I if match[3] else 0)
    except re.error as error:
        raise reader.error(f"regular expression: {error}", at) from None


def _label_test(reader: Text) -> LabelTest:
    """Parse what stands between -[ and ]->."""
    if LABEL_FEATURES.match(reader.text, reader.at):
        tests: list[FeatureTest] = []
        while not tests or reader.accept(","):
            at = reader.skip()
            tests.append(_feature_test(reader, EDGE_FEATURE, "a part of the label: 1, 2, deep or enhanced"))
            if tests[-1].name not in ("1", "2", "deep", "enhanced"):
                raise reader.error(f"{tests[-1].name}: a label has the parts 1, 2, deep and enhanced", at)
        accepts_enhanced = any(test.name == "enhanced" and test.accept("yes") for test in tests)
        return LabelTest(features=tuple(tests), on_basic=not accepts_enhanced, on_enhanced=accepts_enhanced)
    is_negated = reader.accept("^")
    values = _values(reader, LABEL)
    labels = [*values.texts, *(pattern.pattern for pattern in values.patterns)]
    enhanced = [label.startswith(ENHANCED) for label in labels]
    return LabelTest(values, is_negated, on_basic=not all(enhanced) or not labels, on_enhanced=any(enhanced))


def _attribute(reader: Text) -> Attribute:
    at = reader.skip()
    owner = reader.name("a node or an edge: X.Case")
    reader.expect(".", f"after {owner}")
    return Attribute(owner, _attribute_name(reader), at)


def _attribute_name(reader: Text) -> str:
    return reader.name("the name of a feature", re.compile(rf"{FEATURE.pattern}|[12]\b"))


def _comparison(reader: Text, left: Attribute | Distance) -> Comparison:
    sign = reader.take(OPERATOR)
    if sign is None:
        raise reader.error(f"{reader.rest()}; expected =, <>, <, <=, > or >=")
    operator = cast(Operator, sign[0])
    at = reader.skip()
    right: Attribute | Values | float
    if match := reader.take(DOTTED):
        right = Attribute(match[1], match[2], at)
    elif operator not in ("=", "<>") or isinstance(left, Distance):
        number = reader.take(NUMBER)
        if number is None:
            raise reader.error(f"{reader.rest()}; expected a number after {operator}")
        right = float(number[0])
    else:
        right = _values(reader, BARE)
        if right.is_any and operator == "<>":
            raise reader.error("<> * excludes every value; write !X.F for a missing feature", at)
    return Comparison(left, operator, right)


def _global_item(reader: Text) -> GlobalFlag | FeatureTest:
    at = reader.skip()
    flag = re.compile(r"is_(not_)?(\w+)").match(reader.text, at)
    if flag is None:
        return _feature_test(reader, META, "is_projective, or the name of a comment: sent_id = ...")
    if flag[2] not in FLAGS:
        known = ", ".join(f"is_{name}" for name in FLAGS)
        raise reader.error(f"{flag[0]!r} is not supported; expected {known}, or the same with is_not_", at)
    reader.at = flag.end()
    return GlobalFlag(flag[2], flag[1] is not None)


# -- names


def edge_names(clauses: tuple[Clause, ...]) -> list[str]:
    """Return the names of edges that the clauses declare, in order, each once."""
    return list(dict.fromkeys(clause.edge for clause in clauses if isinstance(clause, EdgeClause) and clause.edge))


def node_names(clauses: tuple[Clause, ...], edges: set[str]) -> list[str]:
    """Return the names of nodes that the clauses declare, in order, each once; `edges` are the names of edges."""
    names: dict[str, None] = {}
    for clause in clauses:
        match clause:
            case NodeClause(name=name):
                names[name] = None
            case EdgeClause(head=head, modifier=modifier):
                names |= {end: None for end in (head, modifier) if end is not None}
            case Relation(left, "<" | "<<" | "->>", right):
                names |= {end: None for end in (left, right) if end not in edges}
            case _:
                pass
    return list(names)


def check_names(tree: RequestTree, reader: Text) -> None:
    """Refuse names of edges that are nodes too, edges declared twice, and comparisons of undeclared names."""
    _check_block(tree.pattern, set(), set(), reader)
    edges = set(edge_names(tree.pattern))
    nodes = set(node_names(tree.pattern, edges))
    for block in tree.filters:
        _check_block(block.clauses, nodes, edges, reader)


def _check_block(clauses: tuple[Clause, ...], nodes: set[str], edges: set[str], reader: Text) -> None:
    all_edges = edges | set(edge_names(clauses))
    all_nodes = nodes | set(node_names(clauses, all_edges))
    seen = set(edges)
    for clause in clauses:
        match clause:
            case EdgeClause(edge=str(name)) if name in seen:
                raise reader.error(f"a second edge {name}; give each edge a name of its own", clause.at)
            case EdgeClause(edge=str(name)):
                seen.add(name)
            case Relation(left, "><", right):
                for name in (left, right):
                    if name not in all_edges:
                        raise reader.error(f"{name} is not an edge; >< is between named edges (e: X -> Y)", clause.at)
            case Relation(left, "<" | "<<" as sign, right):
                if left in all_edges and right not in all_edges:
                    raise reader.error(f"{left} is an edge and {right} is not; write {right} << {left}", clause.at)
                if sign == "<" and right in all_edges:
                    raise reader.error("< is between nodes; write << for covered by an edge", clause.at)
            case Relation(left, "->>", right):
                for name in {left, right} & all_edges:
                    raise reader.error(f"{name} is an edge; ->> is between nodes", clause.at)
            case Comparison(left=left, right=right):
                for item in (left, right):
                    _check_operand(item, all_nodes, all_edges, reader)
            case Condition(left=left):
                _check_operand(left, all_nodes, all_edges, reader)
            case _:
                pass
    for name in all_nodes & all_edges:
        at = next(clause.at for clause in clauses if not isinstance(clause, (Comparison, Condition)))
        raise reader.error(f"{name} is the name of a node and of an edge; give the edge another name", at)


EDGE_ATTRIBUTES = ("label", "1", "2", "deep", "enhanced", "length", "delta")


def _check_operand(item: Attribute | Distance | Values | float, nodes: set[str], edges: set[str], reader: Text) -> None:
    if isinstance(item, Distance):
        for name in (item.left, item.right):
            if name not in nodes:
                raise reader.error(f"no node {name} in this request", item.at)
    if not isinstance(item, Attribute):
        return
    if item.owner not in nodes | edges:
        remedy = "declare it (X [], or e: X -> Y), or quote a value with a dot"
        raise reader.error(f"no node or edge {item.owner} in this request; {remedy}", item.at)
    if item.owner in edges and item.name not in EDGE_ATTRIBUTES:
        raise reader.error(f"an edge has no {item.name}, only {', '.join(EDGE_ATTRIBUTES)}", item.at)


# -- commands


def _command(reader: Text) -> Command:
    at = reader.skip()
    keyword = NAME.match(reader.text, at)
    if keyword is not None and keyword[0] in UNSUPPORTED_COMMANDS:
        raise reader.error(f"{keyword[0]}: {UNSUPPORTED_COMMANDS[keyword[0]]}", at)
    if keyword is not None and keyword[0] in COMMANDS:
        reader.at = keyword.end()
        return COMMANDS[keyword[0]](reader, at)
    if keyword is None or not reader.text.startswith(".", keyword.end()):
        known = ", ".join(COMMANDS)
        raise reader.error(f"{reader.rest()}; expected a command: {known}, X.upos = ... or e.label = ...")
    target = _attribute(reader)
    return _assignment(reader, target, f"after {target.owner}.{target.name}")


def _assignment(reader: Text, target: Attribute, where: str) -> SetValue:
    """Parse `= value + value`; `where` says in a message where the sign is missing."""
    reader.expect("=", where)
    parts = [_part(reader, target)]
    while reader.accept("+"):
        parts.append(_part(reader, target))
    return SetValue(target, tuple(parts))


def _part(reader: Text, target: Attribute) -> Attribute | str:
    at = reader.skip()
    if match := reader.take(DOTTED):
        return Attribute(match[1], match[2], at)
    value = _value(reader, LABEL if target.name == "label" else BARE)
    if isinstance(value, re.Pattern):
        raise reader.error("a regular expression is not a value", at)
    if reader.looks_at("|"):
        raise reader.error("several values; a command sets one")
    return value


def _add_edge(reader: Text, at: int) -> AddEdge:
    edge, head, label, modifier = _plain_edge(reader)
    if label is None and edge is None:
        raise reader.error("a new edge has no label; write add_edge X -[obj]-> Y, or name it and set its label", at)
    return AddEdge(edge, head, modifier, label, at)


def _relabel(reader: Text, at: int) -> SetValue:
    """Parse `relabel e = obj`, another way to write `e.label = obj`."""
    edge = reader.name("the name of an edge, as in relabel e = obj")
    return _assignment(reader, Attribute(edge, "label", at), f"and a label after relabel {edge}")


def _delete_edge(reader: Text, at: int) -> DeleteEdge:
    begin = reader.skip()
    name = reader.name("an edge: e, or X -[obj]-> Y")
    if not reader.looks_at("-[", "->"):
        return DeleteEdge(name, None, None, None, at)
    reader.at = begin
    _, head, label, modifier = _plain_edge(reader)
    return DeleteEdge(None, head, modifier, label, at)


def _plain_edge(reader: Text) -> tuple[str | None, str, str | None, str]:
    """Parse [e:] X -[label]-> Y; return edge, head, label, modifier."""
    edge, head = None, reader.name("a node")
    if reader.accept(":"):
        edge, head = head, reader.name("a node")
    label = None
    if reader.accept("-["):
        value = _value(reader, LABEL)
        if isinstance(value, re.Pattern) or not reader.looks_at("]"):
            raise reader.error("one label is expected here; to use the label of an edge, name it: e: X -[...]-> Y")
        label = value
        reader.expect("]->", "after the label")
    else:
        reader.expect("->", "or -[label]->")
    return edge, head, label, reader.name("a node")


def _delete_feature(reader: Text, at: int) -> DeleteFeature:
    return DeleteFeature(_attribute(reader))


def _shift(moves_in: bool, moves_out: bool) -> Callable[[Text, int], Shift]:
    def parse(reader: Text, at: int) -> Shift:
        source = reader.name("a node")
        label = _label_in_arrow(reader, "=", "==>", "after the node")
        return Shift(source, reader.name("a node"), label, moves_in, moves_out, at)

    return parse


COMMANDS: dict[str, Callable[[Text, int], Command]] = {
    "add_edge": _add_edge,
    "del_edge": _delete_edge,
    "del_feat": _delete_feature,
    "relabel": _relabel,
    "shift": _shift(True, True),
    "shift_in": _shift(True, False),
    "shift_out": _shift(False, True),
}


def _check_commands(tree: RequestTree, commands: list[Command], reader: Text) -> None:
    """Refuse commands on names that the pattern does not declare, and on features that cannot be set."""
    edges = set(edge_names(tree.pattern))
    nodes = set(node_names(tree.pattern, edges))

    def check(name: str | None, known: set[str], what: str, at: int) -> None:
        if name is not None and name not in known:
            raise reader.error(f"no {what} {name} in the pattern of this rule", at)

    for command in commands:
        match command:
            case AddEdge(edge=edge, head=head, modifier=modifier, at=at):
                if edge is not None and edge in edges | nodes:
                    raise reader.error(f"{edge} is taken; give the new edge another name", at)
                check(head, nodes, "node", at)
                check(modifier, nodes, "node", at)
                edges |= {edge} if edge else set()
            case DeleteEdge(edge=edge, head=head, modifier=modifier, at=at):
                check(edge, edges, "edge", at)
                check(head, nodes, "node", at)
                check(modifier, nodes, "node", at)
            case Shift(source=source, target=target, at=at):
                check(source, nodes, "node", at)
                check(target, nodes, "node", at)
            case DeleteFeature(target=attribute) | SetValue(target=attribute):
                _check_target(attribute, nodes, edges, reader)
                if isinstance(command, SetValue):
                    for part in command.parts:
                        _check_operand(part if isinstance(part, Attribute) else 0.0, nodes, edges, reader)


def _check_target(target: Attribute, nodes: set[str], edges: set[str], reader: Text) -> None:
    _check_operand(target, nodes, edges, reader)
    if target.owner in edges:
        if target.name not in ("label", "1", "2", "deep"):
            raise reader.error(f"{target.owner}.{target.name} cannot be changed, only label, 1, 2 and deep", target.at)
    elif target.name in FIXED or target.name.startswith("__"):
        reason = FIXED.get(target.name, "it is the number of the word")
        raise reader.error(f"{target.owner}.{target.name} cannot be changed: {reason}", target.at)
