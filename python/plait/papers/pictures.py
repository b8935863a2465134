# SPDX-License-Identifier: BSD-3-Clause
"""A page a row: what was found, in a sentence, above the pictures of the run."""

import pathlib
import re
from collections.abc import Mapping, Sequence

from plait.errors import BadInput
from plait.papers.page import Page, Row, sentence_of
from plait.results import Result, write_file
from plait.results.figures.curves import curves_of
from plait.views.html import page as html_page
from plait.views.html.curves import curves_article
from plait.views.html.drawn.svg import element, text


class Pictures:
    """The pages of a folder, and one that leads to them."""

    def __init__(self, folder: pathlib.Path, page: Page) -> None:
        self._folder = folder
        self._page = page

    def draw(self, row: Row, figures: Mapping[str, str], results: Sequence[Result]) -> None:
        """Writes the page of a row; a row whose programs write no result has none."""
        if not results:
            return
        what = [element("p", text(sentence_of(self._page, row, figures)))]
        what += [element("pre", text(command)) for command in row.commands]
        first = element("article", element("h2", text(row.name)), *what)
        try:
            curves = curves_of(results)
        except BadInput:  # results of several kinds
            curves = None
        whole = html_page(results, first + (curves_article(curves) if curves else ""))
        write_file(self._file_of(row), whole.encode())

    def write_contents(self) -> pathlib.Path:
        """Writes the page that leads to all that were drawn, in this run or before."""
        lines = []
        for row in self._page.rows:
            file = self._file_of(row)
            if file.exists():
                link = element("a", text(row.name), href=f"pictures/{file.name}")
                said = text(sentence_of(self._page, row, {}))
                lines.append(element("li", link, element("p", said)))
        path = self._folder / "index.html"
        title = element("h2", text("What the five texts describe, and what was found here"))
        whole = html_page([], element("article", title, element("ul", *lines)))
        write_file(path, whole.encode())
        return path

    def _file_of(self, row: Row) -> pathlib.Path:
        folder = self._folder / "pictures"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / (re.sub(r"\W+", "-", row.name.lower()).strip("-")[:80] + ".html")
