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
from treewright.evaluate.alignment import Alignment, common_spans
from treewright.evaluate.columns import Columns, Flags, Indices
from treewright.evaluate.graphs import edges_of, graph_matches, head_matches
from treewright.evaluate.scores import Score

CONTENT = frozenset(
    ["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod"]
    + ["discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis"]
    + ["orphan", "goeswith", "reparandum", "root", "dep"]
)
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
UNIVERSAL_FEATURES = frozenset(
    ["PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite"]
    + ["Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite"]
)


def universal_features(feats: str) -> str:
    """Return the universal features among feats, sorted.

    >>> universal_features("Number=Sing|Typo=Yes|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted([feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES]))


def is_punctuation(form: str) -> bool:
    """Whether every character of the form is a punctuation mark: the rule of the CoNLL-X shared task.

    >>> is_punctuation("..."), is_punctuation("$"), is_punctuation(":-)")
    (True, False, True)
    """
    return all(unicodedata.category(character)[0] == "P" for character in form)


@dataclass(frozen=True)
class Side:
    """Properties of the words of one file that are derived from its columns."""

    columns: Columns

    @cached_property
    def relations(self) -> Indices:
        """Without subtypes, as numbers of the vocabulary."""
        return self.columns.vocabulary.replace(lambda deprel: deprel.partition(":")[0], self.columns.cells["DEPREL"])

    def has_relation_in(self, relations: frozenset[str]) -> Flags:
        return self.columns.vocabulary.test(relations.__contains__, self.relations)

    @cached_property
    def is_content(self) -> Flags:
        return self.has_relation_in(CONTENT)

    @cached_property
    def is_punctuation(self) -> Flags:
        return self.columns.vocabulary.test(is_punctuation, self.columns.cells["FORM"])

    @cached_property
    def is_function_word(self) -> Flags:
        """Functional and below a word."""
        return self.has_relation_in(FUNCTIONAL) & (self.columns.heads >= 0)

    @cached_property
    def function_words(self) -> Indices:
        """The number of function words below each word."""
        heads = self.columns.heads[self.is_function_word]
        return np.bincount(heads, minlength=len(self.columns))

    @cached_property
    def features(self) -> Indices:
        """The universal features, as numbers of the vocabulary."""
        return self.columns.vocabulary.replace(universal_features, self.columns.cells["FEATS"])


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

    def same(self, gold: Indices, system: Indices) -> Flags:
        """Return whether the cells of the two words are equal."""
        return np.asarray(gold[self.alignment.gold_words] == system[self.alignment.system_words])

    def same_cells(self, column: str) -> Flags:
        return self.same(self.alignment.gold.cells[column], self.alignment.system.cells[column])

    @cached_property
    def same_upos(self) -> Flags:
        return self.same_cells("UPOS")

    @cached_property
    def same_feats(self) -> Flags:
        """Universal features only, in any order."""
        return self.same(self.gold.features, self.system.features)

    @cached_property
    def same_lemma(self) -> Flags:
        """Where the gold file has no lemma, every lemma counts as right."""
        gold = self.alignment.gold
        has_none = gold.cells["LEMMA"][self.alignment.gold_words] == gold.vocabulary["_"]
        return np.asarray(self.same_cells("LEMMA") | has_none)

    @cached_property
    def same_head(self) -> Flags:
        alignment = self.alignment
        of_system = alignment.gold_of[alignment.system.heads[alignment.system_words]]
        return np.asarray(alignment.gold.heads[alignment.gold_words] == of_system)

    @cached_property
    def same_relation(self) -> Flags:
        return self.same(self.gold.relations, self.system.relations)

    @cached_property
    def same_deprel(self) -> Flags:
        """Subtypes included."""
        return self.same_cells("DEPREL")

    @cached_property
    def same_function_words(self) -> Flags:
        """Do the two words have the same function words, with the same relations, tags and features?

        Alignment keeps the order, so this is so when all function words of the gold word are right and the system's
        word has no more of them.
        """
        alignment = self.alignment
        right = self.same_head & self.same_relation & self.same_upos & self.same_feats
        right &= self.gold.is_function_word[alignment.gold_words]
        heads = alignment.gold.heads[alignment.gold_words[right]]
        right_below = np.bincount(heads, minlength=len(alignment.gold))[alignment.gold_words]
        below = self.gold.function_words[alignment.gold_words]
        return np.asarray((right_below == below) & (below == self.system.function_words[alignment.system_words]))


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
    """Count everything that is counted word by word; without punct, no punctuation where heads are judged."""
    alignment = judgement.alignment
    gold, system = judgement.gold, judgement.system
    words = (np.ones(len(alignment.gold), bool), np.ones(len(alignment.system), bool))
    arcs = words if punct else (~gold.is_punctuation, ~system.is_punctuation)
    content = (gold.is_content, system.is_content)
    roots = (alignment.gold.heads < 0, alignment.system.heads < 0)
    labelled = judgement.same_head & judgement.same_relation
    tagged = judgement.same_upos & judgement.same_feats
    gold_edges, system_edges = edges_of(alignment.gold), edges_of(alignment.system)
    whole, base = graph_matches(alignment, gold_edges, system_edges)

    def over(counted: tuple[Flags, Flags], right: Flags) -> Measure:
        in_pairs = counted[0][alignment.gold_words]
        return Measure(right & in_pairs, *counted, aligned=int(in_pairs.sum()))

    return {
        "Words": Measure(np.ones(len(alignment.gold_words), bool), *words),
        "UPOS": over(words, judgement.same_upos),
        "XPOS": over(words, judgement.same_cells("XPOS")),
        "UFeats": over(words, judgement.same_feats),
        "AllTags": over(words, tagged & judgement.same_cells("XPOS")),
        "Lemmas": over(words, judgement.same_lemma),
        "UAS": over(arcs, judgement.same_head),
        "LAS": over(arcs, labelled),
        "CLAS": over(content, labelled),
        "MLAS": over(content, labelled & tagged & judgement.same_function_words),
        "BLEX": over(content, labelled & judgement.same_lemma),
        "ELAS": Measure(whole, gold_edges.counts, system_edges.counts),
        "EULAS": Measure(base, gold_edges.counts, system_edges.counts),
        "Edges": Measure(*head_matches(alignment, gold_edges, system_edges, extra=False)),
        "Extra": Measure(*head_matches(alignment, gold_edges, system_edges, extra=True)),
        "LAS+": over(arcs, judgement.same_head & judgement.same_deprel),
        "Roots": over(roots, judgement.same_head),
    }


def scores_of(judgement: Judgement, *, punct: bool) -> dict[str, Score]:
    """Return all scores by name."""
    alignment = judgement.alignment
    labelled = judgement.same_head & judgement.same_relation
    return {
        "Tokens": spans_score(alignment.gold.token_ends, alignment.system.token_ends),
        "Sentences": spans_score(alignment.gold.sentence_ends, alignment.system.sentence_ends),
        **{name: measure.score for name, measure in measures_of(judgement, punct=punct).items()},
        "UEM": exact_match(judgement, judgement.same_head, punct=punct),
        "LEM": exact_match(judgement, labelled, punct=punct),
    }


def spans_score(gold_ends: Indices, system_ends: Indices) -> Score:
    return Score(len(common_spans(gold_ends, system_ends)[0]), len(gold_ends), len(system_ends))


def exact_match(judgement: Judgement, right: Flags, *, punct: bool) -> Score:
    """Count the sentences that both files have with the same words, all of them right."""
    alignment = judgement.alignment
    fine = right & alignment.parallel
    if not punct:
        fine |= alignment.parallel & judgement.gold.is_punctuation[alignment.gold_words]
    good_words = np.bincount(alignment.gold.sentence_of[alignment.gold_words[fine]], minlength=alignment.gold.sentences)
    good = int((good_words == alignment.gold.lengths).sum())
    return Score(good, alignment.gold.sentences, alignment.system.sentences)
