"""The script that makes the embedded model: the same data, the same file, and figures in the card."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from oracles.networks import random_network
from oracles.pipelines import written

import treewright as tw
from treewright.network import Network

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_embedded.py"


@pytest.mark.slow
def test_the_same_data_gives_the_same_file(tmp_path: Path) -> None:
    """Steps whose products exist are left out: those that need PyTorch and a pretrained encoder."""
    for seed, (bank, part) in enumerate(product(("English-EWT", "English-GUM"), ("train", "dev", "test"))):
        folder = tmp_path / "ud" / bank
        folder.mkdir(parents=True, exist_ok=True)
        tw.write(written(60, seed), folder / f"{part}.conllu")
    files = [tmp_path / name / "en.tw" for name in ("one", "two")]
    for file in files:
        keep = file.parent / "keep"
        (keep / "text").mkdir(parents=True)
        (keep / "teacher.tw").touch()
        tw.write(written(20, 9), keep / "parsed.conllu")
        Network(random_network(1)).save(keep / "network.tw")
        card = file.with_name("MODEL_CARD.md")
        card.write_text("<!-- figures: written by scripts/train_embedded.py -->\nold\n<!-- end of figures -->\n")
        command = [sys.executable, SCRIPT, tmp_path, "--keep", keep, "--output", file, "--sentences", 60]
        printed = subprocess.run(
            list(map(str, command)), check=True, capture_output=True, text=True, timeout=600
        ).stdout
        assert [line.split()[0] for line in printed.splitlines() if line.startswith(("before", "after"))] == [
            *("before", "after") * 2  # the linear models without small weights, and with the network
        ]
        assert "| LAS | " in card.read_text()
        assert "old" not in card.read_text()
    assert files[0].read_bytes() == files[1].read_bytes()
    [sentence] = tw.Pipeline.load(files[0])("The dog sees a house.")
    assert sentence.heads.tolist() == [2, 3, 0, 5, 3, 3]
