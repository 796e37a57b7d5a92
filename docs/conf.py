"""Sphinx configuration. Builds without a network."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

import likewise
from likewise import _capabilities

sys.path.insert(0, str(Path(__file__).parents[1] / "ci" / "pages"))
import capabilities_page
import capability_box
import names_page
import notebook_pages
import versions_page

project = "likewise"
author = "The likewise developers"
copyright = "2026, The likewise developers"
release = version = likewise.__version__

LOG = logging.getLogger(__name__)

extensions = [
    "myst_nb",  # Markdown; pages that say `file_format: mystnb` are executed
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",  # [source] beside each function; needs no network
    "sphinx_copybutton",
]
# Fragments of changes.md, packages beside the examples' pages, options of kernels.
exclude_patterns = ["changes/*", "examples/*/*", "_kernels", "**/.ipynb_checkpoints"]

autosummary_generate = False  # each page holds the entries that its table lists
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
default_role = "py:obj"  # `name` in a docstring: a link where it is one of ours
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"  # copies the code without prompts and output

nb_execution_mode = "cache"
nb_execution_cache_path = str(notebook_pages.CACHE / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds for one cell
nb_output_stderr = "warn"  # shown, and a warning, unless the cell says `output_stderr: show`
nb_merge_streams = True

# MathJax lies in _static/mathjax, with its licence; its menu would offer what lies elsewhere.
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "pydata_sphinx_theme"
html_title = "likewise"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
# Pages whose title has the words come first.
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_css_files = ["likewise.css"]
html_js_files = ["capabilities.js", "names.js"]
# Pages that stand alone have nothing to list on the left.
html_sidebars = {page: [] for page in "index changes search genindex py-modindex".split()}
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
    """Put tables in the places that `<!-- table: NAME -->` marks."""
    for made in (capabilities_page, names_page, versions_page):
        source[0] = made.filled_in(source[0], _capabilities.table())


def look_for_words(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn of pictures without words for those who can't see them."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            LOG.warning("a picture without words (alt): %s", image["uri"], location=docname)


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", look_for_words)
    notebook_pages.setup(app)
    capability_box.setup(app)
    app.connect("source-read", close_fences)
    app.connect("source-read", append_fragments)
    app.connect("source-read", put_in_tables)
    anew = ("changes", "reference/capabilities", "reference/names", "reference/versions")
    app.connect("env-before-read-docs", lambda app, env, names: names.extend(anew))
