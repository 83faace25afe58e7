"""What `make demo` shows: a sentence decoded from scores given by hand, with its certificate and its picture."""

from __future__ import annotations

import numpy as np

import treewright as tw

FORMS = ["She", "told", "the", "committee", "a", "story", "yesterday", "that", "nobody", "believed", "."]

# What a model might think: candidate heads of each word and their scores. Unlisted arcs are forbidden.
# The relative clause wants "story" across "yesterday", or, cheaper to draw but wrong, "yesterday" itself.
CANDIDATES: dict[str, dict[str, float]] = {
    "She": {"told": 9},
    "told": {"ROOT": 9, "believed": 2},
    "the": {"committee": 9},
    "committee": {"told": 8, "story": 4},
    "a": {"story": 9},
    "story": {"told": 8},
    "yesterday": {"told": 7, "story": 3},
    "that": {"believed": 8, "told": 3},
    "nobody": {"believed": 9},
    "believed": {"story": 7, "yesterday": 5, "ROOT": 4},
    ".": {"told": 6},
}
RELATIONS = ["nsubj", "root", "det", "iobj", "det", "obj", "advmod", "obj", "nsubj", "acl:relcl", "punct"]


def scores() -> np.ndarray:
    nodes = ["ROOT", *FORMS]
    arc = np.full((len(nodes), len(nodes)), -np.inf)
    for modifier, heads in CANDIDATES.items():
        for head, score in heads.items():
            arc[nodes.index(head), nodes.index(modifier)] = score
    return arc


def main() -> None:
    arc = scores()
    for title, projective in (("The best tree", False), ("The best tree without crossing arcs", True)):
        parse = tw.decode.tree(arc, projective=projective)
        heads = parse.heads[1:]
        print(f"{title}: value {parse.score:g}, {'certified' if parse.certified else f'gap {parse.gap:g}'}\n")
        print(tw.draw.text(forms=FORMS, heads=heads, deprels=RELATIONS), end="\n\n")
    nodes = ["ROOT", *FORMS]
    answer = tw.decode.why_not(arc, nodes.index("yesterday"), nodes.index("believed"))
    print(f"Why not yesterday → believed? The best tree with it loses {answer.loss:g}.")


if __name__ == "__main__":
    main()
