"""Trees and graphs as text, SVG, HTML and LaTeX.

>>> print(text(forms=["Dogs", "chase", "cats"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"]))
         root
 ╭─nsubj─╮│╭─obj─╮
 ▼       │▼│     ▼
Dogs    chase   cats
"""

from treewright.draw.drawing import Drawing
from treewright.draw.pictures import html, latex, svg, text
from treewright.draw.style import style_sheet

__all__ = ["Drawing", "html", "latex", "style_sheet", "svg", "text"]
