# SPDX-License-Identifier: BSD-3-Clause
"""`plait noise`: takes a share of some cores away from all that runs there."""

import os
import sys
from typing import Annotated, Optional

import typer

from plait import ready
from plait.cli.options import given
from plait.run.noise_maker import find_noise

EPILOG = """**Examples**

`plait noise --period 1ms --length 25us`

`plait noise --period 100ms --length 10ms --cores 0,1 --phases 0ms,30ms --seconds 60`

Needs the right to go before other threads: real-time priority, else nice -20. It ends with the
process that started it."""


def noise(
    period: Annotated[str, typer.Option(help="Time between bursts: 1ms, 100ms.")],
    length: Annotated[str, typer.Option(help="Processor time of a burst: 25us, 2.5ms.")],
    cores: Annotated[str, typer.Option(help="Which cores: 0,2-3, or all.")] = "all",
    phases: Annotated[
        Optional[str],
        typer.Option(help="First burst of each core: 0us,500us; spread evenly if left out."),
    ] = None,
    priority: Annotated[
        str, typer.Option(help="fifo, nice, or auto: the first of these that is allowed.")
    ] = "auto",
    count_seconds: Annotated[
        float, typer.Option(help="How long a thread a core counts what is taken; 0: not at all.")
    ] = 1.0,
    seconds: Annotated[
        Optional[float], typer.Option(help="Ends after so long; else by a signal, such as Ctrl-C.")
    ] = None,
) -> None:
    """Take a share of some cores away from all that runs there, in bursts.

    Threads of ordinary priority count first what is really taken, wanted against got. That is true
    of cores on which nothing else runs meanwhile.
    """
    ready.build("openmpi", "noise")
    program = str(find_noise())
    words = given(
        period=period, length=length, cores=cores, phases=phases, priority=priority,
        count_seconds=count_seconds, seconds=seconds,
    )  # fmt: skip
    sys.stdout.flush()
    os.execv(program, [program, *words])
