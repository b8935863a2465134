# SPDX-License-Identifier: BSD-3-Clause
"""Names that typer has of its own today, and had from click when Python 3.9 was still served."""

try:
    from typer.core import CompletionItem
    from typer.exceptions import TyperException
except ImportError:
    from click import ClickException as TyperException
    from click.shell_completion import CompletionItem

__all__ = ["CompletionItem", "TyperException"]
