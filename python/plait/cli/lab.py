# SPDX-License-Identifier: BSD-3-Clause
"""`plait lab`: an emulated cluster by hand."""

import contextlib
import subprocess
from typing import Annotated, Optional

import typer
from rich.table import Table
from rich.text import Text

from plait import ready
from plait.cli.passing_on import PassingOn
from plait.errors import BadInput
from plait.interrupts import Interrupted
from plait.lab import LabSpec, bring_up, find, list_labs, remove_stale, take_down
from plait.lab.inside import enter, pin
from plait.lab.network import counters
from plait.lab.privilege import lab_mode, tool_environment
from plait.lab.spec import check_name
from plait.units import rate_text
from plait.views.terminal.console import console

_GRACE_S = 1.0

app = typer.Typer(
    no_args_is_help=True, help="An emulated cluster on this machine: up, down, status, exec."
)
Name = Annotated[
    Optional[str], typer.Option("--name", help="Which lab; needed only when several are up.")
]
NameWord = Annotated[Optional[str], typer.Argument(metavar="[NAME]", help="The same as --name.")]


def _one_name(word: Optional[str], option: Optional[str]) -> Optional[str]:
    """A lab's name, given either way."""
    if word is not None and option is not None and word != option:
        raise BadInput(f"two names, '{word}' and --name {option}: give one")
    name = word if word is not None else option
    return None if name is None else check_name(name)


@app.command()
def up(
    word: NameWord = None,
    nodes: Annotated[str, typer.Option(help="Number of nodes.")] = "2",
    rate: Annotated[
        str, typer.Option(help="Rate of every link, each way: 1gbit, 500mbit.")
    ] = "1gbit",
    delay: Annotated[
        str, typer.Option(help="Added delay of every message: 50us (needs netem).")
    ] = "",
    cores: Annotated[str, typer.Option(help="Cores per node, or shared (no pinning).")] = "auto",
    name: Annotated[Optional[str], typer.Option("--name", help="Its name; chosen free.")] = None,
    subnet: Annotated[str, typer.Option(help="Its addresses, 10.87.X.0/24; chosen free.")] = "",
) -> None:
    """Bring a cluster up and keep it until `plait lab down`."""
    asked = LabSpec.of_options(
        nodes=nodes, rate=rate, cores=cores, delay=delay, name=_one_name(word, name), subnet=subnet
    )
    ready.for_job(None, asked)
    lab = bring_up(asked, kept=True)
    typer.echo(f"{lab.name} is up: {lab.spec.describe()}, {lab.subnet}")
    typer.echo(f"  plait run APP --lab name={lab.name} …     plait lab exec n0 -- ip addr")


@app.command()
def down(
    word: NameWord = None,
    name: Name = None,
    everything: Annotated[bool, typer.Option("--all", help="Every lab that is up.")] = False,
) -> None:
    """Take a cluster down, with all that runs in it."""
    chosen = _one_name(word, name)
    if everything and chosen is not None:
        raise BadInput(f"--all and '{chosen}': give one of them")
    for stale in remove_stale():
        typer.echo(f"{stale} was stale and has been removed")
    labs = list_labs() if everything else [find(chosen)]
    for lab in labs:
        take_down(lab)
        typer.echo(f"{lab.name} is down")


@app.command()
def status(
    word: NameWord = None,
    name: Annotated[
        Optional[str], typer.Option("--name", help="Which lab; all when left out.")
    ] = None,
) -> None:
    """Show the clusters that are up: nodes, links and what went over them."""
    chosen = _one_name(word, name)
    labs = [find(chosen)] if chosen is not None else list_labs()
    terminal = console()
    if not labs:
        typer.echo("no lab is up")
    for lab in labs:
        owner = f"belongs to process {lab.owner[0]}" if lab.owner else "kept until `plait lab down`"
        terminal.print(
            Text.assemble((lab.name, "bold"), f": {lab.spec.describe()}, {lab.subnet}, {owner}")
        )
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
        for column in ("node", "address", "cores", "rate", "delay"):
            table.add_column(column)
        table.add_column("sent MB", justify="right")
        table.add_column("received MB", justify="right")
        table.add_column("segments sent again", justify="right")
        for index, cores in enumerate(lab.node_cores):
            count = counters(lab, index)
            table.add_row(
                f"n{index}", lab.address(index), ",".join(map(str, cores)) or "all",
                rate_text(lab.spec.rate_bps),
                f"{lab.spec.delay_s * 1e6:g} µs" if lab.spec.delay_s else "none",
                f"{count['sent'] / 1e6:.2f}", f"{count['received'] / 1e6:.2f}",
                str(count["sent_again"]),
            )  # fmt: skip
        terminal.print(table)


@app.command("exec", cls=PassingOn)
def execute(
    node: Annotated[str, typer.Argument(help="n0, n1, … or head.")],
    command: Annotated[list[str], typer.Argument(help="-- COMMAND ARGUMENTS…")],
    name: Name = None,
) -> None:
    """Run a command on a node, with its address, its host name and its cores."""
    lab = find(name)
    nodes = {f"n{index}": cores for index, cores in enumerate(lab.node_cores)} | {"head": []}
    node = f"n{node}" if node.isdigit() else node
    if node not in nodes:
        raise BadInput(
            f"lab {lab.name} has no node '{node}'; it has n0 to n{lab.spec.nodes - 1} and head"
        )
    space = lab.head if node == "head" else f"{lab.prefix}{node}"
    process = subprocess.Popen(
        [*enter(lab, space), *pin(nodes[node]), *command], env=tool_environment()
    )
    try:
        raise typer.Exit(process.wait())
    except Interrupted as interrupted:
        process.send_signal(interrupted.number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
        raise
    finally:
        process.kill()


@app.command(hidden=True)
def check() -> None:
    """Say whether a cluster can be brought up here."""
    lab_mode()
