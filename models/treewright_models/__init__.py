"""Models of eight languages for Treewright: each name is the path of a model file."""

from pathlib import Path

FOLDER = Path(__file__).parent
af = FOLDER / "af.tw"
fr = FOLDER / "fr.tw"
ga = FOLDER / "ga.tw"
lt = FOLDER / "lt.tw"
pt = FOLDER / "pt.tw"
ru = FOLDER / "ru.tw"
th = FOLDER / "th.tw"
vi = FOLDER / "vi.tw"
