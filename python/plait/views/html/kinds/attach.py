# SPDX-License-Identifier: BSD-3-Clause
"""The article of an unmodified MPI program."""

from __future__ import annotations

from plait.results.base import Result
from plait.results.figures.attach import (
    PARTS,
    POP,
    SYMBOLS,
    accounted_s,
    advice,
    cores_sentence,
    function_text,
    hidden_rows,
    mean_s,
    owner,
    place_text,
    pop_rows,
    progress_sentence,
    rank_s,
    rewrites,
    share_text,
    sites_by_exposed,
    summary_sentence,
    tells_of_messages,
    whose,
    wrapper_text,
)
from plait.results.figures.regions import depth_of, efficiency_of, regions_of
from plait.results.figures.threads import (
    MEANINGS,
    THREAD_PARTS,
    efficiency_rows,
    thread_times,
    threads_sentence,
)
from plait.units import seconds_text, size_text
from plait.views.html.article import article, card, cards, facts
from plait.views.html.drawn.attach_pictures import matrices, rank_bars, size_bars
from plait.views.html.drawn.svg import element, table, text
from plait.views.html.embedded import timelines
from plait.views.html.sortable import Cell, figure, sortable_table, words


def attach(heading: str, result: Result) -> str:
    """Draws where the time went, the sites, who waits for whom, what is sent, and the timeline."""
    said = [*progress_sentence(result), *advice(result), *(result.get("warnings") or [])]
    sections = [
        ("Where the time went", rank_bars(result)),
        ("What to change", _changes(result, said)),
        *([("Efficiency, as POP defines it", _pop(result))] if tells_of_messages(result) else []),
        *([("OpenMP threads", _threads(result))] if thread_times(result) else []),
        *([("Regions", _regions(result))] if regions_of(result) else []),
        ("Call sites", _sites(result)),
        ("Who waits for whom", _pairs(result)),
        ("Who sends how much to whom", matrices(result)),
        ("Message sizes", size_bars(result)),
    ]
    if result.get("timeline"):
        sections.append(("What happened when", timelines(result)))
    if result.get("rank_classes"):
        sections.append(("Ranks that are alike", _classes(result)))
    if result.get("ranks_detail"):
        sections.append((_RANKS[bool(result.get("rank_classes"))], _ranks(result)))
    return article(heading, _with_circumstances(result), sections, _head(result))


def _with_circumstances(result: Result) -> Result:
    """Returns the result with the parameters and environment that every other kind has."""
    about = {name: result.get(name) for name in ("mpi", "ranks", "hosts", "switches")}
    return {**result, "parameters": result.get("parameters") or {},
            "environment": {**about, **(result.get("environment") or {})}}  # fmt: skip


def _head(result: Result) -> str:
    figures = [(name, shown, says) for name, shown, says in hidden_rows(result)]
    shown = [
        card(element("b", text(value.partition(" (")[0])), element("span", text(f"{name}: {says}")))
        for name, value, says in figures
    ]
    sentences = [*cores_sentence(result), summary_sentence(result)]
    said = "".join(element("p", text(sentence), class_="limit") for sentence in sentences)
    title = element("h3", "What could be hidden, of a rank: three figures, never to be added up")
    return said + (title + cards(*shown) if shown else "")


def _changes(result: Result, said: list[str]) -> str:
    """Returns what can be done, and lines to write instead, in names that stand for others."""
    if not said:
        return _nothing("Nothing stands out.")
    written = [element("p", text(title), class_="reading") + element("pre", text("\n".join(code)))
               for title, code in rewrites(result)]  # fmt: skip
    return facts(said) + "".join(written)


def _nothing(sentence: str) -> str:
    return element("p", text(sentence), class_="quiet")


def _pop(result: Result) -> str:
    rows = [[text(name), text(value), text(formula)] for name, value, formula in pop_rows(result)]
    if not rows:
        return _nothing("The run ended before these could be known.")
    return table(["metric", "value", "formula"], rows) + element(
        "p", text(SYMBOLS), class_="reading"
    )


