# SPDX-License-Identifier: BSD-3-Clause
"""`plait doctor`: what this machine lacks."""

import typer

from plait.doctor import main


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


def doctor() -> None:
    """Say what this machine lacks for plait, and what follows from it.

    Exit code: 0 nothing is lacking, 1 something is.
    """
    raise typer.Exit(main())
