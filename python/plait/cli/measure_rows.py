# SPDX-License-Identifier: BSD-3-Clause
"""Commands under `plait measure` whose programs measure rows at message sizes."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence

import typer

from plait.cli.measure_options import Only, Repeat, Sizes, given
from plait.cli.options import Json, Lab, Mpi, Report, ReportFile, Verbose, report_page, run_and_end
from plait.cli.passing_on import PASSED_ON, PassingOn
from plait.run.runner import Request


@dataclasses.dataclass(frozen=True)
class Start:
    """Holds what a command's own options say of its program's start."""

    ranks: int = 2
    options: Sequence[str] = ()


def add_rows(app: typer.Typer, epilog: str, own: Callable[..., Start]) -> None:
    """Add the command that is named and described as `own`.

    The command takes the options of `own`, and behind them the options that all such commands
    share. It starts the program of its name in `network/`.
    """
    name = own.__name__

    def command(
        context: typer.Context,
        sizes: Sizes = None,
        mpi: Mpi = "openmpi",
        lab: Lab = None,
        only: Only = None,
        repeat: Repeat = None,
        json: Json = None,
        report: Report = False,
        report_file: ReportFile = None,
        verbose: Verbose = False,
        **of_own: object,
    ) -> None:
        start = own(**of_own)
        shared = given(sizes=sizes, only=only, repeat=repeat)
        options = [*start.options, *shared, *context.args]
        request = Request("network", name, mpi, start.ranks, lab, options, verbose)
        run_and_end(request, json, report_page(name, report, report_file))

    context, *shared, _ = inspect.signature(command).parameters.values()
    options = [*inspect.signature(own).parameters.values(), *shared]
    command.__signature__ = inspect.Signature([context, *options])
    add = app.command(
        name, help=own.__doc__, epilog=epilog, cls=PassingOn, context_settings=PASSED_ON
    )
    add(command)
