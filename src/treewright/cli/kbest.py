"""The k best trees of each sentence, as `treewright parse --kbest` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from treewright.cli import options as opt
from treewright.errors import InputError

if TYPE_CHECKING:
    from treewright.corpus import Sentence
    from treewright.induce import InducedParser
    from treewright.parser import Parser
    from treewright.pipeline import Pipeline

KBest = Annotated[
    int | None, opt.option("Write the K best trees of each sentence with their ranks.", "--kbest", metavar="K", min=1)
]


def best_trees(
    model: Pipeline | Parser | InducedParser, k: int, method: str, confidence: bool
) -> Callable[..., Iterator[Sentence]]:
    """Return a function that yields the k best trees of each sentence in place of one tree, with comments."""
    from treewright.pipeline import Pipeline

    if method != "exact":
        raise InputError(f"--kbest lists trees by exact search; leave out --method {method}")
    if confidence:
        raise InputError("--kbest writes the probability of each tree, not of each head; leave out --confidence")
    pipeline = model if isinstance(model, Pipeline) else None
    parser = pipeline.trained_parser if pipeline else model
    if not hasattr(parser, "kbest"):
        raise InputError("an induced model has no list of the best trees; leave out --kbest")

    def parse(sentences: Iterable[Sentence], *, method: str, confidence: bool, **options: Any) -> Iterator[Sentence]:
        tagged = pipeline.tag(sentences) if pipeline else sentences
        for trees in parser.kbest(tagged, k, **options):
            yield from trees.with_comments()

    return parse


def is_first(sentence: Sentence) -> bool:
    """Return whether a tree is the best one of its sentence."""
    return sentence.comment("rank") == "1"


def rank_of(sentence: Sentence) -> dict[str, Any]:
    """Return the rank of a tree and its probability, for JSON."""
    names = ("probability", "approximate_probability")
    probability = {name: float(value) for name in names if (value := sentence.comment(name)) is not None}
    return {"rank": int(sentence.comment("rank") or 0), **probability}


def rank_line(sentence: Sentence) -> str:
    """Write the rank of a tree, its distance from the best and its probability, for a drawing."""
    from treewright.pipeline.certificate import certificate_line

    rank = rank_of(sentence)
    about = "" if "probability" in rank else "about "
    probability = rank.get("probability", rank.get("approximate_probability", 0.0))
    is_bounded = sentence.parse.gap < float("inf")  # trees that are joined from those of parts have no gap
    below = "" if is_first(sentence) or not is_bounded else f", {sentence.parse.gap:.3f} below the best"
    line = f"rank {rank['rank']}: value {sentence.parse.score:.3f}{below}, probability {about}{probability:.3g}"
    return f"{line}\n{certificate_line(sentence)}" if is_first(sentence) else line


def with_rank_in_name(sentence: Sentence) -> Sentence:
    """Return a copy whose sent_id, which a page shows, has the rank."""
    copy = sentence.copy()
    copy.sent_id = f"{sentence.sent_id or ''} rank {sentence.comment('rank')}".strip()
    return copy