def _threads(result: Result) -> str:
    """Returns what threads do, rank by rank, and the efficiencies of all."""
    header = ["rank", "threads", "teams", *(name for name, _ in THREAD_PARTS.values())]
    rows = [
        [figure(str(row["rank"]), row["rank"]),
         *(figure(f"{row['openmp'][key]:,}", row["openmp"][key]) for key in ("threads", "teams")),
         *(_seconds(value / row["openmp"]["threads"]) for value in thread_times(row).values())]
        for row in result.get("ranks_detail") or [] if thread_times(row)
    ]  # fmt: skip
    said = "".join(element("p", text(one)) for one in threads_sentence(result))
    if tells_of_messages(result):
        cells = [[text(word) for word in row] for row in efficiency_rows(result)]
        said += table(["efficiency", "value", "formula"], cells)
        said += element("p", text(MEANINGS), class_="reading")
    if not rows:
        return said
    note = "Times are of a thread of the rank, on average."
    return said + sortable_table(header, rows, 0) + element("p", text(note), class_="reading")


def _seconds(value: float | None) -> Cell:
    return figure("" if value is None else seconds_text(value), value)


def _regions(result: Result) -> str:
    causes = {key: name for key, (name, _) in PARTS.items() if key != "other_wait_s"}
    metrics = ("parallel_efficiency", "load_balance", "communication_efficiency")
    if not tells_of_messages(result):
        causes, metrics = {}, ()
    header = ["region", "count", "ranks", "time", "of run", "alone", "computes", "in MPI", "waits",
              *causes.values(), "by progress", "by moving", "bytes",
              *(POP[key][0] for key in metrics)]  # fmt: skip

    def mean(value: float | None) -> Cell:
        return _seconds(None if value is None else rank_s(result, value))

    def metric(value: float | None) -> Cell:
        return figure("" if value is None else f"{value:.3f}", value)

    rows = [
        [(text("\u2003" * depth_of(result, region) + region["name"]), region["path"]),
         figure(f"{region['count']:,}", region["count"]),
         figure(str(region.get("ranks") or ""), region.get("ranks")),
         mean(region["time_s"]),
         figure(share_text(region["time_s"], accounted_s(result)), region["time_s"]),
         mean(region["own_s"]), mean(region.get("compute_s")), mean(region["mpi_s"]),
         mean(region.get("waiting_s")),
         *(mean(region.get(key)) for key in causes),
         mean(region.get("could_hide_by_progress_s")), mean(region.get("could_hide_by_moving_s")),
         figure(size_text(region.get("bytes") or 0), region.get("bytes") or 0),
         *(metric(efficiency_of(region, key)) for key in metrics)]
        for region in regions_of(result)
    ]  # fmt: skip
    note = (
        f"Times are of {whose(result)} on average, those of the regions inside included, but for"
        " alone. Efficiencies are of the ranks in the region, as if nothing else had been run."
    )
    return sortable_table(header, rows, 1) + element("p", text(note), class_="reading")


def _sites(result: Result) -> str:
    header = ["call site", "function", "call", "count", "bytes", "time", "waits", "of run",
              *(name for key, (name, _) in PARTS.items() if key != "collective_wait_s"),
              "could hide"]  # fmt: skip
    causes = [key for key in PARTS if key != "collective_wait_s"]
    if not tells_of_messages(result):
        header, causes = header[: header.index("of run") + 1], []

    def mean(value: float | None) -> Cell:
        return _seconds(None if value is None else rank_s(result, value))

    rows = [
        [
            words(" ".join(filter(None, [place_text(owner(site)), wrapper_text(site)]))),
            words(function_text(owner(site))), words(site["call"]),
            figure(f"{site['count']:,}", site["count"]),
            figure(size_text(site.get("bytes") or 0), site.get("bytes") or 0),
            mean(site["time_s"]), mean(site["exposed_s"]),
            figure(share_text(site["exposed_s"], accounted_s(result)), site["exposed_s"]),
            *(mean(site.get(key)) for key in causes),
            *([mean(site.get("could_hide_s"))] if causes else []),
        ]
        for site in sites_by_exposed(result)
    ]  # fmt: skip
    if not rows:
        return _nothing("No call was seen.")
    note = f"Times are of {whose(result)} on average, counts and bytes of all ranks."
    return sortable_table(header, rows, 3) + element("p", text(note), class_="reading")


