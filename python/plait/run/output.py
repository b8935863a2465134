# SPDX-License-Identifier: BSD-3-Clause
"""Says what becomes of a result: its tables, and the files that were asked for."""

from __future__ import annotations

import pathlib
import sys

from plait import results
from plait.plain import plain
from plait.results import Result
from plait.views.html import write_report
from plait.views.terminal.console import console
from plait.views.terminal.traces import show_traces


def show_and_write(
    result: Result,
    json: pathlib.Path | None,
    page: pathlib.Path | None,
    to_stderr: bool = False,
) -> None:
    """Shows a result's tables, and writes the files that are wanted."""
    stream = sys.stderr if to_stderr else sys.stdout
    results.kind_of(result).terminal(result, console(stream))
    lab = result.get("environment", {}).get("lab") or {}
    if again := lab.get("segments_sent_again"):
        late = lab.get("timeouts", 0)
        print(f"TCP sent {again} segments again, {late} of them after 200 ms or more", file=stream)
    for path, write in ((json, results.save), (page, write_report)):
        if path:
            write(result, path)
            what = "result" if path is json else "report"
            print(plain(f"{what}: {results.short(path)}"), file=stream)


def tell_of_trace(result: Result, trace: pathlib.Path) -> None:
    """Says where the trace is, and what it comes to."""
    print(plain(f"trace: {trace} (open it at ui.perfetto.dev)"))
    show_traces(result, console())
