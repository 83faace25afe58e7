"""The script that makes the embedded model: the same data, the same file, and figures in the card."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from oracles.pipelines import written

import treewright as tw

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_embedded.py"


@pytest.mark.slow
def test_the_same_data_gives_the_same_file(tmp_path: Path) -> None:
    bank = tmp_path / "ud" / "English-EWT"
    bank.mkdir(parents=True)
    for seed, split in enumerate(("train", "dev", "test")):
        tw.write(written(60, seed), bank / f"{split}.conllu")
    files = [tmp_path / name / "en.tw" for name in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        card = file.with_name("MODEL_CARD.md")
        card.write_text("<!-- figures: written by scripts/train_embedded.py -->\nold\n<!-- end of figures -->\n")
        command = [sys.executable, str(SCRIPT), str(tmp_path), "--linear", "--output", str(file), "--folds", "2"]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout
        assert [line.split()[0] for line in printed.splitlines() if line.startswith(("before", "after"))] == [
            "before",
            "after",
        ]
        assert "| LAS | " in card.read_text()
        assert "old" not in card.read_text()
    assert files[0].read_bytes() == files[1].read_bytes()
    [sentence] = tw.Pipeline.load(files[0])("The dog sees a house.")
    assert sentence.heads.tolist() == [2, 3, 0, 5, 3, 3]
