# SPDX-License-Identifier: BSD-3-Clause
"""Results as a terminal shows them and as a page draws them, for tests to read."""

import io
import json
import pathlib
import subprocess
from html.parser import HTMLParser

from rich.console import Console

from plait.results import kind_of


def show_result(result, console):
    kind_of(result).terminal(result, console)


def shown(answer, width=80):
    text = io.StringIO()
    show_result(answer, Console(file=text, width=width))
    return text.getvalue()


class Page(HTMLParser):
    """Checks that tags close in order, and keeps what a test asks for."""

    VOID = ("meta", "br", "link", "img")

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(text):
    reader = Page()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def browsed(text):
    """Returns what the scripts of a page make of the results in it."""
    runner = pathlib.Path(__file__).with_name("browser.js")
    done = subprocess.run(["node", runner], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