def _pairs(result: Result) -> str:
    rows = [
        [figure(str(pair["to"]), pair["to"]),
         figure(str(pair["from"]), pair["from"]),
         _seconds(pair["late_sender_s"]), _seconds(pair.get("late_receiver_s")),
         figure(f"{pair.get('messages', 0):,}", pair.get("messages"))]
        for pair in sorted(result.get("late_pairs") or [], key=lambda one: -one["late_sender_s"])
    ]  # fmt: skip
    if not rows:
        return _nothing("No rank waited for a message of another.")
    header = ["receiving rank", "sending rank", "late sender", "late receiver", "messages"]
    return sortable_table(header, rows, 0)


_RANKS = ("Ranks", "Ranks unlike nearly all others")
_TIMES = [("wall_s", "wall"), ("compute_s", "computes"), ("mpi_s", "in MPI"),
          ("waiting_s", "waits"), *((key, name) for key, (name, _) in PARTS.items()),
          ("stolen_s", "stolen")]  # fmt: skip


def _classes(result: Result) -> str:
    def spread(row: Result, key: str) -> Cell:
        if (median := row.get(key)) is None:
            return figure("", None)
        bounds = [row.get(f"{key}_{end}", median) for end in ("min", "max")]
        shown = seconds_text(median)
        if bounds[0] < bounds[1]:
            shown += f" ({seconds_text(bounds[0])} – {seconds_text(bounds[1])})"
        return figure(shown, median)

    rows = [
        [words(row["ranks"] + (" (all others)" if row.get("is_rest") else "")),
         figure(f"{row['count']:,}", row["count"]),
         figure(f"{row.get('sends_to', 0):,.0f}", row.get("sends_to")),
         figure(size_text(row.get("sent_bytes") or 0), row.get("sent_bytes")),
         *(spread(row, key) for key, _ in _TIMES)]
        for row in result["rank_classes"]
    ]  # fmt: skip
    header = ["ranks", "number", "send to", "sent", *(name for _, name in _TIMES)]
    return sortable_table(header, rows, 1) + element("p", text(_ALIKE), class_="reading")


_ALIKE = """Ranks are alike that send to about as many others, compute for the same share of the
run, and wait mostly for the same. Of each figure the median stands first, the least and the
largest beside it."""


def _ranks(result: Result) -> str:
    known = [(k, name) for k, name in _TIMES if any(k in row for row in result["ranks_detail"])]
    counted = [row.get("instructions_per_cycle") for row in result["ranks_detail"]]
    more = [("instructions a cycle", counted)] if any(counted) else []
    rows = [
        [figure(str(row["rank"]), row["rank"]), words(row.get("host") or ""),
         *(_seconds(row.get(key)) for key, _ in known),
         *(figure("" if of[at] is None else f"{of[at]:.2f}", of[at]) for _, of in more)]
        for at, row in enumerate(result["ranks_detail"])
    ]  # fmt: skip
    note = (
        "" if mean_s(result, "stolen_s") is None else element("p", text(_STOLEN), class_="reading")
    )
    heads = ["rank", "host", *(name for _, name in known), *(name for name, _ in more)]
    return sortable_table(heads, rows, 2) + note


_STOLEN = """Stolen: the time outside MPI in which the rank's processor was not its own, such as the
transport's processor time and other programs."""
