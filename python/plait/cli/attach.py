# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach` in the list of commands; `plait.attach.words` has its options, and reads them."""

from typer.core import TyperCommand

from plait.attach.words import OPTIONS
from plait.cli.moved import CompletionItem


class Attach(TyperCommand):
    """Completes words; `main` starts the command before it reads any."""

    def shell_complete(self, ctx: object, incomplete: str) -> list[CompletionItem]:
        """Returns the options that begin so."""
        return [CompletionItem(name, help=option.says) for name, option in OPTIONS.items()
                if incomplete.startswith("-") and name.startswith(incomplete)]  # fmt: skip


def attach() -> None:
    """Run an unmodified MPI program with plait in front of its MPI library."""
