"""Print a pip constraints file with the lowest versions of the dependencies that pyproject.toml allows.

python scripts/lowest_versions.py > constraints.txt
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
FEATURES = ("zstd", "plots")  # the extras for users; those for developers need no lower bound


def constraints(requirements: Iterable[str]) -> Iterator[str]:
    """name==version for each requirement name>=version.

    >>> list(constraints(["numpy>=1.24", "colorama>=1; sys_platform == 'win32'"]))
    ['numpy==1.24', 'colorama==1; sys_platform == "win32"']
    """
    for text in requirements:
        requirement = Requirement(text)
        [lowest] = [spec.version for spec in requirement.specifier if spec.operator == ">="]
        marker = f"; {requirement.marker}" if requirement.marker else ""
        yield f"{requirement.name}=={lowest}{marker}"


def main() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = [requirement for name in FEATURES for requirement in project["optional-dependencies"][name]]
    print(*constraints([*project["dependencies"], *extras]), sep="\n")


if __name__ == "__main__":
    main()
