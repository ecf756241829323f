"""How Sphinx builds the site (``make docs``): pages of this folder and ``paper/docs``, the gallery of ``examples/``."""

from __future__ import annotations

import os
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import rpw.explore

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MADE = ROOT / "build" / "site"

project = "rpw"
author = "the rpw authors"
copyright = author
version = release = rpw.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_static", "_templates", "gallery/**/*.ipynb", "gallery/**/*.md5", "gallery/**/*.py"]
templates_path = ["_templates"]
nitpicky = True  # a name that leads nowhere is an error, as `make docs` takes warnings for errors
default_role = "autolink"
# Words for types in docstrings that no page can define.
nitpick_ignore_regex = [("py:.*", r"(?!rpw\.).*|rpw\.base\..*")]

# ---------------------------------------------------------------- the paper

shutil.rmtree(DOCS / "results", ignore_errors=True)  # Sphinx looks for pages in one folder
shutil.copytree(ROOT / "paper" / "docs", DOCS / "results", ignore=shutil.ignore_patterns("__pycache__"))


def rewrite_links(app: Any, docname: str, source: list[str]) -> None:
    """Links between docs/ and paper/docs/, which are those of the repository, become those of the site."""
    text = re.sub(r"(\]\((?:\.\./)*)\.\./paper/docs/", r"\1results/", source[0])
    source[0] = re.sub(r"\]\(\.\./\.\./docs/", "](../", text) if docname.startswith("results/") else text


# ---------------------------------------------------------------- Markdown and mathematics

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
mathjax_path = "mathjax/tex-svg.js"  # kept in _static: no reader of the site asks another host for it

# ---------------------------------------------------------------- names of the library

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's Parameters say more
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False  # the template lists them
numpydoc_class_members_toctree = False

# ---------------------------------------------------------------- names of others


def inventories(text: str) -> dict[str, tuple[str, str]]:
    """The lists of inventories.txt, each written as the file that intersphinx reads."""
    mapping = {}
    MADE.mkdir(parents=True, exist_ok=True)
    blocks = [[line for line in block.splitlines() if not line.startswith("#")] for block in text.split("\n\n")]
    for head, *rows in filter(None, blocks):
        name, address = head.split()
        lines = [f"{target} {role} 1 {page} -" for role, target, page in map(str.split, rows)]
        header = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n"
        header += "# The remainder of this file is compressed using zlib.\n"
        body = zlib.compress("".join(f"{line}\n" for line in lines).encode())
        (MADE / f"{name}.inv").write_bytes(header.encode() + body)
        mapping[name] = (address, str(MADE / f"{name}.inv"))
    return mapping


intersphinx_mapping = inventories((DOCS / "inventories.txt").read_text(encoding="utf-8"))

# ---------------------------------------------------------------- gallery

SECTIONS = ("first_steps", "meaning", "many", "shapes", "learning", "scale")
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!recorded_)[^/]*\.py$",  # recorded_*.py are shown with the output they once had
    "subsection_order": [f"../examples/{name}" for name in SECTIONS],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "doc_module": ("rpw",),
    "backreferences_dir": "gallery/backreferences",
    "parallel": 2,
    "thumbnail_size": (640, 420),
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": 1000,
    "write_computation_times": False,  # its page asks other hosts
}

# An example that was renamed or removed leaves its old page behind, which no page links to.
for page in (DOCS / "gallery").glob("*/*.rst"):
    section, example = page.parent.name, page.stem
    if example not in ("index", "sg_execution_times") and not (ROOT / "examples" / section / f"{example}.py").exists():
        page.unlink()

# ---------------------------------------------------------------- how it looks

html_theme = "pydata_sphinx_theme"
html_title = "rpw"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
# The playground, as `rpw explore` writes it: the home page shows it in a frame.
(MADE / "extra").mkdir(parents=True, exist_ok=True)
rpw.explore.write_page(MADE / "extra" / "playground.html")
html_extra_path = [str(MADE / "extra")]
html_sidebars = {"**": ["all-pages"]}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "rpw", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "alt_text": "Home"},
    "navbar_center": ["chapters"],
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["licence"],
    "secondary_sidebar_items": ["page-toc"],
}
# The workflow knows where the repository is; a copy of it need not.
if repository := os.environ.get("GITHUB_REPOSITORY"):
    html_theme_options["github_url"] = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
    html_theme_options["navbar_end"] = ["theme-switcher", "navbar-icon-links"]

# ---------------------------------------------------------------- last touches


def describe_thumbnails(app: Any, doctree: nodes.document) -> None:
    """Give the small pictures of the gallery words: the name of their example."""
    for image in doctree.findall(nodes.image):
        example = re.fullmatch(r"sphx_glr_(.*)_thumb", Path(image["uri"]).stem)
        if example and not image.get("alt"):
            image["alt"] = f"Picture of the example {example[1].replace('_', ' ')}"


class Indices(SphinxPostTransform):
    """W_p, c_ij, W_{1-s} and (κε)^p in running text get lowered or raised letters; so sources stay easy to read."""

    default_priority = 900
    # Only a single letter or one of these words has an index, and a short one, so that n_jobs stays a name.
    _INDEX = re.compile(
        r"(?:((?:(?<![^\W\d])(?<![\\/.])(?:[^\W\d_]|RPW|min|max|pull|rate|d[Cc])|[Α-ω])[⁺⁻*]?)_|(?<=[\w)\]|⁺⁻*])\^)"
        r"(?:\{([^{}]+)\}|\(((?:[^()\s]|\([^()\s]*\))+)\)|(-?\d+(?:\.\d+)?|lo|hi|max|[^\W\d_]{1,2}|∞))(?![^\W²³])"
    )

    def run(self, **_: Any) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.raw, nodes.image)):
                pieces = list(self._pieces(str(text)))
                if len(pieces) > 1:
                    text.parent.replace(text, pieces)

    def _pieces(self, text: str) -> Any:
        end = 0
        for found in self._INDEX.finditer(text):
            letter, *index = found.groups()
            shown = next(filter(None, index))
            yield nodes.Text(text[end : found.start()] + (letter or ""))
            yield (nodes.subscript if letter else nodes.superscript)("", shown)
            end = found.end()
        yield nodes.Text(text[end:])


def setup(app: Any) -> None:
    """Sphinx calls this once."""
    app.connect("source-read", rewrite_links)
    app.connect("doctree-read", describe_thumbnails)
    app.add_post_transform(Indices)
