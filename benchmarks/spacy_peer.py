"""A pipeline of spaCy in the sizes of en_core_web_sm, trained briefly: its speed does not depend on the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import treewright as tw

EPOCHS = 2  # enough for tags, trees and lemmas of every kind to occur
# The shared layer of en_core_web_sm, which is the default of spaCy's quickstart for efficiency.
EMBEDDING = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": 96,
    "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
    "rows": [5000, 1000, 2500, 2500],
    "include_static_vectors": False,
}
ENCODER = {
    "@architectures": "spacy.MaxoutWindowEncoder.v2",
    "width": 96,
    "depth": 4,
    "window_size": 1,
    "maxout_pieces": 3,
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}


def spacy_pipeline(train: Sequence[tw.Sentence]) -> Callable[[str], int]:
    """Return a function that tags, lemmatises and parses a text with spaCy and returns the number of its tokens."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    shared = {"@architectures": "spacy.Tok2Vec.v2", "embed": EMBEDDING, "encode": ENCODER}
    nlp.add_pipe("tok2vec", config={"model": shared})
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
    for name in ("tagger", "morphologizer", "trainable_lemmatizer"):
        nlp.add_pipe(name, config={"model": tagger})
    parser: dict[str, Any] = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 64,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": LISTENER,
    }
    nlp.add_pipe("parser", config={"model": parser})
    examples = []
    for sentence in train:
        columns = {
            "tags": sentence.xpos,
            "pos": sentence.upos,
            "morphs": ["" if feats == "_" else feats for feats in sentence.feats],
            "lemmas": sentence.lemmas,
            "heads": [head - 1 if head else word for word, head in enumerate(sentence.heads.tolist())],
            "deps": ["ROOT" if label == "root" else label for label in sentence.deprels],
        }
        examples.append(Example(nlp.make_doc(" ".join(sentence.forms)), Doc(nlp.vocab, sentence.forms, **columns)))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        for begin in range(0, len(examples), 64):
            nlp.update(examples[begin : begin + 64], sgd=optimizer)
    return lambda text: sum(map(len, nlp.pipe(part for part in text.split("\n\n") if part.strip())))
