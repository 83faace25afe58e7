"""What does a corpus in shards cost: one process, two local processes, two workers of Ray?

The English texts of DATA, or generated ones, are parsed with the embedded model into Parquet. Each engine parses the
same shards, in turn, --rounds times; the table has the best time by the clock, the CPU time of the workers while they
run shards, the memory of the largest worker, and ratios: speed to one process by the clock, CPU to one process. Other
programs on the machine disturb the clock, and share caches: the load average before each run is printed too.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import treewright as tw
from treewright.errors import MissingExtra
from treewright.scale import Result, parse_corpus

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

ENGINES = (("local", 1), ("local", 2), ("ray", 2))


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--documents", type=int, default=400, metavar="N", help="documents of ten sentences")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="runs of each engine")
    parser.add_argument("--shard-size", type=float, default=0.05, metavar="MB", help="text of a shard")
    parser.add_argument("--model", default="en", help="a model")
    given = common.parse(parser)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "corpus.jsonl"
        texts = islice(cycle(texts_of(given.data)), 10 * given.documents)
        with source.open("w") as file:
            for number in range(given.documents):
                file.write(json.dumps({"id": number, "text": " ".join(islice(texts, 10))}) + "\n")
        best: dict[tuple[str, int], Result] = {}
        for round_number in range(given.rounds):
            for engine, jobs in ENGINES:
                load = os.getloadavg()[0]
                output = Path(folder) / f"{engine}-{jobs}-{round_number}"
                try:
                    result = parse_corpus(
                        given.model, [str(source)], str(output), engine=engine, jobs=jobs, shard_size=given.shard_size
                    )
                except MissingExtra as error:
                    print(error)
                    continue
                print(f"{engine}, {jobs}: {result.seconds:.1f} s, load before {load:.1f}", flush=True)
                if (engine, jobs) not in best or result.seconds < best[engine, jobs].seconds:
                    best[engine, jobs] = result
        if not best:
            return
        size = sum(path.stat().st_size for path in Path(folder, "local-1-0").glob("part-*"))
        print_table(best, size)


def texts_of(data: Path | None) -> Iterator[str]:
    """Yield sentences of the English treebank, or generated ones."""
    if data is None:
        yield from common.TEN_WORDS
    else:
        yield from (sentence.text for sentence in tw.read(data / "ud" / "English-EWT" / "dev.conllu"))


def print_table(best: dict[tuple[str, int], Result], size: int) -> None:
    """Print the runs beside that of one local process."""
    one = best["local", 1]
    print(f"\n{one.shards} shards, {one.documents} documents, {one.words} words, {size / one.words:.1f} bytes a word")
    print("| engine | jobs | seconds | words/s | CPU us/word | peak MB | speed ratio | CPU ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for (engine, jobs), run in best.items():
        cells = [engine, jobs, f"{run.seconds:.1f}", f"{run.words / run.seconds:.0f}"]
        cells += [f"{1e6 * run.cpu_seconds / run.words:.0f}", f"{run.peak_megabytes:.0f}"]
        cells += [f"{one.seconds / run.seconds:.2f}", f"{run.cpu_seconds / one.cpu_seconds:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
