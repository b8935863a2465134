# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach` in the list of commands; `plait.attach.words` has its options, and reads them."""

import typer
from typer.core import CompletionItem, TyperCommand

from plait.attach.words import OPTIONS


def register(app: typer.Typer) -> None:
    """Add the command to the application; `main` starts it before it reads any words."""
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    app.command("attach", cls=_Attach, context_settings=settings, add_help_option=False)(attach)


class _Attach(TyperCommand):
    def shell_complete(self, ctx: object, incomplete: str) -> list[CompletionItem]:
        """Returns the options that begin so."""
        return [CompletionItem(name, help=option.says) for name, option in OPTIONS.items()
                if incomplete.startswith("-") and name.startswith(incomplete)]  # fmt: skip


def attach() -> None:
    """Run an unmodified MPI program with plait in front of its MPI library."""
