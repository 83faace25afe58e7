"""Trainings that are killed at random times and resumed: is the model the same, byte for byte?

A whole training is run once and timed. The same training is then killed (SIGKILL) again and again, each time after a
random share of the time that an uninterrupted one needs, and continued with --resume; after the last kill it runs to
its end. The sentences are generated, unless --train is given.

    python benchmarks/accuracy/kills.py                 20 kills
    python benchmarks/accuracy/kills.py --kills 3
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

NAME = "model.tw"  # in folders of their own: a model knows its name


def command(train: Path, dev: Path, output: Path) -> list[str]:
    """Return the command of the training."""
    options = ["--model", "grand", "--epochs", "10", "--quiet"]
    return [sys.executable, "-m", "treewright", "train", str(train), "--dev", str(dev), "-o", str(output), *options]


def kill_after(arguments: list[str], seconds: float) -> bool:
    """Run the training and kill it after so many seconds; False if it ended before."""
    training = subprocess.Popen(arguments)
    try:
        status = training.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        training.send_signal(signal.SIGKILL)
        training.wait()
        return True
    if status:
        raise SystemExit(f"the training ended with the status {status}")
    return False


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--kills", type=int, default=20, help="how often trainings are killed")
    parser.add_argument("--train", type=Path, help="a treebank; 300 generated sentences unless given")
    parser.add_argument("--seed", type=int, default=1, help="of the times")
    options = common.parse(parser)
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, dev, whole = options.train or folder / "train.conllu", folder / "dev.conllu", folder / "0" / NAME
        if options.train is None:
            tw.write(common.suffix_language(300, seed=1), train)
        tw.write(common.suffix_language(30, seed=2), dev)
        whole.parent.mkdir()
        start = time.monotonic()
        subprocess.run(command(train, dev, whole), check=True)
        seconds = time.monotonic() - start
        print(f"a whole training takes {seconds:.1f} s; model of {whole.stat().st_size:,} bytes")
        print(f"{'training':>8} {'kills':>6}  model")
        kills = trainings = different = 0
        while kills < options.kills:
            trainings += 1
            model = folder / str(trainings) / NAME
            model.parent.mkdir()
            resume: list[str] = []
            killed = 0
            while kills < options.kills and kill_after(
                [*command(train, dev, model), *resume], draw.uniform(0.1, 0.8) * seconds
            ):
                kills, killed = kills + 1, killed + 1
                resume = ["--resume"] if model.with_name(model.name + ".checkpoint").exists() else []
            if not model.exists():
                subprocess.run([*command(train, dev, model), *resume], check=True)
            same = model.read_bytes() == whole.read_bytes()
            different += not same
            print(f"{trainings:>8} {killed:>6}  {'the same bytes' if same else 'DIFFERENT'}", flush=True)
        print(f"{kills} kills, {trainings} trainings, {different} models that differ")


if __name__ == "__main__":
    main()
