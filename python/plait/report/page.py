# SPDX-License-Identifier: BSD-3-Clause
"""The page: everything in one file, nothing fetched from anywhere."""

import importlib.resources
import pathlib
from collections.abc import Sequence

from plait import __version__
from plait.hiding import REUSE, beaten_bounds, with_own_ideal
from plait.loggp_table import loggp_sentences, parameters_text
from plait.policies import has_policies
from plait.prediction import is_prediction
from plait.report.benchmark import benchmark, figures_table
from plait.report.breakdown import BREAKDOWN_KINDS, breakdown, legend
from plait.report.loggp import loggp, loggp_tables
from plait.report.measured_prediction import measured_prediction
from plait.report.overlap import OVERLAP_PAGES
from plait.report.policies import policies
from plait.report.prediction import prediction
from plait.report.program import kept_of_the_trace, workers
from plait.report.progress import over_attainable, regrets
from plait.report.speedup import speedup
from plait.report.svg import element, text
from plait.report.tables import circumstances, figures, ledgers
from plait.report.timeline import timelines
from plait.report.trace_summary import trace_summaries
from plait.result import KINDS, Result, is_program, name_of, write_file
from plait.table import heading, sentences

_EVENTS = (*KINDS, "message", "receive", "critical")
_READING = """Bars are means over ranks and workers; the whisker spans the quartiles of the whole
run, which the slowest rank decides. <b>Compute</b>: running tasks, and apart from that what they
take longer than alone, <b>slower beside messages</b>: the transport takes processor time, and so
does a proxy thread (transport work included), and caches are cold. <b>Posting</b>: handing messages
to MPI. <b>Exposed communication</b>: a worker has nothing to run while a message of its rank is in
flight. <b>Bound</b> = max(computation, communication), each measured alone in this session; where
the link's rate is known, communication is the wire's time, its bytes at that rate, which is
computed. <b>Attainable</b> = max(computation + the processor time the transport itself takes,
communication): the same where every core computes.
<b>Hidden fraction</b> = (T<sub>base</sub> − T) / (T<sub>base</sub> − bound), only of variants that
compute as base does; one that reuses the cache is held against an ideal of its own."""


def write_report(results: Result | Sequence[Result], path: pathlib.Path) -> None:
    """Write the page for one result or several."""
    text = page([results] if isinstance(results, dict) else list(results))
    write_file(path, text.encode())


def page(results: Sequence[Result]) -> str:
    """The page as text."""
    files = importlib.resources.files("plait.report")
    style, script = (files.joinpath(name).read_text() for name in ("page.css", "page.js"))
    title = "plait: " + "; ".join(heading(result) for result in results)
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        element("title", text(title)), element("style", style),
    )  # fmt: skip
    sections = [_result(result, index, results) for index, result in enumerate(results)]
    contents = _contents(results) if len(results) > 1 else ""
    footer = element("footer", text(f"plait {__version__}"))
    body = element("body", element("main", contents, *sections, footer), element("script", script))
    return "<!doctype html>\n" + element("html", head, body, lang="en") + "\n"


def _contents(results: Sequence[Result]) -> str:
    items = (
        element("li", element("a", text(heading(r)), href=f"#r{i}")) for i, r in enumerate(results)
    )
    return element("nav", element("ul", *items), aria_label="Results")


