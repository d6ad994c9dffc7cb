"""Sphinx configuration: `make docs` builds these pages, warnings are errors."""

import taut

project = "Taut"
copyright = "the Taut authors"
version = release = taut.__version__
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_title = f"Taut {release}"
