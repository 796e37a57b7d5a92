"""Examples on these pages run in any folder: what a reader downloads is found beside the pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "gallery"))
