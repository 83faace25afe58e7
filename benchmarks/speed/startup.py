"""Start-up time of `import treewright` compared with `import numpy`, of the command line and of the embedded model.

Each command runs in new processes, alternating; the minimum of the CPU times of the repeats is printed. Modules are
compiled before, as in an installed package: the first run of each command is not counted, and its bytecode is kept in
a temporary folder, also where PYTHONDONTWRITEBYTECODE is set.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

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


def run(arguments: list[str], environment: dict[str, str]) -> str:
    """Run Python with arguments in an environment and return what it prints."""
    finished = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment)
    return finished.stdout


def main() -> None:
    common.parse(common.arguments(__doc__))
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        measure(environment)


def measure(environment: dict[str, str]) -> None:
    """Print the table; modules are compiled into the folder that the environment names."""
    for arguments in COMMANDS.values():
        run(arguments, environment)
    seconds = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(REPEATS):
        for name, arguments in COMMANDS.items():
            start = cpu_of_children()
            run(arguments, environment)
            seconds[name] = min(seconds[name], cpu_of_children() - start)
    print(f"milliseconds of CPU time, minimum of {REPEATS}")
    for name, taken in seconds.items():
        print(f"  {name:31} {1000 * taken:7.0f}")
    extra = seconds["import numpy, treewright"] - seconds["import numpy"]
    print(f"  treewright beyond numpy         {1000 * extra:7.1f}")
    loads = [float(run(["-c", LOAD], environment)) for _ in range(5)]
    print(f"  tw.load('en')                   {1000 * min(loads):7.1f}")


if __name__ == "__main__":
    main()
