"""The check of a proof, for whatever decoders take; the checker itself imports no decoder."""

from __future__ import annotations

from typing import Any, Unpack

from treewright import proofs
from treewright.decode.options import ProblemOptions
from treewright.decode.problem import Problem, Scores
from treewright.decode.result import Parse
from treewright.proofs import Verified


def verify(arc: Scores, parse: Parse, **options: Unpack[ProblemOptions]) -> Verified:
    """Check `parse.proof` under the scores and constraints of `tree`; a ProofError names what does not hold.

    What is checked: the heads form a tree that meets the constraints; its value is parse.score; and no other tree is
    better by more than the parse claims. The gap of the result is what is proved.

    >>> from treewright import decode
    >>> problem = decode.Problem.of([[0, 9, 2], [0, 0, 7], [0, 3, 0]], projective=True)
    >>> verify(problem, decode.tree(problem, proof=True))
    Verified(value=16.0, bound=16.0, gap=0.0)
    """
    problem = Problem.of(arc, **options).refuse_labels().refuse_grandsib("verify")
    names = ProblemOptions.__annotations__.keys() - {"head_first", "grandsib"}
    keywords: Any = {name: getattr(problem, name) for name in names}
    return proofs.verify(problem.given, parse, **keywords)
