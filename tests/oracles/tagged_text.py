"""A small artificial language with tags, features and lemmas, to train taggers and tokenisers on."""

from __future__ import annotations

from random import Random

from treewright.corpus import Sentence

STEMS = ["dog", "cat", "bird", "farmer", "teacher", "river", "lamp", "window"]
ACTS = ["walk", "jump", "paint", "answer", "open", "visit"]


def treebank(sentences: int, seed: int = 1) -> list[Sentence]:
    """Sentences such as "The dogs walked ." and "The walk opens the lamps !": `walk` is a noun after `the` only."""
    random = Random(seed)
    return [_sentence(random) for _ in range(sentences)]


def _phrase(random: Random) -> list[tuple[str, ...]]:
    stem = random.choice(STEMS + ACTS)
    noun = (stem + "s", "Number=Plur") if random.random() < 0.5 else (stem, "Number=Sing")
    return [("the", "the", "DET", "D", "_"), (noun[0], stem, "NOUN", "N", noun[1])]


def _sentence(random: Random) -> Sentence:
    act = random.choice(ACTS)
    verb = (act + "ed", "Tense=Past") if random.random() < 0.5 else (act + "s", "Tense=Now")
    words = [*_phrase(random), (verb[0], act, "VERB", "V", verb[1])]
    if random.random() < 0.6:
        words += _phrase(random)
    words.append((random.choice(".!?"), "", "PUNCT", "P", "_"))
    forms = [word[0] for word in words]
    forms[0] = forms[0].capitalize()
    columns = list(zip(*(word[1:] for word in words), strict=True))
    lemmas = [lemma or form for lemma, form in zip(columns[0], forms, strict=True)]
    misc = ["_"] * len(words)
    misc[-2] = "SpaceAfter=No"
    return Sentence.from_words(forms, lemmas=lemmas, upos=columns[1], xpos=columns[2], feats=columns[3], misc=misc)
