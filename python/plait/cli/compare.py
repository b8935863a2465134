# SPDX-License-Identifier: BSD-3-Clause
"""`plait compare`: two results side by side, and many over ranks, settings and time."""

import math
import pathlib
from collections.abc import Sequence
from typing import Annotated, Optional

import typer

from plait.cli.options import Report, ReportFile, check_writable, report_page
from plait.errors import BadInput, JobFailed
from plait.plain import plain
from plait.results import kind_of, short
from plait.results.compare import compare_results
from plait.results.figures.curves import Curves, curves_of
from plait.results.figures.scaling import scaling_curves, weak_sentence
from plait.results.history import Trend, history_curves, trends_of
from plait.results.several import Named, groups_of, load_all
from plait.units import figure_text
from plait.views.html import write_report
from plait.views.html.curves import curves_article
from plait.views.terminal.comparison import show_comparison, show_trends
from plait.views.terminal.console import console
from plait.views.terminal.curves import show_curves
from plait.views.terminal.layout import say, title

_SHOWN = 2  # results of a history that the page shows in full, the last ones
_WORSE = 1  # exit code


def compare(
    files: Annotated[
        list[pathlib.Path],
        typer.Argument(metavar="RESULT.json…|FOLDER", help="Results, or folders with results."),
    ],
    weak: Annotated[
        bool, typer.Option("--weak", help="Over ranks: each rank has as much to do in each run.")
    ] = False,
    fail_above: Annotated[
        Optional[str],
        typer.Option(metavar="SHARE", help="Exit with 1 where the last result is worse by more"
                     " than this share, such as 5%, and by more than its spread."),
    ] = None,
    report: Report = False,
    report_file: ReportFile = None,
) -> None:  # fmt: skip
    """Compare two results of one program, or many: over ranks, over settings and over time.

    Two are shown side by side. Of many, runs of `plait attach` on several numbers of ranks give
    efficiencies, and the last of runs that were measured alike is held against those before it.
    """
    above = None if fail_above is None else _share(fail_above)
    if len(files) == 1 and files[0].is_file():
        raise BadInput(f"compare {files[0]}: name a second result, or a folder of results")
    found = load_all(files)
    page = report_page(f"compare-{kind_of(found[0].result).program(found[0].result)}", report,
                       report_file)  # fmt: skip
    check_writable({"--report": page})
    are_two = len(files) == 2 == len(found)
    groups = groups_of(found)
    if are_two and len(groups) == 1:
        groups = [found]  # the second is to be judged, whichever is older
    elif are_two and above is not None:
        raise BadInput("--fail-above: the two results were not measured alike")
    if weak:
        _check_weak(groups)
    if are_two:
        show_comparison(compare_results(found[0].result, found[1].result), console())
    drawn = _across(groups, weak, are_two)
    histories = [group for group in groups if len(group) > 1]
    if not are_two and not drawn and not histories:
        _say_that_it_is_alone(found, above)
    for group in histories:
        if not are_two:
            _show_history(group)
        drawn += filter(None, [history_curves(group)])
    if page is not None:
        _write(page, drawn, groups)
    if above is not None:
        _judge(histories, above)


def _share(text: str) -> float:
    """`5%` and `0.05` as a share."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = math.nan
    if not 0 <= share < math.inf:
        raise BadInput(f"--fail-above {text}: give a share such as 5%")
    return share


def _check_weak(groups: Sequence[Sequence[Named]]) -> None:
    if groups[0][0].result.get("kind") != "attach":
        raise BadInput("--weak: efficiencies over ranks take results of plait attach")
    if len(groups) < 2:
        raise BadInput("--weak: all results are on one number of ranks")


def _across(groups: Sequence[Sequence[Named]], weak: bool, are_two: bool) -> list[Curves]:
    """Shows what differs between runs that were measured differently, by the latest of each."""
    latest = [group[-1].result for group in groups]
    if len(latest) < 2:
        return []
    if latest[0].get("kind") == "attach":
        curves = scaling_curves(latest, weak)
        show_curves(curves, console())
        say(console(), [] if weak else weak_sentence(latest))
        return [curves]
    if are_two:
        return []
    try:
        drawn = curves_of(latest)
    except BadInput as reason:  # several things differ; there may be histories
        if max(map(len, groups)) < 2:
            raise
        say(console(), [f"no curves: {reason}"])
        return []
    if drawn:
        show_curves(drawn, console())
    return [drawn] if drawn else []


def _say_that_it_is_alone(found: Sequence[Named], above: Optional[float]) -> None:
    """A result is the first of its kind: nothing got worse, and nothing can be shown."""
    said = f"{found[0].name}: there is no other result to hold it against"
    if above is None:
        raise BadInput(said if len(found) == 1 else "no two of the results were measured alike")
    print(plain(said))


def _show_history(group: Sequence[Named]) -> None:
    result, count = group[-1].result, len(group) - 1
    before = group[-2].name if count == 1 else f"the {count} before it"
    title(console(), f"{kind_of(result).heading(result)}: {group[-1].name} beside {before}")
    trends = trends_of([one.result for one in group])
    if not trends:
        raise BadInput(f"{group[-1].name} has no figure of those before it")
    show_trends(trends, console())


def _write(page: pathlib.Path, drawn: Sequence[Curves], groups: Sequence[Sequence[Named]]) -> None:
    """Writes the curves, and the results that they end with in full."""
    first = "".join(curves_article(curves, f"curves{i}") for i, curves in enumerate(drawn))
    last = 1 if len(groups) > 1 else _SHOWN
    write_report([one.result for group in groups for one in group[-last:]], page, first)
    print(plain(f"report: {short(page)}"))


def _judge(histories: Sequence[Sequence[Named]], above: float) -> None:
    """Ends with one line where a figure of a last result got worse."""
    worse = [
        (trend, group)
        for group in histories
        for trend in trends_of([one.result for one in group])
        if trend.got_worse(above)
    ]
    if worse:
        worst, group = max(worse, key=lambda one: one[0].worse_by)
        others = f"; {len(worse) - 1} more" if len(worse) > 1 else ""
        raise JobFailed(f"{_sentence(worst, group)}{others}", _WORSE)


def _sentence(trend: Trend, group: Sequence[Named]) -> str:
    result = group[-1].result
    spread = "" if trend.spread is None else f", spread {trend.spread:.1%}"
    return (
        f"{kind_of(result).heading(result)}: {trend.name} is worse by {trend.worse_by:.1%}:"
        f" {trend.last.text()} in {group[-1].name},"
        f" {figure_text(trend.last.unit_of, trend.usual)} before{spread}"
    )
