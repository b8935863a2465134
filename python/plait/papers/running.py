# SPDX-License-Identifier: BSD-3-Clause
"""Runs the rows of the page, and keeps what they gave."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait import ready, results
from plait.errors import BadInput
from plait.papers.page import Found, Page, Row
from plait.papers.pictures import Pictures
from plait.papers.quantities import figures_of
from plait.papers.small import smaller
from plait.plain import plain
from plait.programs import folders, known
from plait.results import Result

_START = str(pathlib.Path(__file__).parent.parent / "start.py")
_WRITE_A_RESULT = ("run", "bench", "measure", "predict")
_BUILT = ("examples", "micro")
_LONGEST_LINE = 200
_NOT_HERE = "is not built here: it needs"  # as benchmarks say of a peer
# What is compressed, made of these in the order of their names.
_FILE, _FILE_OF = "FILE", ("/usr/lib", "/usr/include", "/usr/share/doc")
_FILE_BYTES = {False: 256 << 20, True: 4 << 20}


class RowFailed(Exception):
    """A row that did not run, or did not print a quantity; one line."""


class RowLacks(RowFailed):
    """A row that needs what is not installed; one line."""


class Runner:
    """Runs rows in a folder, at the size of the page or at a small one."""

    def __init__(
        self, page: Page, folder: pathlib.Path, small: bool, pictures: Pictures | None = None
    ) -> None:
        self._page = page
        self._pictures = pictures
        self._folder = folder
        self._small = small
        self._ran: dict[tuple[str, ...], tuple[str, Result | None]] = {}

    def words_of(self, row: Row) -> list[list[str]]:
        """Returns the words of its commands as they are run."""
        commands = [self._page.expanded(command) for command in row.commands]
        return [smaller(words) for words in commands] if self._small else commands

    def run(self, row: Row) -> dict[str, str]:
        """Runs it; returns a figure by quantity.  Raises `RowFailed`."""
        found: dict[str, list[str]] = {quantity: [] for quantity in row.quantities}
        written: list[Result] = []
        for number, words in enumerate(self.words_of(row)):
            output, result = self._once(row, words, self._folder / f"result{number}.json")
            written += [result] if result else []
            for quantity, values in found.items():
                values += figures_of(quantity, result, output)
        for quantity, values in found.items():
            if not values:
                raise RowFailed(f"{row.name}: nothing printed has '{quantity}'")
        figures = {quantity: ", ".join(values) for quantity, values in found.items()}
        if self._pictures:
            self._pictures.draw(row, figures, written)
        return figures

    def _once(
        self, row: Row, words: Sequence[str], file: pathlib.Path
    ) -> tuple[str, Result | None]:
        """Returns what a command gave.  At a small size many are alike, and run once for all."""
        is_alike = self._small and words[1:2] in (["run"], ["bench"]) and "--json" not in words
        if is_alike and tuple(words) in self._ran:
            return self._ran[tuple(words)]
        output, written = self._output_of(row, words, file)
        found = (output, results.load(written) if written and written.exists() else None)
        if is_alike:
            self._ran[tuple(words)] = found
        return found

    def _output_of(
        self, row: Row, words: Sequence[str], file: pathlib.Path
    ) -> tuple[str, pathlib.Path | None]:
        """Returns what a command printed, and the path of the result file it was to write."""
        file.unlink(missing_ok=True)
        whole = [self._found(word) for word in words]
        if whole[0] == "plait":
            whole[:1] = [sys.executable, "-I", "-B", _START, "plait"]
            if words[1] not in _WRITE_A_RESULT or "/" in words[2]:
                file = None
            elif "--json" in words:
                file = self._folder / words[words.index("--json") + 1]
            else:
                whole += ["--json", str(file)]
        code, output, errors = _run(whole, self._folder)
        if code:
            last = (errors.strip() or output.strip()).splitlines()[-1:]
            kind = RowLacks if _NOT_HERE in errors else RowFailed
            raise kind(f"{row.name}: {' '.join(words)}: exit code {code}: {''.join(last)}")
        return output, file

    def _found(self, word: str) -> str:
        """Returns the path of a built program or of the file to compress; else the word."""
        kind, slash, name = word.partition("/")
        if slash and kind in _BUILT:
            for folder in folders(kind, "openmpi"):
                if (folder / name).is_file():
                    return str(folder / name)
            raise RowFailed(f"{word}: is not built")
        return str(self._made_file()) if word == _FILE else word

    def _made_file(self) -> pathlib.Path:
        """The file to compress, made where it is not there."""
        file, left = self._folder / "file", _FILE_BYTES[self._small]
        if file.exists() and file.stat().st_size == left:
            return file
        with open(file, "wb") as to:
            for path in itertools.chain.from_iterable(map(_files_under, _FILE_OF)):
                content = path.read_bytes()[:left]
                left -= to.write(content)
                if not left:
                    return file
        raise RowFailed(f"{' '.join(_FILE_OF)}: have too few bytes to compress")


def _run(words: Sequence[str], folder: pathlib.Path) -> tuple[int, str, str]:
    """Runs a command to its end; returns its exit code, and what it has said.  Ends it with us."""
    with subprocess.Popen(
        words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, errors="replace", env={**os.environ, "COLUMNS": str(_LONGEST_LINE)},
    ) as child:  # fmt: skip
        try:
            output, errors = child.communicate()
        except BaseException:
            child.terminate()
            raise
    return child.returncode, output, errors


def _files_under(folder: str) -> Iterator[pathlib.Path]:
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK):
            yield path


def chosen(page: Page, words: Sequence[str]) -> list[Row]:
    """The rows whose section, text or command has one of these words, or all rows."""
    if not words:
        return list(page.rows)
    rows = [row for row in page.rows
            if any(word in " ".join([row.name, *row.commands]) for word in words)]  # fmt: skip
    if not rows:
        raise BadInput(f"no row has {' or '.join(words)}")
    return rows


def made_ready(page: Page, rows: Sequence[Row]) -> None:
    """Has the programs of these rows built, where `./plait` has started this."""
    targets: dict[str, None] = {}
    for words in itertools.chain.from_iterable(map(page.expanded, row.commands) for row in rows):
        command, program = words[1], words[2]
        kind = {"bench": "bench", "measure": "network", "predict": "network"}.get(command)
        kind = kind or next((kind for kind in _BUILT if program.startswith(f"{kind}/")), None)
        if kind:
            targets[f"{kind}/all"] = None
        elif command == "run" and program in known("apps", "openmpi"):
            targets[program] = None
    ready.build("openmpi", *targets)


class Journal:
    """Keeps what rows gave, a line of JSON each; a row that is there is not run again."""

    def __init__(self, file: pathlib.Path) -> None:
        self._file = file
        self._kept: dict[str, Found] = {}
        with contextlib.suppress(FileNotFoundError):
            for line in file.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                day = datetime.datetime.fromisoformat(entry["ended_at"]).date()
                key = self._key(entry["commands"], entry["figures"])
                self._kept[key] = Found(entry["figures"], day)

    @staticmethod
    def _key(commands: Sequence[Sequence[str]], quantities: Iterable[str]) -> str:
        return json.dumps([list(map(list, commands)), list(quantities)])

    def kept(self, row: Row, commands: Sequence[Sequence[str]]) -> Found | None:
        """Returns what a row gave that has run with these words."""
        return self._kept.get(self._key(commands, row.quantities))

    def keep(
        self, row: Row, commands: Sequence[Sequence[str]], figures: Mapping[str, str],
        seconds: float,
    ) -> None:  # fmt: skip
        """Writes a line at once."""
        entry = {
            "section": row.section, "text": row.text, "commands": commands, "figures": figures,
            "seconds": round(seconds, 1),
            "ended_at": datetime.datetime.now().isoformat("T", "seconds"),
        }  # fmt: skip
        with open(self._file, "a", encoding="utf-8") as to:
            to.write(json.dumps(entry, ensure_ascii=False) + "\n")


def run_rows(
    rows: Sequence[Row], runner: Runner, journal: Journal | None
) -> tuple[dict[int, Found], list[str]]:
    """Runs rows and says how each ended; returns what they gave by line, and what went wrong."""
    found: dict[int, Found] = {}
    failures: list[str] = []
    for row in rows:
        words = runner.words_of(row)
        kept = journal.kept(row, words) if journal else None
        start = time.monotonic()
        try:
            found[row.line] = kept or Found(runner.run(row), datetime.date.today())
        except RowLacks as lacks:
            print(plain(f"not to be had here: {lacks}"), flush=True)
            continue
        except RowFailed as failed:
            failures.append(plain(str(failed)))
            print(f"FAILED {failures[-1]}", flush=True)
            continue
        seconds = time.monotonic() - start
        figures = found[row.line].figures
        if journal and kept is None:
            journal.keep(row, words, figures, seconds)
        said = "; ".join(f"{name} = {figure}" for name, figure in figures.items())
        print(plain(f"{seconds:6.1f} s  {row.name}: {said}"), flush=True)
    return found, failures
