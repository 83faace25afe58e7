"""Start-up time of `import treewright` compared with `import numpy`, of the command line and of the embedded model.

Each command runs in new processes, alternating; the minimum of the CPU times of the repeats is printed.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import common

COMMANDS = {
    "python, nothing imported": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import numpy, treewright": ["-c", "import numpy, treewright"],
    "treewright --version": ["-m", "treewright", "--version"],
    "treewright --help": ["-m", "treewright", "--help"],
    "treewright parse --text": ["-m", "treewright", "parse", "--text", "It rains."],
    "treewright parse --fast --text": ["-m", "treewright", "parse", "--fast", "--text", "It rains."],
}
REPEATS = 15
LOAD = """
import time, treewright.pipeline
begin = time.process_time()
treewright.load("en")
print(time.process_time() - begin)
"""


def cpu_of_children() -> float:
    """Return the CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    common.parse(common.arguments(__doc__))
    seconds = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(REPEATS):
        for name, arguments in COMMANDS.items():
            start = cpu_of_children()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            seconds[name] = min(seconds[name], cpu_of_children() - start)
    print(f"milliseconds of CPU time, minimum of {REPEATS}")
    for name, taken in seconds.items():
        print(f"  {name:31} {1000 * taken:7.0f}")
    extra = seconds["import numpy, treewright"] - seconds["import numpy"]
    print(f"  treewright beyond numpy         {1000 * extra:7.1f}")
    loads = [
        float(subprocess.run([sys.executable, "-c", LOAD], capture_output=True, check=True).stdout) for _ in range(5)
    ]
    print(f"  tw.load('en')                   {1000 * min(loads):7.1f}")


if __name__ == "__main__":
    main()
