"""Colours that can be read on their ground, and distinguished by readers of any colour vision."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright.draw.canvas import ANSI
from treewright.draw.scene import STATES
from treewright.draw.style import ARC_KINDS, COLOURS, page_style, style_sheet

GROUNDS = {"light": 0, "dark": 1}

# What people without one kind of cone see, on linear RGB (Machado, Oliveira and Fernandes 2009, severity 1).
VISION = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def linear(colour: str) -> NDArray[np.float64]:
    srgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The ratio of luminances that the Web Content Accessibility Guidelines define."""
    lights = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def seen(colour: str, vision: str) -> NDArray[np.float64]:
    """A colour in CIELAB, as people with that vision see it."""
    rgb = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ rgb / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, ground: str, vision: str) -> float:
    colours = [COLOURS[name][GROUNDS[ground]] for name in (one, other)]
    return float(np.linalg.norm(seen(colours[0], vision) - seen(colours[1], vision)))


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", ["ink", "faint", *ARC_KINDS])
def test_text_can_be_read_on_its_ground(name: str, ground: str) -> None:
    k = GROUNDS[ground]
    assert contrast(COLOURS[name][k], COLOURS["paper"][k]) >= 4.5


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("vision", VISION)
def test_colours_with_a_meaning_can_be_told_apart(vision: str, ground: str) -> None:
    """Distances in CIELAB; 2.3 can just be distinguished side by side."""
    for one, other in pairwise(f"sure-{step}" for step in range(5)):
        assert distance(one, other, ground, vision) >= 12, (one, other)
    for one, other in combinations(["correct", "wrong-head", "wrong-label", "missed"], 2):
        assert distance(one, other, ground, vision) >= 20, (one, other)
    for one, other in combinations(STATES, 2):  # which differ in their lines, too
        assert distance(one, other, ground, vision) >= 5, (one, other)


def test_every_style_has_its_colour_everywhere() -> None:
    assert set(ARC_KINDS) <= set(ANSI)
    for kind in ARC_KINDS:
        assert style_sheet().count(f".treewright .{kind}{{color:#") == 2
        assert page_style().count(f".treewright .{kind}{{color:var(--{kind})}}") == 1
