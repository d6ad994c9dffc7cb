"""Sphinx configuration: `make docs` builds these pages, warnings are errors."""

from importlib import metadata

project = "Taut"
copyright = "the Taut authors"
version = release = metadata.version("taut")
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["README.md"]
html_theme = "alabaster"
html_title = f"Taut {release}"
