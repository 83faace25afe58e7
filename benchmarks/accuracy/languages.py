"""Pipelines of many languages from raw text, beside UDPipe 1 trained on the same files in the same run.

For every treebank of DATA/ud that has train, dev and test: F1 from the raw text of `test` as the official script counts
it, CPU seconds of the training, megabytes of the model, and words a CPU second from raw text to trees. --neural adds a
pipeline with a network (it needs PyTorch), --light one whose weights are pruned. Finished rows are kept in the file
--results and are not computed again, so that a long run can be interrupted, or be made treebank by treebank.

The tokeniser of UDPipe trains slowly: --udpipe-epochs and --udpipe-batch are its options (its defaults are 100 and 50;
20 and 10 are the same number of steps in a fifth of the time). Its tagger has its default options, its parser too
unless --udpipe-iterations is given (its default is 10).
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import treewright as tw
from treewright.evaluate import evaluate
from treewright.network import NetworkOptions
from treewright.tokeniser.tokeniser import text_and_ends

sys.path.insert(0, str(Path(__file__).parents[1]))
import common
from udpipe_peer import train_udpipe, udpipe

FIGURES = ("Tokens", "Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
UDPIPE, TREEWRIGHT, NEURAL, LIGHT = "UDPipe 1", "Treewright", "Treewright --neural", "Treewright --light"
Parse = Callable[[str], Sequence[tw.Sentence]]


@dataclass(frozen=True)
class Row:
    """The figures of a system on a treebank."""

    treebank: str
    system: str
    f1: Mapping[str, float]
    training: float  # CPU seconds
    megabytes: float
    speed: float  # words a CPU second


def main() -> None:
    arguments = common.arguments(__doc__)
    arguments.add_argument("--treebanks", help="names separated by commas, as in Irish-IDT,Wolof-WTB (default: all)")
    arguments.add_argument("--results", type=Path, default=Path("languages.jsonl"), help="file of finished rows")
    arguments.add_argument("--neural", action="store_true", help="train a pipeline with a network too")
    arguments.add_argument("--light", action="store_true", help="train a pipeline with pruned weights too")
    arguments.add_argument("--udpipe-epochs", type=int, default=20)
    arguments.add_argument("--udpipe-batch", type=int, default=10)
    arguments.add_argument("--udpipe-iterations", type=int, default=10)
    given = common.parse(arguments, needs="ud/Irish-IDT")
    options = (f"epochs={given.udpipe_epochs};batch_size={given.udpipe_batch}", f"iterations={given.udpipe_iterations}")
    systems: dict[str, Callable[[Path, Path], tuple[Parse, int]]] = {
        UDPIPE: lambda bank, scratch: udpipe_parser(bank, scratch, *options),
        TREEWRIGHT: lambda bank, scratch: our_parser(bank, scratch),
    }
    if given.light:
        systems[LIGHT] = lambda bank, scratch: our_parser(bank, scratch, light=True)
    if given.neural:
        systems[NEURAL] = lambda bank, scratch: our_parser(bank, scratch, network=NetworkOptions())
    names = given.treebanks.split(",") if given.treebanks else [bank.name for bank in complete_banks(given.data / "ud")]
    done = read_rows(given.results)
    print(header())
    for name in names:
        for system, train in systems.items():
            if (name, system) not in done:
                done[name, system] = measure(given.data / "ud" / name, system, train)
                append_row(given.results, done[name, system])
            print(line_of(done[name, system]), flush=True)
    for line in differences([done[name, system] for name in names for system in systems]):
        print(line)


def complete_banks(folder: Path) -> list[Path]:
    """Return the folders of treebanks that have all three parts, the smallest first."""
    parts = ("train", "dev", "test")
    banks = [bank for bank in folder.iterdir() if all((bank / f"{part}.conllu").exists() for part in parts)]
    return sorted(banks, key=lambda bank: (bank / "train.conllu").stat().st_size)


def measure(bank: Path, system: str, train: Callable[[Path, Path], tuple[Parse, int]]) -> Row:
    """Train a system on a treebank and judge it on the raw text of its test part."""
    gold = list(tw.read(bank / "test.conllu"))
    text, _ = text_and_ends(gold)
    with tempfile.TemporaryDirectory() as scratch:
        (parse, size), training = common.cpu_seconds(lambda: train(bank, Path(scratch)))
        parsed, seconds = common.cpu_seconds(lambda: parse(text))
    scores = evaluate(gold, parsed).scores
    figures = {name: 100 * scores[name].f1 for name in FIGURES}
    return Row(bank.name, system, figures, training, size / 1e6, sum(map(len, parsed)) / seconds)


def our_parser(
    bank: Path, scratch: Path, network: NetworkOptions | None = None, light: bool = False
) -> tuple[Parse, int]:
    """Train a pipeline; return it and the size of its file."""
    nlp = tw.Pipeline.train(bank / "train.conllu", bank / "dev.conllu", network=network, light=light)
    nlp.save(scratch / "model.tw")
    return nlp, (scratch / "model.tw").stat().st_size


def udpipe_parser(bank: Path, scratch: Path, tokeniser: str, parser: str) -> tuple[Parse, int]:
    """Train UDPipe 1 with these options; return a function that parses text and the size of its file."""
    model_bytes = train_udpipe(bank / "train.conllu", tokeniser, "", parser, bank / "dev.conllu")
    path = scratch / "model.udpipe"
    path.write_bytes(model_bytes)
    model = udpipe.Model.load(str(path))

    def parse(text: str) -> list[tw.Sentence]:  # the closure keeps a reference to the model; a Pipeline has none
        pipeline = udpipe.Pipeline(model, "tokenize", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")
        return [tw.Sentence(f"{block}\n\n") for block in pipeline.process(text).strip().split("\n\n")]

    return parse, len(model_bytes)


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """Read the finished rows of an earlier run."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [Row(**json.loads(line)) for line in lines]
    return {(row.treebank, row.system): row for row in rows}


def append_row(path: Path, row: Row) -> None:
    """Add a finished row to the file."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def header() -> str:
    """Return the heads of the columns."""
    figures = " ".join(f"{name:>6.6}" for name in FIGURES)
    return f"{'':22} {'':20} {figures} {'train s':>8} {'MB':>5} {'words/s':>8}"


def line_of(row: Row) -> str:
    """Return a row of the table."""
    figures = " ".join(f"{row.f1[name]:6.2f}" for name in FIGURES)
    return f"{row.treebank:22} {row.system:20} {figures} {row.training:8.0f} {row.megabytes:5.1f} {row.speed:8.0f}"


def differences(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the mean difference in LAS, and the smallest, of each pair of systems that are to be compared."""
    las = {(row.treebank, row.system): row.f1["LAS"] for row in rows}
    for system, base in ((TREEWRIGHT, UDPIPE), (LIGHT, TREEWRIGHT), (NEURAL, TREEWRIGHT)):
        gains = {bank: las[bank, system] - las[bank, base] for bank, of in las if of == system and (bank, base) in las}
        if gains:
            worst = min(gains, key=gains.__getitem__)
            average = f"{system} beside {base}: LAS {mean(gains.values()):+.2f} on average of {len(gains)}"
            yield f"{average}, at least {gains[worst]:+.2f} ({worst})"


if __name__ == "__main__":
    main()
