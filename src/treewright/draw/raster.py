"""SVG drawings as PNG images, by resvg: of the converters that are small it draws them as browsers do."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from treewright.errors import InputError, MissingExtra

SCALE = 2.0  # pixels of the image for one of the drawing, for screens of high resolution; not tuned
# resvg takes Arial for `sans-serif` and draws no text where Arial is missing. These are the families that Linux, macOS
# and Windows are installed with.
FAMILIES = '"Liberation Sans","DejaVu Sans","Noto Sans","FreeSans",Helvetica,Verdana,Tahoma,sans-serif'
LETTER = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'>"
    f"<text y='16' font-family='{FAMILIES}'>{{}}</text></svg>"
)


def png_of(svg: str, scale: float = SCALE) -> bytes:
    """Return a PNG image, with the fonts of the system, or DejaVu Sans of Matplotlib where it has none."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingExtra("resvg_py", "png", "a PNG image") from None
    # resvg drops a space at the start of a tspan, which browsers draw: a no-break space stays.
    spaced = svg.replace('<tspan class="more"> ', '<tspan class="more">\u00a0')
    return bytes(svg_to_bytes(svg_string=spaced.replace("sans-serif", FAMILIES), zoom=scale, font_files=font_files()))


@cache
def font_files() -> list[str]:
    """Return the files that resvg needs beside the fonts of the system to draw text."""
    chosen = next((files for files in ([], matplotlib_fonts()) if draws_text(files)), None)
    if chosen is None:
        raise InputError("no font was found, so that a PNG image would have no text; install one, such as DejaVu Sans")
    return chosen


def draws_text(files: list[str]) -> bool:
    """Whether the image of a letter differs from that of a blank."""
    from resvg_py import svg_to_bytes

    letter, blank = (svg_to_bytes(svg_string=LETTER.format(text), font_files=files) for text in "M ")
    return bool(letter != blank)


def matplotlib_fonts() -> list[str]:
    """Return the font that Matplotlib brings with it, if it is installed."""
    spec = find_spec("matplotlib")
    places = spec.submodule_search_locations if spec else None
    return [str(Path(place) / "mpl-data/fonts/ttf/DejaVuSans.ttf") for place in places or ()]
