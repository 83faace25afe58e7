"""The package as users install it: a sentence where there is no compiler, a wheel in an empty environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from oracles.pages import REPO
from oracles.processes import run_process

BIN = Path(sys.executable).parent


def tool(name: str) -> Path:
    """Return a tool of the environment, or that of the system; one that does not run counts as not installed."""
    found = BIN / name if (BIN / name).exists() else shutil.which(name)
    if found is None or subprocess.run([found, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"{name} is not installed")
    return Path(found)


def test_without_a_compiler_there_is_a_sentence_that_says_what_to_install(tmp_path: Path) -> None:
    command = [
        str(tool("cmake")),
        "-S",
        str(REPO),
        "-B",
        str(tmp_path),
        "-G",
        "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
    ]
    ended = run_process(command, capture_output=True, text=True, env={"PATH": str(tmp_path)})
    assert ended.returncode != 0
    message = " ".join(ended.stderr.split())
    assert (
        "Treewright is compiled here, but there is no C++ compiler: install one (Debian and Ubuntu: apt install"
        in message
    )
    assert message.count("CMake Error") == 1


def test_what_is_distributed_has_the_english_model_and_not_those_of_the_other_distribution(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core")
    program = "import sys, scikit_build_core.build as build; build.build_sdist(sys.argv[1])"
    run_process([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, cwd=REPO)
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert "src/treewright/pipeline/models/en.tw" in names
    assert not [name for name in names if name.startswith("models/")]


@pytest.mark.slow
def test_a_wheel_works_in_an_empty_environment_without_a_compiler(tmp_path: Path) -> None:
    python = tool("python3.12")
    subprocess.run(["make", "wheel", f"WHEEL_PYTHON={python}"], cwd=REPO, check=True, timeout=3000)
    [wheel] = (REPO / "dist").glob("treewright-*-cp312-abi3-*.whl")
    subprocess.run([python, "-m", "venv", tmp_path / "env"], check=True, timeout=600)
    env = {**os.environ, "PATH": str(tmp_path / "env" / "bin")}
    pip = [str(tmp_path / "env" / "bin" / "python"), "-m", "pip", "install", "-q", "--only-binary", ":all:"]
    subprocess.run([*pip, str(wheel)], check=True, env=env, timeout=600)
    command = [str(tmp_path / "env" / "bin" / "treewright"), "parse", "--text", "It rains."]
    ended = run_process(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert "2\trains\train\tVERB" in ended.stdout, ended.stderr
