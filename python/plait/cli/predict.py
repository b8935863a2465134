# SPDX-License-Identifier: BSD-3-Clause
"""`plait predict`: what communication costs, by the model."""

import contextlib
import pathlib
from typing import Annotated

import typer

from plait import result as results
from plait.cli.options import Json, Report, ReportFile, check_writable, report_page, show_and_write
from plait.errors import BadInput
from plait.jobs import complain, has_result, watch
from plait.launch.job import signals_as_exceptions
from plait.launch.mpi import launch_alone
from plait.programs import find_program
from plait.scratch import scratch_folder

app = typer.Typer(no_args_is_help=True, help="What communication costs on a network, by the model.")

_EPILOG = """**Examples**

`plait predict collective allreduce --ranks 8,64,512 --size 8,64KiB,4MiB --network network.json`

`plait predict collective bcast --ranks 64 --size 1MiB --latency-us 20 --overhead-us 2
--gap-us 3 --gap-per-byte-ns 8 --report`

Formulas and symbols: docs/model.md. The least is marked, and what LibNBC would take."""


@app.command(epilog=_EPILOG)
def collective(
    operation: Annotated[str, typer.Argument(metavar="OP", help="bcast, allreduce, alltoall, …")],
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks: 8,64,512.")],
    size: Annotated[str, typer.Option(help="Sizes: 8,64KiB,4MiB.")] = "8",
    algorithm: Annotated[str, typer.Option(help="One by its name, or all.")] = "all",
    network: Annotated[
        pathlib.Path | None,
        typer.Option(help="JSON file with the network's parameters; options change it."),
    ] = None,
    latency_us: Annotated[float | None, typer.Option(help="L.")] = None,
    overhead_us: Annotated[
        float | None, typer.Option(help="o, of a send and of a receive.")
    ] = None,
    gap_us: Annotated[float | None, typer.Option(help="g, between two messages.")] = None,
    gap_per_byte_ns: Annotated[float | None, typer.Option(help="G, 1 / bandwidth.")] = None,
    overhead_per_byte_ns: Annotated[
        float | None, typer.Option(help="O, processor time per byte.")
    ] = None,
    reduction_per_byte_ns: Annotated[
        float | None, typer.Option(help="γ, to combine two operands.")
    ] = None,
    eager_limit: Annotated[
        str | None, typer.Option(help="S, the largest message without handshake: 64KiB.")
    ] = None,
    fragment: Annotated[str, typer.Option(help="Fragments of a chain.")] = "8KiB",
    degree: Annotated[
        int | None, typer.Option(help="Neighbours of a rank, for neighbour_exchange.")
    ] = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
) -> None:
    """Total, processor's and network's part of a collective operation, by each algorithm."""
    page = report_page(f"predict-{pathlib.Path(operation).name}", report, report_file)
    check_writable({"--json": json, "--report": page})
    given = {
        "--ranks": ranks, "--size": size, "--algorithm": algorithm, "--network": network,
        "--latency-us": latency_us, "--overhead-us": overhead_us, "--gap-us": gap_us,
        "--gap-per-byte-ns": gap_per_byte_ns, "--overhead-per-byte-ns": overhead_per_byte_ns,
        "--reduction-per-byte-ns": reduction_per_byte_ns, "--eager-limit": eager_limit,
        "--fragment": fragment, "--degree": degree,
    }  # fmt: skip
    options = [f"{name}={value}" for name, value in given.items() if value is not None]
    result = _predicted([operation, *options])
    show_and_write(result, json, page)


def _predicted(words: list[str]) -> results.Result:
    program = _program()
    with signals_as_exceptions(), scratch_folder() as folder:
        file = folder / "result.json"
        job = launch_alone([str(program), f"--json={file}", *words])
        outcome = watch("predict", job, None, verbose=False)
        if not has_result(outcome, file):
            complain("predict", outcome)
        return results.load(file)


def _program() -> pathlib.Path:
    """The model needs no MPI: whichever library it was built beside will do."""
    with contextlib.suppress(BadInput):
        return find_program("tools", "predict", "mpich")
    return find_program("tools", "predict", "openmpi")
