"""Write the table of certified regressions in docs/reference. A test holds it up to date.

python ci/pages/nist_table.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "demo"))

import certified

certified.PAGE.write_text(certified.page(), encoding="utf-8")
print(certified.PAGE)
