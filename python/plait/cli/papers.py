# SPDX-License-Identifier: BSD-3-Clause
"""`plait papers`: the rows of docs/use/papers.md, run."""

import pathlib
import shlex
import tempfile
from typing import Annotated, Optional

import typer

from plait.errors import BadInput, JobFailed
from plait.papers import page as pages
from plait.papers.pictures import Pictures
from plait.papers.running import Journal, Runner, chosen, made_ready, run_rows
from plait.programs import checkout

EPILOG = """**Examples**

`plait papers --list`

`plait papers --small`

`plait papers "Table 2"`

Exit code: 0 every row printed its quantities, 1 one did not, 2 bad input."""


def papers(
    words: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[WORDS]…", help="Rows that have one of these; all without."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Show rows and commands.")] = False,
    small: Annotated[
        bool, typer.Option("--small", help="Small sizes; the page stays as it is.")
    ] = False,
) -> None:
    """Run what docs/use/papers.md says shows what the five texts describe.

    Rows that have run are not run again (results/papers/rows.jsonl). The page gets the figures, and
    results/papers/index.html has the pictures of each row beside what it says.
    """
    root = checkout()
    if root is None:
        raise BadInput("papers: the page is in a checkout, and this is none")
    file = root / "docs" / "use" / "papers.md"
    page = pages.read(file)
    rows = chosen(page, words or [])
    if listing:
        for row in rows:
            typer.echo(
                "\n    ".join([row.name, *map(shlex.join, map(page.expanded, row.commands))])
            )
        return
    made_ready(page, rows)
    if small:
        with tempfile.TemporaryDirectory(prefix="plait-papers-") as folder:
            found, failures = run_rows(rows, Runner(page, pathlib.Path(folder), small), None)
    else:
        kept = root / "results" / "papers"
        kept.mkdir(parents=True, exist_ok=True)
        runner = Runner(page, kept, small, Pictures(kept, page))
        found, failures = run_rows(rows, runner, Journal(kept / "rows.jsonl"))
        pages.write(file, page, found)
        contents = Pictures(kept, pages.read(file)).write_contents()
        typer.echo(f"pictures: {contents.relative_to(root)}")
    if failures:
        raise JobFailed(f"{len(failures)} of {len(rows)} rows failed", 1)
    typer.echo(f"{len(found)} of {len(rows)} rows printed their quantities, none failed")
