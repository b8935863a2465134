# SPDX-License-Identifier: BSD-3-Clause
"""`plait predict`: what communication costs, by the model."""

import pathlib
from collections.abc import Mapping
from typing import Annotated, Optional

import typer

from plait.cli.options import (
    Json,
    Lab,
    Mpi,
    Repeat,
    Report,
    ReportFile,
    Verbose,
    given,
    report_page,
    run_and_end,
)
from plait.errors import BadInput
from plait.launch import library
from plait.programs import available
from plait.run.runner import Request

app = typer.Typer(no_args_is_help=True, help="What communication costs on a network, by the model.")

_EPILOG = """**Examples**

`plait predict collective allreduce --ranks 8,64,512 --sizes 8,64KiB,4MiB --network network.json`

`plait predict collective bcast --ranks 64 --sizes 1MiB --latency-us 20 --overhead-us 2
--gap-us 3 --gap-per-byte-ns 8 --report`

`plait predict collective alltoall,bcast --measured --lab nodes=2,rate=1gbit --report`

Formulas and symbols: docs/internals/model.md. The least is marked, and what LibNBC would take. With
`--measured` messages between two ranks and the operations themselves are measured in one session,
and the table holds the prediction from the first against the second."""

# Figures of a network, which are measured where the rest is.
_NETWORK = (
    "--network", "--latency-us", "--overhead-us", "--gap-us", "--gap-per-byte-ns",
    "--overhead-per-byte-ns", "--reduction-per-byte-ns", "--both-ways-per-byte-ns",
    "--copy-per-byte-ns", "--eager-limit", "--degree",
)  # fmt: skip


@app.command(epilog=_EPILOG)
def collective(
    operation: Annotated[str, typer.Argument(metavar="OP", help="bcast, allreduce, alltoall, …")],
    ranks: Annotated[
        Optional[str],
        typer.Option("--ranks", "-n", help="Numbers of ranks: 8,64,512; with --measured one, 2."),
    ] = None,
    sizes: Annotated[
        Optional[str], typer.Option(help="Sizes: 8,64KiB,4MiB; 8, and with --measured up to 1 MiB.")
    ] = None,
    algorithm: Annotated[str, typer.Option(help="One by its name, or all.")] = "all",
    network: Annotated[
        Optional[pathlib.Path],
        typer.Option(help="JSON file with the network's parameters; options change it."),
    ] = None,
    latency_us: Annotated[Optional[float], typer.Option(help="L.")] = None,
    overhead_us: Annotated[
        Optional[float], typer.Option(help="o, of a send and of a receive.")
    ] = None,
    gap_us: Annotated[Optional[float], typer.Option(help="g, between two messages.")] = None,
    gap_per_byte_ns: Annotated[Optional[float], typer.Option(help="G, 1 / bandwidth.")] = None,
    overhead_per_byte_ns: Annotated[
        Optional[float], typer.Option(help="O, processor time per byte.")
    ] = None,
    reduction_per_byte_ns: Annotated[
        Optional[float], typer.Option(help="γ, to combine two operands.")
    ] = None,
    both_ways_per_byte_ns: Annotated[
        Optional[float], typer.Option(help="G₂, as G where both sides send at once; G if left out.")
    ] = None,
    copy_per_byte_ns: Annotated[
        Optional[float], typer.Option(help="κ, to copy a byte within a rank.")
    ] = None,
    eager_limit: Annotated[
        Optional[str], typer.Option(help="S, the largest message without handshake: 64KiB.")
    ] = None,
    fragment: Annotated[
        Optional[str],
        typer.Option(help="Fragments of a chain; 8KiB, and with --measured 32KiB."),
    ] = None,
    degree: Annotated[
        Optional[int], typer.Option(help="Neighbours of a rank, for neighbour_exchange.")
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option("--as-published", help="Add the formulas that LibNBC's authors published."),
    ] = False,
    measured: Annotated[
        bool, typer.Option("--measured", help="Measure network and operation, here or in --lab.")
    ] = False,
    lab: Lab = None,
    mpi: Mpi = None,
    repeat: Repeat = None,
    json: Json = None,
    report: Report = False,
    report_file: ReportFile = None,
    verbose: Verbose = False,
) -> None:
    """Total, processor's and network's part of a collective operation, by each algorithm."""
    page = report_page(f"predict-{pathlib.Path(operation).name}", report, report_file)
    words = {
        "--ranks": ranks, "--sizes": sizes, "--algorithm": algorithm, "--network": network,
        "--latency-us": latency_us, "--overhead-us": overhead_us, "--gap-us": gap_us,
        "--gap-per-byte-ns": gap_per_byte_ns, "--overhead-per-byte-ns": overhead_per_byte_ns,
        "--reduction-per-byte-ns": reduction_per_byte_ns,
        "--both-ways-per-byte-ns": both_ways_per_byte_ns, "--copy-per-byte-ns": copy_per_byte_ns,
        "--eager-limit": eager_limit, "--fragment": fragment, "--degree": degree,
    }  # fmt: skip
    if measured:
        _refuse(
            ("--as-published",), {"--as-published": as_published or None},
            "compares formulas with formulas; leave --measured out",
        )  # fmt: skip
        _refuse(_NETWORK, words, "is for networks that are not measured; --measured finds it")
        options = given(sizes=sizes, algorithms=algorithm, fragment=fragment, repeat=repeat)
        request = Request(
            "network", "collective", mpi or "openmpi", _one_number(ranks or "2"), lab,
            ["--op", operation, *options], verbose,
        )  # fmt: skip
        run_and_end(request, json, page)
    beside = {"--lab": lab, "--mpi": mpi, "--repeat": repeat}
    _refuse(tuple(beside), beside, "is for measuring; give --measured too")
    if ranks is None:
        raise BadInput("--ranks is missing: for how many ranks, such as 8,64,512")
    options = [f"{name}={value}" for name, value in words.items() if value is not None]
    words_of_model = [operation, *options, *(["--as-published"] if as_published else [])]
    run_and_end(Request("network", "predict", _library(), None, None, words_of_model), json, page)


def _refuse(names: tuple[str, ...], words: Mapping[str, object], why: str) -> None:
    for name in names:
        if words[name] is not None:
            raise BadInput(f"{name} {why}")


def _one_number(ranks: str) -> int:
    if not ranks.isdecimal() or int(ranks) < 1:
        raise BadInput(f"--ranks {ranks}: with --measured it is one number, such as 4")
    return int(ranks)


def _library() -> str:
    """The model needs no MPI: whichever library it was built beside will do."""
    return next((mpi for mpi in library.NAMES if "predict" in available("network", mpi)), "openmpi")
