"""Write the tables of the transforms in docs/reference. A test holds them up to date.

python ci/pages/transforms_tables.py
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.transforms import tables

for path in tables.write():
    print(path)
