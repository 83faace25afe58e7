"""The commands, each with the first paragraph of its help, so that `treewright --help` imports none of them."""

from __future__ import annotations

SUMMARIES = {
    "get": "Make a model for a language: download a treebank, check it, train on it, install the model.",
    "models": "List the models that are installed, or the languages that `treewright get` makes.",
    "train": "Train a model on a treebank: a tokeniser, a tagger with lemmas, and a parser.",
    "parse": "Parse raw text, or sentences that are divided into words already.",
    "distil": "Parse raw text in bulk with an accurate model, for a smaller one to learn from.",
    "why": "Explain why a word is not attached to another head.",
    "complete": "Fill in the open heads and relations of PARTIAL, and keep those that annotators have given.",
    "tag": "Tag sentences, or divide raw text into sentences and words.",
    "pack": "Join components in one model, or replace components of a model.",
    "eval": "Evaluate SYSTEM against GOLD.",
    "check": "Check treebanks: what is invalid, or almost never occurs.",
    "grep": "Search treebanks with Grew requests: words, features, edges and order.",
    "rewrite": "Rewrite treebanks by rules: relations, heads and features.",
    "verify": "Check the proofs of parsed sentences.",
    "show": "Draw trees and graphs: dependencies or phrase structure, as text, image, LaTeX or web page.",
    "explain": "Explain tags, relations and features of Universal Dependencies.",
    "words": "Learn word classes and word vectors from raw text, or import them.",
    "induce": "Learn a parser from text with part-of-speech tags; heads are not needed and not used.",
    "grammar": "Train a phrase-structure grammar on a treebank in Penn brackets, and parse with it.",
    "reproduce": "Run an experiment of a paper and print its published figures beside.",
    "annotate": "Build and correct a treebank in the browser.",
    "serve": "Serve models by HTTP: a JSON interface, UDPipe's REST contract, a demo page.",
    "project": "Make and use a treebank project: what `treewright annotate` does with files and people, for scripts.",
}