def _result(result: Result, index: int, results: Sequence[Result]) -> str:
    top = _headline(result)
    if is_program(result):
        drawn = timelines(result) + kept_of_the_trace(result) + trace_summaries(result)
        parts = [
            _section("Where the time went", workers(result)),
            _section("What happened when", legend(_EVENTS) + drawn),
            _section("Ledger", ledgers({name_of(result): result["ledger"]})),
        ]
    elif is_prediction(result):
        parts = [_section("Predicted time", prediction(result))]
    elif result.get("bench") == "collective":
        parts = [_section("Measured and predicted time", measured_prediction(result))]
    elif result.get("bench") in OVERLAP_PAGES:
        title, plots = OVERLAP_PAGES[result["bench"]]
        parts = [_section(title, plots(result)), _section("Figures", figures_table(result))]
    elif result.get("bench") == "progress":
        parts = [
            _section("Regret", regrets(result)),
            _section("Time by what can be attained", over_attainable(result)),
            _section("Figures", figures_table(result)),
        ]
    elif "bench" in result:
        parts = [_section("Figures", benchmark(result))]
    elif "probe" in result:
        parts = [
            _section("The network", loggp(result)),
            _section("Figures", loggp_tables(result)),
        ]
    else:
        accounts = {name: v.get("ledger") or [] for name, v in result["variants"].items()}
        parts = [_section("Policies", policies(result))] if has_policies(result) else []
        parts += [
            _section(
                "Where the time went",
                legend(BREAKDOWN_KINDS)
                + breakdown(result)
                + element("p", _READING, class_="reading"),
            ),
            _section(
                "One iteration",
                legend(_EVENTS) + timelines(result) + trace_summaries(result),
            ),
            _section("Figures", figures(result)),
            _section("Ledger", ledgers(accounts)),
        ]
        if "prediction" in result:
            parts.insert(-2, _section("Speed-up over ranks", speedup(result, results)))
    parts.append(_section("Circumstances", circumstances(result)))
    return element("article", top, *parts, id=f"r{index}")


def _section(title: str, content: str) -> str:
    return element("section", element("h2", text(title)), content)


def _headline(result: Result) -> str:
    name, _, rest = heading(result).partition(", ")
    parts = [element("h1", text(name), element("span", text(rest)))]
    when = result["environment"].get("started_at", "")
    commit = result["environment"].get("commit", "")
    parts.append(element("p", text("   ".join(filter(None, (when, commit)))), class_="quiet"))
    if is_program(result):
        return element("header", *parts)
    if "probe" in result:
        said = (element("li", text(line)) for line in loggp_sentences(result))
        parts += [
            element("div", *_parameter_cards(result), class_="cards"),
            element("ul", *said, class_="facts"),
        ]
    elif "bench" not in result:
        parts.append(element("div", *_cards(result), class_="cards"))
        limit = result.get("limiter")
        if limit:
            parts.append(
                element("p", element("b", "What limits the rest: "), text(limit), class_="limit")
            )
        others = [line for line in sentences(result) if not line.startswith("limit: ")]
        parts.append(element("ul", *(element("li", text(line)) for line in others), class_="facts"))
    return element("header", *parts)


def _parameter_cards(result: Result) -> list[str]:
    """L, o_s and o_r of one byte."""
    return [
        element("div", element("b", text(value)), element("span", text(name)), class_="card")
        for name, value in parameters_text(result["fit"])
    ]


def _cards(result: Result) -> list[str]:
    """What each variant hides, what others gain by the cache, and whether all is verified."""
    cards = []
    beaten = beaten_bounds(result)
    for name, fraction in (result.get("hidden_fraction") or {}).items():
        if fraction is None:
            continue
        share = min(max(fraction, 0.0), 1.0)
        meter = element("div", element("i", style=f"width:{share * 100:.1f}%"), class_="meter")
        saying = f"of what can be hidden, {name} hides"
        if fraction > 1 and name in beaten:
            saying += ": no gain, the bound was measured too high here"
        saying = element("span", text(saying))
        cards.append(element("div", element("b", f"{fraction:.0%}"), saying, meter, class_="card"))
    for name, variant in with_own_ideal(result).items():
        own, ratio = variant["own_limits"], variant.get("ratio_to_base")
        saying = f"{REUSE}: {name} takes {own['ratio_to_ideal']:.3f} of its own ideal's time"
        figure = f"× {ratio:.2f}" if ratio is not None else "–"
        cards.append(
            element("div", element("b", figure), element("span", text(saying)), class_="card")
        )
    verified = all(v["verified"] for v in result["variants"].values())
    word = "every variant verified" if verified else "not every variant verified"
    sign, class_ = ("✓", "good") if verified else ("✗", "bad")
    sign = element("b", sign, class_=class_)
    cards.append(element("div", sign, element("span", word), class_="card"))
    return cards
