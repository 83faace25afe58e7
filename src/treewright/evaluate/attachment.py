"""The figures of the Universal Dependencies evaluation, and some more over the same alignment.

Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX (Zeman et al. 2018), ELAS and
EULAS (Bouma et al. 2020) are defined as in the official script and agree with it to the last digit. Ours are LAS+
(relations with their subtypes), Roots (words attached to the root), UEM and LEM (sentences without a wrong head,
without a wrong head or relation).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from treewright.caching import cached_property
from treewright.corpus.bytecells import ByteCells, Flags, Indices
from treewright.evaluate.alignment import Alignment, common_spans
from treewright.evaluate.columns import Columns
from treewright.evaluate.graphs import graph_matches, head_matches
from treewright.evaluate.scores import Score

CONTENT = frozenset(
    [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
        "dep",
    ]
)
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
UNIVERSAL_FEATURES = frozenset(
    [
        "PronType",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Abbr",
        "Gender",
        "Animacy",
        "Number",
        "Case",
        "Definite",
        "Degree",
        "VerbForm",
        "Mood",
        "Tense",
        "Aspect",
        "Voice",
        "Evident",
        "Polarity",
        "Person",
        "Polite",
    ]
)


def universal_features(feats: str) -> str:
    """The universal features among feats, sorted.

    >>> universal_features("Number=Sing|Typo=Yes|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted([feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES]))


def is_punctuation(form: str) -> bool:
    """Is every character of the form a punctuation mark? The rule of the CoNLL-X shared task.

    >>> is_punctuation("..."), is_punctuation("$"), is_punctuation(":-)")
    (True, False, True)
    """
    return all(unicodedata.category(character)[0] == "P" for character in form)


@dataclass(frozen=True)
class Side:
    """Properties of the words of one file that are derived from its columns."""

    columns: Columns

    @cached_property
    def relations(self) -> ByteCells:
        """Without subtypes."""
        return self.columns.deprels.before(":")

    @cached_property
    def relation_codes(self) -> tuple[Indices, list[str]]:
        return self.relations.codes()

    def has_relation_in(self, relations: frozenset[str]) -> Flags:
        codes, texts = self.relation_codes
        return np.array([text in relations for text in texts], bool)[codes]

    @cached_property
    def is_content(self) -> Flags:
        return self.has_relation_in(CONTENT)

    @cached_property
    def is_punctuation(self) -> Flags:
        return self.columns.forms.classify(is_punctuation)

    @cached_property
    def is_function_word(self) -> Flags:
        """Functional and below a word."""
        return self.has_relation_in(FUNCTIONAL) & (self.columns.heads >= 0)

    @cached_property
    def function_words(self) -> Indices:
        """The number of function words below each word."""
        heads = self.columns.heads[self.is_function_word]
        return np.bincount(heads, minlength=len(self.columns))


@dataclass(frozen=True)
class Judgement:
    """For each pair of aligned words, what the system has right."""

    alignment: Alignment

    @cached_property
    def gold(self) -> Side:
        return Side(self.alignment.gold)

    @cached_property
    def system(self) -> Side:
        return Side(self.alignment.system)

    def same(self, gold: ByteCells, system: ByteCells) -> Flags:
        """Are the cells of the two words equal?"""
        return gold.take(self.alignment.gold_words).equal(system.take(self.alignment.system_words))

    @cached_property
    def same_upos(self) -> Flags:
        return self.same(self.alignment.gold.upos, self.alignment.system.upos)

    @cached_property
    def same_xpos(self) -> Flags:
        return self.same(self.alignment.gold.xpos, self.alignment.system.xpos)

    @cached_property
    def same_feats(self) -> Flags:
        """Universal features only; most cells that differ do so in them, but order and other features may differ."""
        found = self.alignment
        same = self.same(found.gold.feats, found.system.feats)
        different = np.flatnonzero(~same)
        gold, gold_texts = found.gold.feats.take(found.gold_words[different]).codes()
        system, system_texts = found.system.feats.take(found.system_words[different]).codes()
        known = {text: universal_features(text) for text in {*gold_texts, *system_texts}}
        numbers = {feats: number for number, feats in enumerate(set(known.values()))}
        gold_numbers = np.array([numbers[known[text]] for text in gold_texts], np.int64)
        system_numbers = np.array([numbers[known[text]] for text in system_texts], np.int64)
        same[different] = gold_numbers[gold] == system_numbers[system]
        return same

    @cached_property
    def same_lemma(self) -> Flags:
        """Where the gold file has no lemma, every lemma counts as right."""
        found = self.alignment
        same = self.same(found.gold.lemmas, found.system.lemmas)
        return np.asarray(same | found.gold.lemmas.is_just("_")[found.gold_words])

    @cached_property
    def same_head(self) -> Flags:
        found = self.alignment
        of_system = found.gold_of[found.system.heads[found.system_words]]
        return np.asarray(found.gold.heads[found.gold_words] == of_system)

    @cached_property
    def same_relation(self) -> Flags:
        return self.same(self.gold.relations, self.system.relations)

    @cached_property
    def same_deprel(self) -> Flags:
        """Subtypes included."""
        return self.same(self.alignment.gold.deprels, self.alignment.system.deprels)

    @cached_property
    def same_function_words(self) -> Flags:
        """Do the two words have the same function words, with the same relations, tags and features?

        Alignment keeps the order, so this is so when all function words of the gold word are right and the system's
        word has no more of them.
        """
        found = self.alignment
        right = self.same_head & self.same_relation & self.same_upos & self.same_feats
        right &= self.gold.is_function_word[found.gold_words]
        heads = found.gold.heads[found.gold_words[right]]
        right_below = np.bincount(heads, minlength=len(found.gold))[found.gold_words]
        below = self.gold.function_words[found.gold_words]
        return np.asarray((right_below == below) & (below == self.system.function_words[found.system_words]))


@dataclass(frozen=True)
class Measure:
    """What a score counts: what is right in each pair of words, what there is in each gold and system word."""

    right: Flags | Indices
    gold: Flags | Indices
    system: Flags | Indices
    aligned: int | None = None

    @property
    def score(self) -> Score:
        return Score(int(self.right.sum()), int(self.gold.sum()), int(self.system.sum()), self.aligned)


def measures_of(judgement: Judgement, *, punct: bool) -> dict[str, Measure]:
    """Everything that is counted word by word. Without punct, punctuation is left out where heads are judged."""
    found = judgement.alignment
    gold, system = judgement.gold, judgement.system
    words = (np.ones(len(found.gold), bool), np.ones(len(found.system), bool))
    arcs = words if punct else (~gold.is_punctuation, ~system.is_punctuation)
    content = (gold.is_content, system.is_content)
    roots = (found.gold.heads < 0, found.system.heads < 0)
    labelled = judgement.same_head & judgement.same_relation
    tagged = judgement.same_upos & judgement.same_feats
    edges = graph_matches(found)

    def over(counted: tuple[Flags, Flags], right: Flags) -> Measure:
        in_pairs = counted[0][found.gold_words]
        return Measure(right & in_pairs, *counted, aligned=int(in_pairs.sum()))

    return {
        "Words": Measure(np.ones(len(found.gold_words), bool), *words),
        "UPOS": over(words, judgement.same_upos),
        "XPOS": over(words, judgement.same_xpos),
        "UFeats": over(words, judgement.same_feats),
        "AllTags": over(words, tagged & judgement.same_xpos),
        "Lemmas": over(words, judgement.same_lemma),
        "UAS": over(arcs, judgement.same_head),
        "LAS": over(arcs, labelled),
        "CLAS": over(content, labelled),
        "MLAS": over(content, labelled & tagged & judgement.same_function_words),
        "BLEX": over(content, labelled & judgement.same_lemma),
        "ELAS": Measure(edges.whole, edges.gold, edges.system),
        "EULAS": Measure(edges.base, edges.gold, edges.system),
        "Edges": Measure(*head_matches(found, extra=False)),
        "Extra": Measure(*head_matches(found, extra=True)),
        "LAS+": over(arcs, judgement.same_head & judgement.same_deprel),
        "Roots": over(roots, judgement.same_head),
    }


def scores_of(judgement: Judgement, *, punct: bool) -> dict[str, Score]:
    """All scores by name."""
    found = judgement.alignment
    labelled = judgement.same_head & judgement.same_relation
    return {
        "Tokens": spans_score(found.gold.token_ends, found.system.token_ends),
        "Sentences": spans_score(found.gold.sentence_ends, found.system.sentence_ends),
        **{name: measure.score for name, measure in measures_of(judgement, punct=punct).items()},
        "UEM": exact_match(judgement, judgement.same_head, punct=punct),
        "LEM": exact_match(judgement, labelled, punct=punct),
    }


def spans_score(gold_ends: Indices, system_ends: Indices) -> Score:
    return Score(len(common_spans(gold_ends, system_ends)[0]), len(gold_ends), len(system_ends))


def exact_match(judgement: Judgement, right: Flags, *, punct: bool) -> Score:
    """The sentences that both files have with the same words, all of them right."""
    found = judgement.alignment
    fine = right & found.parallel
    if not punct:
        fine |= found.parallel & judgement.gold.is_punctuation[found.gold_words]
    good_words = np.bincount(found.gold.sentence_of[found.gold_words[fine]], minlength=found.gold.sentences)
    return Score(int((good_words == found.gold.lengths).sum()), found.gold.sentences, found.system.sentences)
