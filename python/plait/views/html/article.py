# SPDX-License-Identifier: BSD-3-Clause
"""Says what the articles of all kinds of result share: head, sections, circumstances."""

from collections.abc import Iterable

from plait.results.base import Result
from plait.views.html.drawn.svg import element, text
from plait.views.html.tables import circumstances

Sections = Iterable[tuple[str, str]]


def article(heading: str, result: Result, sections: Sections, *head: str) -> str:
    """Returns an article: the heading and what stands under it, sections with their titles."""
    name, _, rest = heading.partition(", ")
    environment = result["environment"]
    about = filter(None, (environment.get("started_at", ""), environment.get("commit", "")))
    top = [
        element("h1", text(name), element("span", text(rest))),
        element("p", text("   ".join(about)), class_="quiet"),
    ]
    everything = [*sections, ("Circumstances", circumstances(result))]
    return element("header", *top, *head) + "".join(
        element("section", element("h2", text(title)), content) for title, content in everything
    )


def facts(sentences: Iterable[str]) -> str:
    """Returns sentences as a list."""
    return element("ul", *(element("li", text(line)) for line in sentences), class_="facts")


def cards(*shown: str) -> str:
    """Returns cards side by side."""
    return element("div", *shown, class_="cards")


def card(*content: str) -> str:
    """Returns a figure with what it says."""
    return element("div", *content, class_="card")
