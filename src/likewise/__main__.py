"""``python -m likewise``."""

from .cli import main

raise SystemExit(main())
