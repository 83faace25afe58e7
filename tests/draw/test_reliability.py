"""The reliability diagram."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import treewright as tw

NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_a_dot_stands_at_its_confidence_and_accuracy() -> None:
    bins = [SimpleNamespace(count=100, confidence=share, accuracy=share) for share in (0.0, 0.25, 1.0)]
    drawn = tw.draw.reliability({"heads": bins, "tags <&>": bins[:1]}, {"heads": "ECE 0.0"})
    root = ElementTree.fromstring(drawn)
    dots = [(float(dot.get("cx", "")), float(dot.get("cy", ""))) for dot in root.iter(f"{NAMESPACE}circle")]
    frame = next(root.iter(f"{NAMESPACE}rect"))
    frames = [rect for rect in root.iter(f"{NAMESPACE}rect") if rect.get("class") == "frame"]
    left, top, side = (float(frames[0].get(name, "")) for name in ("x", "y", "width"))
    assert frame.get("class") == "paper"
    assert dots[:3] == [(left, top + side), (left + side / 4, top + 3 * side / 4), (left + side, top)]
    assert len(frames) == 2
    texts = [text.text for text in root.iter(f"{NAMESPACE}text")]
    assert {"heads", "tags <&>", "ECE 0.0", "confidence", "right"} <= set(texts)


@pytest.mark.parametrize("tables", [{}, {"heads": []}])
def test_nothing_can_be_drawn(tables: dict[str, list[SimpleNamespace]]) -> None:
    assert ElementTree.fromstring(tw.draw.reliability(tables)).get("class") == "reliability"
