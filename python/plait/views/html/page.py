# SPDX-License-Identifier: BSD-3-Clause
"""The page: everything in one file, nothing fetched from anywhere."""

from __future__ import annotations

import importlib.resources
import pathlib
from collections.abc import Sequence

from plait import __version__
from plait.results import Result, kind_of, write_file
from plait.views.html.drawn.svg import element, text


def write_report(results: Result | Sequence[Result], path: pathlib.Path, first: str = "") -> None:
    """Write the page for one result or several; the article `first` stands before theirs."""
    text = page([results] if isinstance(results, dict) else list(results), first)
    write_file(path, text.encode())


def page(results: Sequence[Result], first: str = "") -> str:
    """The page as text: articles in the files of `assets`, as cmake/PlaitPage.cmake joins them."""
    assets = importlib.resources.files("plait.views.html") / "assets"
    texts = {file.name: file.read_text(encoding="utf-8") for file in assets.iterdir()}
    scripts = [texts[name] for name in sorted(texts) if name.endswith(".js")]
    articles = (
        element("article", kind_of(result).html(result, results), id=f"r{index}",
                data_heading=_heading(result))
        for index, result in enumerate(results)
    )  # fmt: skip
    filled = {
        "version": __version__,
        "style": texts["page.css"],
        "script": "".join(scripts),
        "title": text("plait: " + "; ".join(map(_heading, results))),
        "results": first + (_contents(results) if len(results) > 1 else "") + "".join(articles),
    }
    whole = texts["page.html"]
    for place, content in filled.items():
        whole = whole.replace(f"<!--{place}-->", content)
    return whole


def _contents(results: Sequence[Result]) -> str:
    items = (
        element("li", element("a", text(_heading(r)), href=f"#r{i}")) for i, r in enumerate(results)
    )
    return element("nav", element("ul", *items), aria_label="Results")


def _heading(result: Result) -> str:
    return kind_of(result).heading(result)
