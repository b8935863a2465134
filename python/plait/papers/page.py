# SPDX-License-Identifier: BSD-3-Clause
"""Reads the rows of docs/use/papers.md, and writes their figures anew."""

import dataclasses
import datetime
import pathlib
import re
import shlex
from collections.abc import Mapping, Sequence

from plait.errors import BadInput

HEADER = "| in the text | command | figure here | beside the text | measured |"
_SHORT = "| short | long |"
_CODE = re.compile(r"`([^`]+)`")
_VALUE = r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?: \[[^]]*\])?"
FIGURE = re.compile(rf"`([^`]+)` = (\?|{_VALUE}(?:, {_VALUE})*)")
_MARK = re.compile(r"\s*<!--.*?-->")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_CELL = re.compile(r"(?<!\\)\|")


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the page; `line` is its place there."""

    line: int
    section: str
    text: str  # what of the text it shows
    commands: tuple[str, ...]  # as the page has them
    quantities: tuple[str, ...]  # each is printed by at least one of the commands

    @property
    def name(self) -> str:
        """Returns what it is called in messages."""
        return f"{self.section}, {self.text}"


@dataclasses.dataclass(frozen=True)
class Page:
    """The page: its lines, what short words stand for, and its rows."""

    lines: Sequence[str]
    short: Mapping[str, Sequence[str]]
    rows: Sequence[Row]

    def expanded(self, command: str) -> list[str]:
        """Returns the words of a command, short words replaced by what they stand for."""
        words: list[str] = []
        for word in shlex.split(command):
            words += self.expanded(shlex.join(self.short[word])) if word in self.short else [word]
        return words


@dataclasses.dataclass(frozen=True)
class Found:
    """Figures of a row by quantity, and the day on which it ran."""

    figures: Mapping[str, str]
    day: datetime.date


def read(path: pathlib.Path) -> Page:
    """Reads the page; refuses a row without a command or without a quantity."""
    lines = path.read_text(encoding="utf-8").splitlines()
    short: dict[str, Sequence[str]] = {}
    rows = []
    section, table = "", ""
    for number, line in enumerate(lines):
        if line.startswith("#"):
            section = line.lstrip("# ")
        elif not line.startswith("|"):
            table = ""
        elif not table or line.startswith("| ---"):
            table = table or line
        elif table == _SHORT:
            word, long = (_CODE.findall(cell)[0] for cell in _cells(line)[:2])
            short[word] = shlex.split(long)
        elif table == HEADER:
            rows.append(_row(number, section, line))
    return Page(lines, short, rows)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(line)[1:-1]]


def _row(number: int, section: str, line: str) -> Row:
    cells = _cells(line)
    if len(cells) != len(_cells(HEADER)):
        raise BadInput(f"line {number + 1} of the page: {len(cells)} cells")
    text = _MARK.sub("", cells[0])
    commands = tuple(code for code in _CODE.findall(cells[1]))
    quantities = tuple(name for name, _ in FIGURE.findall(cells[2]))
    row = Row(number, section, text, commands, quantities)
    if not commands or not quantities:
        raise BadInput(f"{row.name}: names no {'quantity' if commands else 'command'}")
    return row


def sentence_of(page: Page, row: Row, figures: Mapping[str, str]) -> str:
    """Returns what a row says was found, by these figures, and how that is beside the text."""
    _, _, found, beside, _ = _cells(page.lines[row.line])
    said = f"{_with_figures(found, figures)}. Beside the text: {beside}."
    return _LINK.sub(r"\1", _MARK.sub("", said)).replace("`", "")


def _with_figures(cell: str, figures: Mapping[str, str]) -> str:
    return FIGURE.sub(lambda found: f"`{found[1]}` = {figures.get(found[1], found[2])}", cell)


def write(path: pathlib.Path, page: Page, found: Mapping[int, Found]) -> None:
    """Writes the page with new figures by line.  The rows get the days on which they ran."""
    lines = list(page.lines)
    for number, row in found.items():
        cells = _cells(lines[number])
        cells[2] = _with_figures(cells[2], row.figures)
        lines[number] = "| " + " | ".join([*cells[:-1], row.day.isoformat()]) + " |"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
