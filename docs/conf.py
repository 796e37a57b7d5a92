"""Sphinx configuration. Builds without a network."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

import likewise
from likewise import _capabilities

sys.path.insert(0, str(Path(__file__).parents[1] / "ci"))
import capabilities_page

project = "likewise"
author = "The likewise developers"
copyright = "2026, The likewise developers"
release = version = likewise.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",  # [source] beside each function; needs no network
    "sphinx_copybutton",
]
exclude_patterns = ["changes/*", "examples/*"]  # fragments of changes.md, packages

autosummary_generate = False  # each page holds the entries that its table lists
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
default_role = "py:obj"  # `name` in a docstring: a link where it is one of ours
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"  # copies the code without prompts and output

html_theme = "pydata_sphinx_theme"
html_title = "likewise"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["likewise.css"]
html_js_files = ["capabilities.js"]
# Pages that stand alone have nothing to list on the left.
html_sidebars = {
    page: []
    for page in (
        "index start one-call transforms optimize gallery validate providers architecture figures "
        "conformance changes search genindex py-modindex"
    ).split()
}
html_theme_options = {
    "logo": {"text": "likewise"},
    "navigation_with_keys": False,
    "show_prev_next": False,
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def close_fences(app: Sphinx, docname: str, source: list[str]) -> None:
    """Drop the empty line that ends an example for doctest, before the closing fence."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def append_fragments(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the fragments of docs/changes, newest first, under the last heading of changes.md."""
    if docname == "changes":
        fragments = sorted(Path(app.srcdir, "changes").glob("*.md"), reverse=True)
        source[0] = "\n\n".join([source[0], *(f.read_text(encoding="utf-8") for f in fragments)])


def put_in_tables(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the tables of what runs where in their places."""
    if docname == "reference/capabilities":
        source[0] = capabilities_page.filled_in(source[0], _capabilities.table())


def setup(app: Sphinx) -> None:
    app.connect("source-read", close_fences)
    app.connect("source-read", append_fragments)
    app.connect("source-read", put_in_tables)
    anew = ("changes", "reference/capabilities")
    app.connect("env-before-read-docs", lambda app, env, names: names.extend(anew))
