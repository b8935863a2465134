# SPDX-License-Identifier: BSD-3-Clause
"""The site that `./plait docs` makes: links, and pages in a browser, at three widths."""

from __future__ import annotations

import html
import pathlib
import re
import shutil
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import chromium
from conftest import ROOT, environment
from test_wheel import UNREACHABLE

pytestmark = pytest.mark.for_all
WIDTHS = (390, 900, 1400)
LOOKED_AT = ("index.html", "use/attach.html", "use/tasks.html", "measured/jacobi3d.html",
             "use/papers.html", "interfaces.html", "changelog.html")  # fmt: skip


class Page(HTMLParser):
    """The links of a page, and what may be linked to."""

    def __init__(self, file: pathlib.Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.places.update(filter(None, (told.get("id"), told.get("name"))))
        self.links += filter(None, (told.get("href") if tag != "base" else None, told.get("src")))


@pytest.fixture(scope="module")
def site():
    """The folder, which `./plait docs` makes anew."""
    if shutil.which("doxygen") is None:
        pytest.skip("there is no doxygen")
    done = subprocess.run([ROOT / "plait", "docs"], capture_output=True, text=True, check=False,
                          env=environment(), stdin=subprocess.DEVNULL, timeout=300)  # fmt: skip
    if any(said in done.stderr for said in UNREACHABLE):
        pytest.skip("PyPI cannot be reached")
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("plait: the site is in build/docs/index.html\n")
    return ROOT / "build/docs"


@pytest.fixture(scope="module")
def browser():
    if chromium.found() is None:
        pytest.skip("there is no browser")
    opened = chromium.Browser()
    yield opened
    opened.close()


def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(site):
    pages = {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}
    assert len(pages) > 100
    dead = []
    for file, page in pages.items():
        is_doxygens = "api" in file.parts  # which links to places that it has not made
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            is_place = not parts.fragment or is_doxygens
            is_known = to in pages and (is_place or unquote(parts.fragment) in pages[to].places)
            if not (is_known or (to.is_file() and to not in pages)):
                dead.append(f"{file.relative_to(site)}: {link}")
    assert dead == []


def test_every_document_is_a_page_with_its_title(site):
    for document in (ROOT / "docs").rglob("*.md"):
        own = document.relative_to(ROOT / "docs")
        if own.parts[0] in ("api", "site", "README.md"):
            continue
        page = (site / own.with_suffix(".html")).read_text(encoding="utf-8")
        heading = re.search(r"<h1[^>]*>(.*?)<a", page, flags=re.DOTALL).group(1)
        words = html.unescape(re.sub("<.*?>", "", heading))
        assert words.strip() == title_of(own).replace("`", "")


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_and_say_nothing_in_the_console(site, browser, width):
    browser.complaints.clear()
    browser.resize(width)
    for name in LOOKED_AT:
        browser.open((site / name).as_uri())
        wide = browser.ask("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1] == width, name
        broken = browser.ask(
            "[...document.images].filter((one) => !one.naturalWidth).map((one) => one.src)"
        )
        assert broken == [], name
    assert browser.complaints == []


def test_a_page_is_dark_where_its_reader_is(site, browser):
    shade = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    browser.resize(1400)
    browser.prefer("light")
    browser.open((site / "index.html").as_uri())
    assert min(browser.ask(shade)) > 200
    browser.prefer("dark")
    browser.open((site / "index.html").as_uri())
    assert max(browser.ask(shade)) < 80
    browser.prefer("light")


def title_of(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


def test_a_page_is_found_by_its_title_without_a_server(site, browser):
    browser.complaints.clear()
    browser.resize(1400)
    browser.open((site / "index.html").as_uri())
    browser.ask("document.querySelector('.md-search__input').focus()")
    browser.tell("Input.insertText", text=title_of("use/ghosts.md"))
    browser.tell("Input.dispatchKeyEvent", type="keyUp", key="Enter")  # what the page listens to
    link = "document.querySelector('.md-search-result__link[href*=\"ghosts.html\"]')"
    browser.wait_for(f"!!{link}")
    browser.follow(f"{link}.click()")
    assert browser.ask("location.pathname").endswith("/use/ghosts.html")
    assert browser.complaints == []


def test_a_page_is_two_clicks_away(site, browser):
    browser.resize(1400)
    browser.open((site / "index.html").as_uri())
    for links, text in ((".md-tabs__link", "Figures"), (".md-sidebar--primary a", "Poisson")):
        seen = f"(one) => one.getClientRects().length && one.text.trim() == '{text}'"
        browser.follow(f"[...document.querySelectorAll('{links}')].find({seen}).click()")
    assert browser.ask("location.pathname").endswith("/measured/poisson.html")
