"""Rewriting changes what the commands say, and nothing else."""

from __future__ import annotations

import re
from random import Random

import pytest

import treewright as tw
from treewright.errors import BudgetError, InputError, RequestError

TEXT = """\
# sent_id = s1
# text = Lists of dogs were made
1\tLists\tlist\tNOUN\t_\tNumber=Plur\t5\tnsubj\t5:nsubj\t_
2\tof\tof\tADP\t_\t_\t3\tcase\t3:case\tGloss=von|X
3\tdogs\tdog\tNOUN\t_\tNumber=Plur\t1\tnmod\t1:nmod:of\tSpaceAfter=No
4\twere\tbe\tAUX\t_\tMood=Ind\t5\taux\t5:aux\t_
5\tmade\tmake\tVERB\t_\t_\t0\troot\t0:root|1:ref\t_

"""


DOGS = "3 dogs dog NOUN _ Number=Plur"


def changed_lines(rules: str, text: str = TEXT) -> list[str]:
    """The lines that differ after rewriting, as they are then."""
    before = tw.Sentence(text, source="x.conllu")
    after = tw.query.rewrite(rules, before).sentence.written()
    assert before.written() == text
    pairs = zip(text.split("\n"), after.split("\n"), strict=True)
    return [new for old, new in pairs if new != old]


def rule(pattern: str, commands: str) -> str:
    return f"rule r {{ {pattern} commands {{ {commands} }} }}"


@pytest.mark.parametrize(
    ("pattern", "commands", "expected"),
    [
        ("pattern { e: V -[aux]-> A }", "e.label = aux:pass", ["4 were be AUX _ Mood=Ind 5 aux:pass 5:aux:pass _"]),
        ("pattern { e: V -[aux]-> A }", "relabel e = aux:pass", ["4 were be AUX _ Mood=Ind 5 aux:pass 5:aux:pass _"]),
        ("pattern { e: N -[nmod]-> M; V -[nsubj]-> N }", 'relabel e = "obl"', [f"{DOGS} 1 obl 1:obl:of SpaceAfter=No"]),
        ("pattern { e: V -[aux]-> A }", 'e.2 = "pass"', ["4 were be AUX _ Mood=Ind 5 aux:pass 5:aux:pass _"]),
        ("pattern { e: N -[nmod]-> M }", "e.label = obl", [f"{DOGS} 1 obl 1:obl:of SpaceAfter=No"]),
        ("pattern { e: N -[nmod]-> M }", "e.label = obj", [f"{DOGS} 1 obj 1:obj SpaceAfter=No"]),
        (
            "pattern { e: N -[nmod]-> M; V -[nsubj]-> N }",
            "del_edge e; add_edge V -[nmod]-> M",
            [f"{DOGS} 5 nmod 5:nmod:of SpaceAfter=No"],
        ),
        (
            "pattern { e: N -[nmod]-> M; V -[nsubj]-> N }",
            "add_edge f: V -> M; f.label = e.label; del_edge N -[nmod]-> M",
            [f"{DOGS} 5 nmod 5:nmod:of SpaceAfter=No"],
        ),
        ("pattern { V [upos=VERB] }", "V.VerbForm = Part", ["5 made make VERB _ VerbForm=Part 0 root 0:root|1:ref _"]),
        ("pattern { V [upos=VERB] }", "V.upos = ADJ", ["5 made make ADJ _ _ 0 root 0:root|1:ref _"]),
        ("pattern { V [lemma=make] }", 'V.xpos = "re" + V.lemma', ["5 made make VERB remake _ 0 root 0:root|1:ref _"]),
        ("pattern { V [Mood] }", "del_feat V.Mood", ["4 were be AUX _ _ 5 aux 5:aux _"]),
        ("pattern { V [Gloss=von] }", "V.Gloss = of", ["2 of of ADP _ _ 3 case 3:case Gloss=of|X"]),
        ("pattern { V [lemma=make] }", "V.Gloss = gemacht", ["5 made make VERB _ _ 0 root 0:root|1:ref Gloss=gemacht"]),
        ("pattern { X [Mood] }", "X.Case__a = X.lemma", ["4 were be AUX _ Case[a]=be|Mood=Ind 5 aux 5:aux _"]),
        (
            "pattern { V -[nsubj]-> N } without { V -[E:obj]-> N }",
            "add_edge V -[E:obj]-> N",
            ["1 Lists list NOUN _ Number=Plur 5 nsubj 5:nsubj|5:obj _"],
        ),
        ("pattern { X -[E:ref]-> Y }", "del_edge X -[E:ref]-> Y", ["5 made make VERB _ _ 0 root 0:root _"]),
        ("pattern { e: X -[E:ref]-> Y }", 'e.label = "E:dep"', ["5 made make VERB _ _ 0 root 0:root|1:dep _"]),
        (
            "pattern { e: V -[nsubj]-> N; R -[root]-> V }",
            "shift_out N ==> V",
            [f"{DOGS} 5 nmod 5:nmod:of SpaceAfter=No"],
        ),
        (
            "pattern { M -[case]-> C }",
            "shift_in M ==> C; del_edge M -[case]-> C; add_edge C -[fixed]-> M",
            ["2 of of ADP _ _ 1 nmod 1:nmod:of Gloss=von|X", f"{DOGS} 2 fixed 2:fixed SpaceAfter=No"],
        ),
        ("pattern { V -[nsubj]-> N }", "shift N =[obj]=> V", []),
        ("pattern { V -[nsubj]-> N }", "N.upos = NOUN", []),
    ],
)  # fmt: skip
def test_commands(pattern: str, commands: str, expected: list[str]) -> None:
    assert [line.replace("\t", " ") for line in changed_lines(rule(pattern, commands))] == expected


