"""`treewright complete` with a grammar: the rest of partly bracketed sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from treewright.cli.inputs import each_job, jobs_of
from treewright.cli.shared import Summary, note, note_skipped, write_lines
from treewright.errors import InfeasibleError, InputError

if TYPE_CHECKING:
    from treewright.corpus import Tree
    from treewright.grammar.completion import ConstrainedGrammar


def is_grammar(model: str) -> bool:
    """Return whether a model finds phrase-structure trees."""
    from treewright.model.registry import GRAMMARS, open_named

    return open_named(model).kind in GRAMMARS


def complete_phrases(
    model: str, inputs: Sequence[str], output: str, *, skip_bad: bool, as_json: bool, quiet: bool
) -> None:
    """Write each partial tree with what a grammar fills in."""
    from treewright.corpus import read_trees
    from treewright.grammar import Collins
    from treewright.model.registry import load_grammar

    grammar = load_grammar(model)
    if isinstance(grammar, Collins):
        raise InputError(f"{model}: a lexicalised grammar takes no given phrases; train --kind latent or treebank")
    summary = Summary()
    summary.start()
    for source, target in each_job(jobs_of(inputs, output, "mrg")):
        with read_trees(source, on_error="skip" if skip_bad else "raise") as reader:
            write_lines(complete_trees(grammar, reader, skip_bad, summary), target)
        note_skipped(len(reader.errors), reader.errors)
    summary.print(as_json=as_json, quiet=quiet, to_stdout=output != "-")


def complete_trees(
    grammar: ConstrainedGrammar, trees: Iterator[Tree], skip_bad: bool, summary: Summary
) -> Iterator[str]:
    """Yield the lines of full trees; with skip_bad a tree without a completion is written unchanged."""
    from treewright.grammar import LatentGrammar, complete

    for tree in trees:
        try:
            completed = complete(grammar, tree)
        except (InfeasibleError, InputError) as error:
            place = f"{tree.source}:{tree.line}: "
            problem = str(error).removeprefix(place).partition("; partial=True")[0]
            if not skip_bad:
                raise InputError(f"{place}{problem}") from None
            note(f"unchanged: {place}{problem}")
            summary.count(tree.leaves(), phrases_filled_in=0, tags_filled_in=0)
            yield str(tree)
            continue
        filled = {"phrases_filled_in": completed.phrases_filled_in, "tags_filled_in": completed.tags_filled_in}
        has_proof = not isinstance(grammar, LatentGrammar)  # there is none for max-rule trees
        summary.count(completed.tree.leaves(), completed.parse.certified if has_proof else None, **filled)
        yield str(completed.tree)
