"""Trees and graphs as text, SVG and HTML."""
