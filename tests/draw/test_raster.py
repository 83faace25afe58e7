"""PNG images of SVG drawings, and several drawings in one."""

from __future__ import annotations

import struct
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from treewright import draw
from treewright.draw.vector import stack_drawings
from treewright.errors import InputError, MissingExtra

WORDS: dict[str, Any] = {"forms": ["Dogs", "bark"], "heads": [2, 0], "deprels": ["nsubj", "root"]}
SVG = "{http://www.w3.org/2000/svg}"


def drawing(**columns: Any) -> draw.Drawing:
    return draw.svg(**WORDS | columns)


def size_of_svg(svg: str) -> tuple[int, int]:
    root = ElementTree.fromstring(svg)
    return int(root.attrib["width"]), int(root.attrib["height"])


def size_of_png(data: bytes) -> tuple[int, int]:
    """The size that the header of a PNG file has."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_an_image_has_the_size_of_the_drawing(scale: int) -> None:
    width, height = size_of_svg(drawing())
    assert size_of_png(drawing().png(scale)) == (scale * width, scale * height)


def test_an_image_shows_forms_labels_and_probabilities() -> None:
    images = {
        drawing().png(),
        drawing(deprels=["obj", "root"]).png(),
        drawing(forms=["Cats", "bark"]).png(),
        drawing(confidence=[0.5, 0.99]).png(),
        drawing(confidence=[0.51, 0.99]).png(),
    }
    assert len(images) == 5


def test_a_drawing_is_saved_as_an_image(tmp_path: Path) -> None:
    path = drawing().save(tmp_path / "tree.PNG")
    assert path.read_bytes() == drawing().png()
    assert [one.name for one in tmp_path.iterdir()] == ["tree.PNG"]


def test_only_svg_becomes_an_image(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a PNG image is made of an SVG drawing \(draw\.svg\), not of text"):
        draw.text(**WORDS).save(tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtra, match=r"a PNG image needs the package resvg_py: pip install 'treewright\[png\]'"):
        drawing().png()


def test_drawings_are_stacked_without_overlap() -> None:
    drawings = [drawing(), drawing(forms=["Hyperparameters", "bark"]), drawing()]
    sizes = [size_of_svg(one) for one in drawings]
    root = ElementTree.fromstring(stack_drawings(drawings))
    inner = root.findall(f"{SVG}svg")
    assert [int(one.attrib["y"]) for one in inner] == [0, sizes[0][1], sizes[0][1] + sizes[1][1]]
    assert size_of_svg(stack_drawings(drawings)) == (max(w for w, _ in sizes), sum(h for _, h in sizes))
    assert len(root.findall(f".//{SVG}style")) == 1
    assert [one.findtext(f"{SVG}title") for one in inner] == ["Dogs bark", "Hyperparameters bark", "Dogs bark"]


def test_a_single_drawing_is_not_changed() -> None:
    assert stack_drawings([drawing()]) == drawing()
