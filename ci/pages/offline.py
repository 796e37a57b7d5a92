"""Find what pages of the site would load from elsewhere.

    python ci/pages/offline.py build/docs     end with status 1 where there is something

Links that a reader follows are no loads; scripts, styles, fonts, pictures and frames are.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ELSEWHERE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
LOADED = re.compile(r"""(?:url\(|@import)\s*["']?\s*((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)
# Attributes that the browser fetches by itself. `link` counts unless it only names a page.
FETCHED = ("src", "srcset", "data", "poster", "xlink:href")
NAMES_A_PAGE = {"canonical", "author", "license", "alternate", "next", "prev", "index", "search"}

__all__ = ["loads"]


class Page(HTMLParser):
    """Collects the addresses that a page fetches."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.style = tag == "style"
        fetched = [given[name] for name in FETCHED if name in given]
        if tag == "link" and not set(given.get("rel", "").split()) & NAMES_A_PAGE:
            fetched.append(given.get("href", ""))
        self.found += [address for address in fetched if ELSEWHERE.match(address)]
        self.found += LOADED.findall(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self.style:
            self.found += LOADED.findall(data)


def loads(folder: Path) -> Iterator[str]:
    """Yield each load from elsewhere, with the file that asks for it."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".html":
            page = Page()
            page.feed(path.read_text("utf-8"))
            found = page.found
        elif path.suffix in (".css", ".svg"):
            found = LOADED.findall(path.read_text("utf-8"))
        else:
            continue
        yield from (f"{path.relative_to(folder)}: {address}" for address in dict.fromkeys(found))


def main(folder: str) -> int:
    if not Path(folder, "index.html").is_file():
        print(f"no site in {folder}")
        return 2
    found = list(loads(Path(folder)))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
