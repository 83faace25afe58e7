"""Checkpoints of induction: the results of the steps that are done (see treewright.model.checkpoint)."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.corpus import Sentence
from treewright.induce.options import InductionSettings
from treewright.induce.training import Steps
from treewright.model import checkpoint, modelfile
from treewright.model.component import hash_of


def steps_at(path: modelfile.Path, sentences: Sequence[Sentence], options: InductionSettings, *, resume: bool) -> Steps:
    """Steps with results saved at `path`; with `resume` those saved there are used. The caller removes the file."""
    origin = checkpoint.Origin.now(fingerprint(sentences, options), "", options.to_json())
    done = checkpoint.load(path, origin) if checkpoint.can_resume(path, resume) else None
    return Steps(done, checkpoint.throttled(lambda reached: checkpoint.save(path, reached, origin)))


def fingerprint(sentences: Sequence[Sentence], options: InductionSettings) -> str:
    """A hash of the column that induction reads: the forms with word classes, the tags otherwise."""
    columns = (sentence.forms if options.clusters else sentence.upos for sentence in sentences)
    return hash_of("\t".join(column).encode() + b"\n" for column in columns)
