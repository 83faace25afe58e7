"""The program behind `make demo`: parses English text with the embedded model and draws the certified trees."""

from __future__ import annotations

import os
import shutil
import sys
import time

import treewright as tw

TEXT = """She told the committee a story that nobody believed. Dr. Brown didn't see the man with the telescope.

The bridge that my brother painted collapsed when a truck drove over it!"""


def main() -> None:
    on_terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    columns = max(shutil.get_terminal_size(fallback=(110, 24)).columns, 60)
    nlp = tw.load("en")
    begin = time.perf_counter()
    sentences = nlp(TEXT)
    seconds = time.perf_counter() - begin
    for sentence in sentences:
        print(f"{sentence.text}\n")
        print(tw.draw.text(sentence, features=["upos", "lemma"], width=columns, color=on_terminal))
        print(f"{certificate(sentence)}\n\n")
    show_reason(nlp, sentences[1], heads=("see", "man"), modifier="telescope")
    words = sum(map(len, sentences))
    print(f"\n{len(sentences)} sentences, {words} words in {1000 * seconds:.0f} ms. To parse your own text:")
    print("  source .venv/bin/activate             puts treewright on the PATH of this shell")
    print('  treewright parse --text "..."         or a file; -o trees.html draws the trees; --help lists the options')


def certificate(sentence: tw.Sentence) -> str:
    """A line that says whether the tree is certified to be the best one."""
    parse = sentence.parse
    if parse.certified:
        return f"certified: the model's best tree over {parse.scope}, value {parse.score:.2f}; it may still be wrong"
    return f"score {parse.score:.2f}; a better tree would score at most {parse.bound:.2f}"


def show_reason(nlp: tw.Pipeline, sentence: tw.Sentence, heads: tuple[str, str], modifier: str) -> None:
    """Print how much lower the best tree scores in which the modifier has the other of two heads."""
    m = 1 + sentence.forms.index(modifier)
    found = sentence.forms[sentence.heads[m - 1] - 1]
    head = next(word for word in heads if word != found)
    answer = nlp.why_not(sentence, head=1 + sentence.forms.index(head), modifier=m)
    print(f"Why {found} → {modifier}, and not {head} → {modifier}?", end=" ")
    print(f"The best tree with that arc scores {answer.loss:.2f} less.")


if __name__ == "__main__":
    main()
