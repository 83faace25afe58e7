"""`treewright complete`: fill in the rest of a half-annotated treebank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import typer

from treewright.cli import options as opt
from treewright.cli.inputs import each_file, each_job, jobs_of
from treewright.cli.sentences import is_induced
from treewright.cli.shared import KeptGraphs, Summary, note, note_long, note_skipped, write_lines, write_sentences
from treewright.corpus import Sentence, Tree, open_output, read_trees
from treewright.corpus.confidence import write_confidence
from treewright.corpus.transforms import WRAPPERS
from treewright.errors import InfeasibleError, InputError
from treewright.grammar import Collins, LatentGrammar
from treewright.grammar import complete as complete_tree
from treewright.grammar.completion import ConstrainedGrammar
from treewright.grammar.trees import wrap
from treewright.model.registry import GRAMMARS, load_grammar, load_parser, open_named
from treewright.parser import Completion, Ranked
from treewright.parser import rank as ranked
from treewright.pipeline.certificate import set_certificate

app, command = opt.new_command(
    "complete",
    "A head or relation that is '_' is open. Sentences without tags are tagged first, if MODEL has a tagger. The "
    "open cells are filled with the best tree, under the model, that has all the heads given; DEPS is emptied where "
    "something is filled in, or filled with edges beside those given if MODEL has a graph parser, and every other "
    "cell is written as it was read. Annotation that contradicts itself (a circle, two roots) is named by file and "
    "line. If no projective tree has the given heads, the others may cross, even with a projective model. A sentence "
    "of more than 150 words is completed in parts.\n\n"
    "With a grammar (`treewright grammar train`) PARTIAL has trees in Penn brackets: given phrases and tags stay, also "
    "their function labels; words without a tag, and `_` as a label, are open.\n\n"
    "--rank writes what to check first, as tab-separated lines: words from the least probable head and relation on, "
    "then sentences in the order of PARTIAL.",
    "treewright complete en partial.conllu -o all.conllu --rank check.tsv",
    "treewright complete my.tw partial.conllu --confidence | treewright show -",
    "treewright complete grammar.tw partial.mrg -o all.mrg",
)


@command
def complete(
    model: Annotated[str, opt.argument("MODEL", "A model with a parser: a file, or en.")],
    inputs: Annotated[
        list[str], opt.argument("PARTIAL", 'Sentences with "_" for what is open; "-" is standard input.')
    ],
    output: opt.Output = "-",
    rank: Annotated[str | None, opt.file_option('What to check first; "-" is standard output.')] = None,
    threads: opt.Threads = 1,
    method: opt.Decoding = "exact",
    max_seconds: opt.MaxSeconds = None,
    projective: opt.Projective = None,
    root: opt.RootChildren = "auto",
    confidence: opt.HeadConfidence = False,
    comment: opt.Comment = True,
    keep_deps: opt.KeepDeps = False,
    skip_bad: Annotated[bool, opt.skip_bad_option("; contradictory ones are written unchanged")] = False,
    as_json: opt.JsonReport = False,
    quiet: opt.Quiet = False,
) -> None:
    if rank == "-" and output == "-":
        raise typer.BadParameter("standard output takes the sentences; give -o or a file", param_hint="--rank")
    if is_grammar(model):
        if confidence or rank is not None:
            raise InputError(f"{model}: a grammar completes without --rank and --confidence")
        complete_phrases(model, inputs, output, skip_bad=skip_bad, as_json=as_json, quiet=quiet)
        return
    jobs = jobs_of(inputs, output, "conllu")
    parser: Any = load_parser(model)
    if is_induced(parser):
        raise InputError(f"{model}: its parser is induced, but trees are completed by one trained on a treebank")
    options: dict[str, Any] = {"method": method}
    options |= {} if max_seconds is None else {"max_seconds": max_seconds}
    summary = Summary()
    kept: list[Completion] = []
    graphs = KeptGraphs(keep_deps)
    in_parts: list[str] = []  # the places of sentences that were completed in parts

    def finish(completions: Iterable[Completion]) -> Iterator[Sentence]:
        for completion in completions:
            sentence = completion.sentence
            if completion.parse is None:
                note(f"unchanged: {completion.problem}")
                summary.count(sentence, False, heads_filled_in=0, relations_filled_in=0)
                yield sentence
                continue
            if completion.parse.parts > 1:
                in_parts.append(sentence.place)
            if completion.note:
                note(f"{sentence.place}: {completion.note}")
            filled = {
                "heads_filled_in": int(completion.open_heads.sum()),
                "relations_filled_in": int(completion.open_labels.sum()),
            }
            summary.count_parse(sentence, completion.parse, **filled)
            graphs.restore(sentence)
            if rank is not None:
                kept.append(completion)
            if comment:
                set_certificate(sentence, completion.parse)
            if confidence:
                write_confidence(sentence)
            yield sentence

    for target, sentences in each_file(jobs, skip_bad=skip_bad, quiet=quiet, output=output, start=summary.start):
        completions = parser.complete(
            graphs.keep(sentences),
            threads=threads,
            projective=projective,
            root=None if root == "auto" else root,
            on_error="skip" if skip_bad else "raise",
            **options,
        )
        write_sentences(finish(completions), target)
    note_long(in_parts)
    if rank is not None:
        write_rank(ranked(kept), rank)
    summary.print(as_json=as_json, quiet=quiet, to_stdout="-" not in (output, rank))


def write_rank(lines: Iterable[Ranked], target: str) -> None:
    """Write tab-separated lines, with a line of names first."""

    with open_output(target) as file:
        file.write(b"kind\tsentence\tword\tform\thead\trelation\tconfidence\tentropy\n")
        for line in lines:
            where = (line.kind, line.sentence, str(line.word) if line.word else "_", line.form)
            tree = (str(line.head) if line.word else "_", line.relation)
            figures = (f"{line.confidence:.4f}", f"{line.entropy:.4f}")
            file.write(("\t".join((*where, *tree, *figures)) + "\n").encode())


def is_grammar(model: str) -> bool:
    """Return whether a model finds phrase-structure trees."""

    return open_named(model).kind in GRAMMARS


def complete_phrases(
    model: str, inputs: Sequence[str], output: str, *, skip_bad: bool, as_json: bool, quiet: bool
) -> None:
    """Write each partial tree with what a grammar fills in."""

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

    for tree in trees:
        try:
            completed = complete_tree(grammar, tree)
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
        yield str(wrap(completed.tree, tree.label if tree.label in WRAPPERS else None))
