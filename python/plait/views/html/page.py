# SPDX-License-Identifier: BSD-3-Clause
"""The page: everything in one file, nothing fetched from anywhere."""

import importlib.resources
import pathlib
from collections.abc import Sequence

from plait import __version__
from plait.results import Result, kind_of, write_file
from plait.views.html.svg import element, text


def write_report(results: Result | Sequence[Result], path: pathlib.Path) -> None:
    """Write the page for one result or several."""
    text = page([results] if isinstance(results, dict) else list(results))
    write_file(path, text.encode())


def page(results: Sequence[Result]) -> str:
    """The page as text."""
    files = importlib.resources.files("plait.views.html")
    style, script = (
        files.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
    )
    title = "plait: " + "; ".join(map(_heading, results))
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        element("title", text(title)), element("style", style),
    )  # fmt: skip
    sections = [
        element("article", kind_of(result).html(result, results), id=f"r{index}")
        for index, result in enumerate(results)
    ]
    contents = _contents(results) if len(results) > 1 else ""
    footer = element("footer", text(f"plait {__version__}"))
    body = element("body", element("main", contents, *sections, footer), element("script", script))
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"


def _contents(results: Sequence[Result]) -> str:
    items = (
        element("li", element("a", text(_heading(r)), href=f"#r{i}")) for i, r in enumerate(results)
    )
    return element("nav", element("ul", *items), aria_label="Results")


def _heading(result: Result) -> str:
    return kind_of(result).heading(result)