def test_a_rule_that_always_changes_something_is_ended() -> None:
    with pytest.raises(BudgetError, match=r"x\.conllu:1: rules were applied 1050 times, the last one is r"):
        changed_lines(rule("pattern { V [upos=VERB] }", 'V.lemma = "re" + V.lemma'))


def test_a_head_is_exchanged_and_its_edges_move() -> None:
    rules = rule(
        "pattern { R -[root]-> V; e: V -[nsubj]-> N }",
        "del_edge e; del_edge R -[root]-> V; shift_out V ==> N; add_edge R -[root]-> N; add_edge N -[acl]-> V",
    )
    after = tw.query.rewrite(rules, tw.Sentence(TEXT)).sentence
    assert after.heads.tolist() == [0, 3, 1, 1, 1]
    assert after.deprels == ["root", "case", "nmod", "aux", "acl"]
    assert after.deps == ["0:root", "3:case", "1:nmod:of", "1:aux", "1:acl|1:ref"]


def test_rules_run_in_order_until_nothing_changes_and_are_counted() -> None:
    rules = """
    rule second { pattern { X [Step=2] } commands { X.Step = 3 } }
    rule first { pattern { X [Step=1] } commands { X.Step = 2 } }  % then second once more
    rule start { pattern { X [upos=NOUN, !Step] } commands { X.Step = 1 } }
    rule never { pattern { X [upos=ADV] } commands { X.Step = 9 } }
    """
    result = tw.query.rewrite(rules, tw.Sentence(TEXT))
    assert [cell.partition("Step=")[2] for cell in result.sentence.feats] == ["3", "", "3", "", ""]
    assert result.applied == {"second": 2, "first": 2, "start": 2}
    assert tw.query.Rules(rules).names == ["second", "first", "start", "never"]


def test_a_rule_without_a_name_has_its_number() -> None:
    unnamed = rule("pattern { e: V -[aux]-> A }", "e.label = aux:pass").replace("rule r", "rule")
    rewriting = tw.query.rewrite(unnamed, tw.Sentence(TEXT, source="x.conllu"))
    assert dict(rewriting.applied) == {"1": 1}


