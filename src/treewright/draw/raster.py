"""SVG drawings as PNG images, by resvg: of the converters that are small it draws them as browsers do."""

from __future__ import annotations

from treewright.errors import MissingExtra

SCALE = 2.0  # pixels of the image for one of the drawing, for screens of high resolution; by convention


def png_of(svg: str, scale: float = SCALE) -> bytes:
    """The bytes of a PNG image; the fonts are those of the system."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingExtra("resvg_py", "png", "a PNG image") from None
    # resvg drops a space at the start of a tspan, which browsers draw: a no-break space stays.
    spaced = svg.replace('<tspan class="more"> ', '<tspan class="more">\u00a0')
    return bytes(svg_to_bytes(svg_string=spaced, zoom=scale))
