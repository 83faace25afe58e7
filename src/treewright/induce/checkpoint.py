"""Checkpoints of induction: the results of the steps that are done (see treewright.checkpoint)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict

from treewright import checkpoint, modelfile
from treewright.corpus import Sentence
from treewright.induce.options import Options
from treewright.induce.training import Steps


def steps_at(path: modelfile.Path, sentences: Sequence[Sentence], options: Options, *, resume: bool) -> Steps:
    """Steps with results saved at `path`; with `resume` those saved there are used. The caller removes the file."""
    origin = checkpoint.Origin.now(fingerprint(sentences, options), "", asdict(options))
    done = checkpoint.load(path, origin) if checkpoint.can_resume(path, resume) else None
    return Steps(done, checkpoint.throttled(lambda reached: checkpoint.save(path, reached, origin)))


def fingerprint(sentences: Sequence[Sentence], options: Options) -> str:
    """A hash of the column that induction reads: the forms with word classes, the tags otherwise."""
    digest = hashlib.sha256()
    for sentence in sentences:
        column = sentence.forms if options.clusters else sentence.upos
        digest.update("\t".join(column).encode() + b"\n")
    return digest.hexdigest()