def test_a_sentence_without_deps_stays_without() -> None:
    text = re.sub(r"\t\d:\S+\t", "\t_\t", TEXT)
    assert changed_lines(rule("pattern { e: V -[aux]-> A }", "e.label = cop"), text) == [
        "4\twere\tbe\tAUX\t_\tMood=Ind\t5\tcop\t_\t_"
    ]


def test_what_a_parser_said_of_the_old_tree_is_removed() -> None:
    text = TEXT.replace("# sent_id", "# treewright = certified\n# sent_id").replace(
        "5:aux\t_", "5:aux\tConfidence=0.9000|LabelConfidence=0.8000|Gloss=a"
    )
    after = tw.query.rewrite(rule("pattern { e: V -[aux]-> A }", "e.label = cop"), tw.Sentence(text)).sentence
    assert after.comment("treewright") is None
    assert after.misc[3] == "Gloss=a"


@pytest.mark.parametrize(
    ("pattern", "commands", "problem"),
    [
        ("pattern { V -[aux]-> A; A [upos=AUX] }", "add_edge A -[dep]-> V", "word 5 has two heads, 0 and 4"),
        ("pattern { e: V -[aux]-> A }", "del_edge e", "after rule r the sentence is not a tree: "),
        ("pattern { e: R -[root]-> V; V -[aux]-> A }", "del_edge e; add_edge A -[dep]-> V", "after rule r .* a tree"),
        ("pattern { e: V -[aux]-> A; R -[root]-> V }", "del_edge e; add_edge R -[root]-> A", "after rule r .* a tree"),
        ("pattern { e: V -[aux]-> A }", "del_edge V -[cop]-> A", r"there is no edge V -\[cop\]-> A to delete"),
        ("pattern { e: V -[aux]-> A }", "del_edge e; e.label = cop", "the edge e was deleted before"),
        ("pattern { e: V -[aux]-> A }", "A.upos = V.Mood", "V has no Mood"),
        ("pattern { R -[root]-> V }", "R.upos = X", "R is the root; features of words can be changed only"),
        ("pattern { R -[root]-> V }", "add_edge V -[dep]-> R", "the root has no head"),
        ("pattern { e: V -[aux]-> A }", 'e.label = "E:aux"', "an edge is basic or enhanced"),
        ("pattern { e: V -[aux]-> A }", "del_edge e; add_edge f: V -> A", "the new edge to word 4 has no label"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_applied_is_named_with_the_sentence(pattern: str, commands: str, problem: str) -> None:
    with pytest.raises(InputError, match=rf"x\.conllu:\d+: .*{problem}") as error:
        changed_lines(rule(pattern, commands))
    assert "rule r" in str(error.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there is no rule"),
        ("strat main { r }", "strategies are not supported"),
        ("package p { }", "packages are not supported"),
        ("rule r (lex v) { }", "parameters and lexicons are not supported"),
        ("rule r { pattern { X [] } }", "rule r has no commands"),
        ("rule r { pattern { X [] } commands { X.upos = V } } rule r {", "a second rule r"),
        ("rule r { pattern { X [] } commands { add_node Y } }", "add_node: adding words is not supported"),
        ("rule r { pattern { e: X -> Y } commands { relabel e } }", "expected '=' and a label after relabel e"),
        ("rule r { pattern { X [] } commands { relabel e = obj } }", "no node or edge e in this request"),
        ("rule r { pattern { X [] } commands { relabel X = obj } }", "X.label cannot be changed: name the edge"),
        ("rule r { pattern { X [] } commands { X.form = a } }", "X.form cannot be changed: it would contradict"),
        ("rule r { pattern { X [] } commands { X.__id__ = 1 } }", "X.__id__ cannot be changed"),
        ("rule r { pattern { X [] } commands { del_edge e } }", "no edge e in the pattern of this rule"),
        ("rule r { pattern { X [] } commands { shift X ==> Y } }", "no node Y in the pattern"),
        ("rule r { pattern { X [] } commands { X.upos = V|N } }", "several values; a command sets one"),
        ("rule r { pattern { X [] } commands { X.upos = re\"V\" } }", "a regular expression is not a value"),
        ("rule r { pattern { X -> Y } commands { add_edge X -> Y } }", "a new edge has no label"),
        ("rule r { pattern { e: X -> Y } commands { add_edge e: X -[a]-> Y } }", "e is taken"),
        ("rule r { pattern { e: X -> Y } commands { e.length = 2 } }", "e.length cannot be changed"),
        ("rule r { pattern { X [] } commands { jump } }", "'jump'; expected a command: add_edge, del_edge, del_feat"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_understood_is_refused(text: str, problem: str) -> None:
    with pytest.raises(RequestError, match=re.escape(problem)):
        tw.query.Rules(text)


@pytest.mark.parametrize("seed", range(3))
def test_one_changed_relation_changes_one_line(seed: int) -> None:
    """Random trees, one random edge relabelled: only its line differs, and DEPS follows HEAD and DEPREL."""
    random = Random(seed)
    for _ in range(40):
        n = random.randint(1, 8)
        heads = [random.randrange(m) for m in range(1, n + 1)]
        labels = [random.choice(["nsubj", "obl", "nmod"]) if head else "root" for head in heads]
        deps = [f"{head}:{label}{random.choice(['', ':in'])}" for head, label in zip(heads, labels, strict=True)]
        before = tw.Sentence.from_words(["x"] * n, heads=heads, deprels=labels, deps=deps)
        word = random.randint(1, n)
        rules = rule(f"pattern {{ e: X -> Y; Y.__id__ = {word} }}", "e.label = advcl")
        after = tw.query.rewrite(rules, before).sentence
        pairs = zip(str(before).split("\n"), str(after).split("\n"), strict=True)
        assert [number for number, (old, new) in enumerate(pairs, start=1) if old != new] == [word]
        suffix = deps[word - 1].partition(":")[2].removeprefix(labels[word - 1])
        assert after.deps[word - 1] == f"{heads[word - 1]}:advcl{suffix}"


@pytest.mark.parametrize("order", ["del_edge e; add_edge H -[dep]-> Y", "add_edge H -[dep]-> Y; del_edge e"])
def test_deps_that_equal_the_tree_equal_it_after_a_move(order: str) -> None:
    """Random trees, one random word moved to a random head: a tree or an error, and DEPS as HEAD and DEPREL say."""
    random = Random(7)
    moved = refused = 0
    for _ in range(150):
        n = random.randint(2, 7)
        heads = [random.randrange(m) if m > 1 else 0 for m in range(1, n + 1)]
        labels = [f"l{random.randint(0, 2)}" for _ in heads]
        deps = [f"{head}:{label}" for head, label in zip(heads, labels, strict=True)]
        before = tw.Sentence.from_words(["x"] * n, heads=heads, deprels=labels, deps=deps)
        word, head = random.sample(range(1, n + 1), 2)
        pattern = f"pattern {{ e: X$ -> Y; Y.__id__ = {word}; H []; H.__id__ = {head} }} without {{ H -[dep]-> Y }}"
        expected = [head if m == word else old for m, old in enumerate(heads, start=1)]
        if not tw.trees.is_tree([-1, *expected]) or (heads.count(0) == 1 and expected.count(0) != 1):
            with pytest.raises(InputError, match="after rule r the sentence is not a tree"):
                tw.query.rewrite(rule(pattern, order), before)
            refused += 1
            continue
        after = tw.query.rewrite(rule(pattern, order), before).sentence
        assert after.heads.tolist() == expected
        assert after.deps == [f"{h}:{label}" for h, label in zip(expected, after.deprels, strict=True)]
        moved += 1
    assert min(moved, refused) > 10
