"""Speed of reading CoNLL-U, compared with the packages conllu and pyconll; peak memory while streaming.

Words (lines whose ID is a number) per second of CPU time, minimum of the repeats, all readers alternate in one run:
  iterate   iterate over the sentences; Treewright checks columns, ids and heads, the others parse every cell
  columns   also read the form, the head and the relation of every word
  copy      read and write unchanged, in memory; "=" if the bytes are the same, "!" if they are not
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import treewright as tw

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

conllu, pyconll = common.peer("conllu"), common.peer("pyconll")

SENTENCES = 4000
REPEATS = 3
TASKS = ("iterate", "columns", "copy")


def generated(sentences: int, seed: int = 1) -> str:
    """Sentences of 1 to 45 words with comments, features, multiword tokens and enhanced edges."""
    random = Random(seed)
    vocabulary = ["".join(random.choices("etaoinshrdlu", k=random.randint(1, 9))) for _ in range(5000)]
    tags = [f"T{number}" for number in range(17)]
    feats = ["_", "Number=Sing", "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin", "Definite=Def|PronType=Art"]
    lines = []
    for number in range(sentences):
        words = [
            vocabulary[int(random.paretovariate(0.6)) % 5000] for _ in range(1 + int(random.triangular(0, 44, 12)))
        ]
        lines += [f"# sent_id = generated-{number}", f"# text = {' '.join(words)}"]
        for id_, word in enumerate(words, 1):
            if id_ % 2 and id_ < len(words) and random.random() < 0.02:
                lines.append(f"{id_}-{id_ + 1}\t{word}\t_\t_\t_\t_\t_\t_\t_\t_")
            head = id_ - 1 if random.random() < 0.5 else random.randint(0, len(words))
            tag = random.choice(tags)
            cells = (id_, word, word, tag, tag.lower(), random.choice(feats), head, "dep", f"{head}:dep", "_")
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "\n".join(lines) + "\n"


def ours(path: Path, task: str) -> bytes | None:
    if task == "copy":
        file = io.BytesIO()
        tw.write(tw.read(path), file)
        return file.getvalue()
    for sentence in tw.read(path):
        if task == "columns":
            _ = (sentence.forms, sentence.heads, sentence.deprels)
    return None


def by_conllu(path: Path, task: str) -> bytes | None:
    copies = []
    with path.open(encoding="utf-8", newline="") as file:
        for sentence in conllu.parse_incr(file):
            if task == "columns":
                _ = [(word["form"], word["head"], word["deprel"]) for word in sentence]
            elif task == "copy":
                copies.append(sentence.serialize())
    return "".join(copies).encode() if task == "copy" else None


def by_pyconll(path: Path, task: str) -> bytes | None:
    copies = []
    for sentence in pyconll.iter_from_file(str(path)):
        if task == "columns":
            _ = [(word.form, word.head, word.deprel) for word in sentence]
        elif task == "copy":
            copies.append(sentence.conll() + "\n\n")
    return "".join(copies).encode() if task == "copy" else None


READERS: dict[str, Callable[[Path, str], bytes | None]] = {
    "treewright": ours,
    "conllu": by_conllu,
    "pyconll": by_pyconll,
}


def measure(path: Path) -> dict[tuple[str, str], tuple[float, bool]]:
    """(reader, task) -> seconds, and whether a copy is the same."""
    content = path.read_bytes()
    best: dict[tuple[str, str], tuple[float, bool]] = {}
    for _ in range(REPEATS):
        for task in TASKS:
            for name, reader in READERS.items():
                start = time.process_time()
                copy = reader(path, task)
                seconds = time.process_time() - start
                best[name, task] = min(best.get((name, task), (float("inf"), True)), (seconds, copy in (None, content)))
    return best


def report(name: str, path: Path) -> None:
    words = sum(map(len, tw.read(path)))
    best = measure(path)
    print(f"\n{name}: {words} words")
    print(f"  {'':12}" + "".join(f"{task:>13}{'ratio':>8}" for task in TASKS))
    for reader in READERS:
        line = f"  {reader:12}"
        for task in TASKS:
            seconds, same = best[reader, task]
            mark = " " if task != "copy" else "=" if same else "!"
            line += f"{words / seconds:12,.0f}{mark}{seconds / best['treewright', task][0]:8.1f}"
        print(line)


STREAM = """
import sys, treewright as tw
words = 0
for sentence in tw.read(sys.argv[1]):
    words += len(sentence.forms) + len(sentence.heads)
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""


def report_memory(folder: Path, text: str) -> None:
    """Peak memory of a process that streams a file, and one ten times as large."""
    if not Path("/proc/self/status").exists():
        print("\npeak memory: only measured where there is /proc")
        return
    peaks = []
    for times in (1, 10):
        path = folder / f"{times}.conllu"
        with path.open("w", encoding="utf-8") as file:
            for _ in range(times):
                file.write(text)
        command = [sys.executable, "-c", STREAM, str(path)]
        peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        peaks.append(f"{path.stat().st_size / 1e6:.0f} MB of text: {peak} MB")
    print(f"\npeak memory of a process that streams: {', '.join(peaks)} (Python and NumPy included)")


def treebanks(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("dev.conllu")):
        yield str(path.relative_to(folder)), path


def main() -> None:
    data: Path | None = common.parse(common.arguments(__doc__)).data
    print("words a CPU second")
    with tempfile.TemporaryDirectory() as name:
        text = generated(SENTENCES)
        report_memory(Path(name), text)
        if data is not None:
            for title, path in treebanks(data):
                report(title, path)
        else:
            path = Path(name, "generated.conllu")
            path.write_text(text, encoding="utf-8", newline="")
            report("generated", path)


if __name__ == "__main__":
    main()
