# SPDX-License-Identifier: BSD-3-Clause
"""A result of any kind on a terminal."""

from rich.console import Console

from plait.results import Result, kind_of


def show_result(result: Result, console: Console) -> None:
    """Prints the tables and sentences of a result."""
    kind_of(result).terminal(result, console)
