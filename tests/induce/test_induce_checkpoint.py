"""A training that was killed after any of its steps ends with the same file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from oracles.induction import SENTENCES

from treewright.errors import InputError
from treewright.induce import InducedParser, InductionOptions
from treewright.induce import joint as together
from treewright.model import checkpoint

OPTIONS = {
    "joint": InductionOptions(iterations=4, joint=together.JointOptions(rounds=3)),
    "best": InductionOptions(method="best", iterations=4, joint=together.JointOptions(rounds=2, weight=5.0)),
    "lc-dmv": InductionOptions(method="lc-dmv", iterations=4),
    "convex-mst": InductionOptions(method="convex-mst"),
}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("name", OPTIONS)
def test_killed_after_any_step_it_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(checkpoint, "CHECKPOINT_TIME_SHARE", float("inf"))  # a checkpoint after every step
    options, path, model = OPTIONS[name], tmp_path / "c", tmp_path / "model.tw"
    InducedParser.train(SENTENCES, options=options).save(tmp_path / "whole.tw")
    whole = (tmp_path / "whole.tw").read_bytes()
    save, stopped = checkpoint.save, 0
    while not model.exists():
        assert stopped < 100, "each run takes one step more"
        left = stopped

        def save_and_die(*given: object) -> None:
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            save(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(checkpoint, "save", save_and_die)
        path.unlink(missing_ok=True)
        try:
            InducedParser.train(SENTENCES, options=options, checkpoint=path).save(model)
        except Killed:
            monkeypatch.setattr(checkpoint, "save", save)
            InducedParser.train(SENTENCES, options=options, checkpoint=path, resume=True).save(tmp_path / "resumed.tw")
            assert (tmp_path / "resumed.tw").read_bytes() == whole
            stopped += 1
    assert stopped >= {"joint": 3, "best": 3, "lc-dmv": 1, "convex-mst": 1}[name]
    assert model.read_bytes() == whole


def test_the_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    options, path = OPTIONS["lc-dmv"], tmp_path / "c"
    InducedParser.train(SENTENCES, options=options, checkpoint=path)
    with pytest.raises(InputError, match=r"c: a training was interrupted here; continue it with resume"):
        InducedParser.train(SENTENCES, options=options, checkpoint=path)
    with pytest.raises(InputError, match=r"c: the checkpoint of another training: iterations 4 \(now 5\)"):
        InducedParser.train(SENTENCES, options=replace(options, iterations=5), checkpoint=path, resume=True)
    with pytest.raises(InputError, match="another training: other training data"):
        InducedParser.train(SENTENCES[1:], options=options, checkpoint=path, resume=True)
