# SPDX-License-Identifier: BSD-3-Clause
"""Results of `plait attach` in the terminal and on the page."""

import json
import pathlib
import re

import pytest

from plait.results.attach import Attach
from plait.results.figures.attach import (
    advice,
    owner,
    place_text,
    rewrites,
    summary_sentence,
    wrapper_text,
)
from plait.results.figures.attach_timeline import with_timeline
from plait.views.html import page
from sample_attach import ADVICE, REWRITE, attach_result, hybrid_result, large_result
from test_kinds import printed, show_result


def test_the_terminal_shows_at_most_30_lines_of_80_columns_beside_regions():
    result = attach_result()
    result["sites"] = result["sites"] * 20
    for index, site in enumerate(result["sites"]):
        site["advice"] = f"{index} {ADVICE}"
        result["sites"][index] = dict(site)
    result["warnings"] = [ADVICE * 3] * 9
    lines = printed(lambda console: show_result(result, console), width=200).splitlines()
    assert 20 < len(lines) <= 30 + len(result["regions"])
    assert max(map(len, lines)) <= 80
    assert lines[0] == "wave, 4 ranks, 2 hosts, Open MPI 4.1.4"
    assert "halo.f90:118" in "\n".join(lines)


def test_headers_are_whole_at_80_columns():
    lines = printed(lambda console: show_result(attach_result(), console), width=80).splitlines()
    (header,) = [line for line in lines if line.startswith("call site")]
    assert re.split(r"  +", header) == ["call site", "call", "count", "a rank waits",
                                        "most of it for"]  # fmt: skip


def test_regions_are_a_tree_in_every_view():
    lines = printed(lambda console: show_result(attach_result(), console), width=80).splitlines()
    named = [line for line in lines if re.match(r" *(step|halo|inner|output) ", line)]
    assert [re.split(r"  +", line.strip())[:3] for line in named] == [
        ["step", "4,000", "7.50 s (75 %)"], ["halo", "4,000", "1.25 s (12 %)"],
        ["inner", "4,000", "5.00 s (50 %)"], ["output", "4,000", "500 ms (5.0 %)"],
    ]  # fmt: skip
    assert [len(line) - len(line.lstrip()) for line in named] == [0, 2, 2, 0]
    assert "\u2003halo" in page([attach_result()])


def test_threads_are_shares_and_efficiencies_in_every_view():
    result = hybrid_result()
    assert list(Attach.shape(result, "it")) == []
    shown = printed(lambda console: show_result(result, console), width=80)
    said = " ".join(shown.split())
    assert "OpenMP, 8 threads in 4 ranks: 50.0 % computing, 25.0 % in MPI" in said
    assert re.search(r"all threads +0\.500", shown)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) <= 30 + len(result["regions"])
    drawn = page([result])
    for words in ("OpenMP threads", "for slower threads of the team", "0.842", "mean v / T"):
        assert words in drawn
    assert "OpenMP threads" not in page([attach_result()])
    figures = {one.name: one.spread["median"] for one in Attach().figures(result)}
    assert figures["threads, OpenMP: serial parts"] == 0.842
    result["cores"] = {"says": "Cores are shared.", "spoils_waits": True}
    assert "all threads" not in printed(lambda console: show_result(result, console), width=80)


def test_a_region_is_inside_one_before_it():
    result = attach_result()
    assert list(Attach.shape(result, "it")) == []
    result["regions"][1]["around"] = 1
    assert list(Attach.shape(result, "it")) == [
        "it.regions[1].around is none of the regions before it"
    ]


def test_no_time_is_longer_than_the_run():
    result = attach_result()
    result["sites"][0]["exposed_s"] = 35.0  # of four ranks that run for 10 s each
    result["progress"] |= {"look_s": 30.0, "hidden_s": 33.0}
    text = printed(lambda console: show_result(result, console), width=80)
    factors = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
    named = [float(n) * factors[u] for n, u in re.findall(r"([0-9.]+) (s|ms|µs)\b", text)]
    assert "8.75 s (88 %)" in text
    assert max(named) <= result["wall_s"]


def test_ranks_that_share_cores_are_told_so_first_and_nothing_of_messages():
    says = "4 ranks share 2 cores of n0. Waits are for cores then."
    cores = {"says": says, "spoils_waits": True, "queued_s": 12.0}
    result = {**attach_result(), "cores": cores}
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert lines[1] == says
    shown = page([result])
    for text in ("\n".join(lines), shown):
        assert "load balance" not in text
        assert "by perfect overlap" not in text
        assert "most of it for" not in text
    assert says in shown


def test_a_place_is_a_line_where_there_is_one():
    sites = attach_result()["sites"]
    assert place_text(sites[0]) == "halo.f90:118"
    assert place_text(sites[1]) == "halo_mp_exchange_+0x830"
    assert summary_sentence(attach_result()).startswith("wall time 10.0 s: 84 % computes, 16 % is")
    assert advice(attach_result()) == [ADVICE]


def test_lines_to_write_instead_are_shown_with_what_they_save():
    result = attach_result()
    result["sites"].append({**result["sites"][0], "gain_s": 0.1, "line": 300})
    title = "Waitall at halo.f90:118, saves 500 ms (5.0 %) ± 125 ms"
    assert rewrites(result) == [(title, REWRITE)]
    shown = printed(lambda console: show_result(result, console), width=80).splitlines()
    begin = shown.index(f"{title}:")
    assert shown[begin + 1 : begin + 5] == [f"    {line}" for line in REWRITE]
    assert "<pre>call start_messages(r)" in page([result])
    result["cores"] = {"says": "Ranks share cores.", "spoils_waits": True}
    assert rewrites(result) == []


def test_a_call_in_a_wrapper_is_shown_where_the_program_calls_the_wrapper():
    result = attach_result()
    between = {"function": "wave::halo::begin(int)", "file": None, "offset": 32}
    result["sites"][0]["callers"] = [between, {"file": "/src/wave/step.cpp", "line": 40}]
    site = result["sites"][0]
    assert place_text(owner(site)) == "step.cpp:40"
    assert wrapper_text(site) == "← wave::halo::begin(int)+0x20 ← halo.f90:118"
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert max(map(len, lines)) <= 80
    row = next(i for i, line in enumerate(lines) if line.strip().startswith("step.cpp:40"))
    shown = lines[row + 1].strip()
    assert shown.startswith("…")
    assert shown.endswith("← halo.f90:118")
    assert wrapper_text(site).endswith(shown[1:])
    assert f"step.cpp:40 {wrapper_text(site)}" in page([result])


def test_of_a_long_name_the_end_is_shown():
    result = attach_result()
    name = "pressure_solver::multigrid<double, 3>::smoother::exchange_ghosts"
    result["sites"][0] |= {"file": None, "function": name, "symbol": "_ZN15pressure_solver"}
    text = printed(lambda console: show_result(result, console), width=80)
    assert "…" + f"{name}+0x760"[-22:] in text
    assert "_ZN15" not in text


def test_the_page_has_tables_to_sort_and_a_matrix():
    text = page([attach_result()])
    assert text.count('class="sortable"') == 4
    assert 'data-key="3.3"' in text
    assert "rank 1 sends 1.397 GiB to rank 2" in text
    assert "to 64 KiB" in text


def test_many_ranks_are_a_picture_and_the_extremes():
    result = attach_result()
    result["ranks"] = 100
    result["matrix"] = {name: [[float(a == b + 1) for b in range(100)] for a in range(100)]
                        for name in ("bytes", "messages")}  # fmt: skip
    result["ranks_detail"] = [{**result["ranks_detail"][0], "rank": rank, "mpi_s": 1 + rank / 100}
                              for rank in range(100)]  # fmt: skip
    text = page([result])
    assert text.count("data:image/png;base64,") == 2
    assert "32 of 100 ranks" in text


def test_thousands_of_ranks_are_classes_and_outliers():
    result = large_result()
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert len(lines) <= 30 + len(result["regions"])
    said = " ".join(line.strip() for line in lines)
    assert "9,602 ranks (0-98, 101-198, 201-298, ...): computing 8.60 s, waiting 1.26 s" in said
    assert "rank 4321, unlike nearly all others: computing 7.40 s" in said
    shown = page([result])
    assert "Ranks that are alike" in shown
    assert "9,602 ranks" in shown
    assert "8.60 s (7.74 s – 9.46 s)" in shown
    assert "ranks 157 to 313 send 4 KiB to ranks 314 to 470" in shown
    assert "A row is 157 ranks" in shown
    assert "Ranks unlike nearly all others" in shown


def test_the_middle_of_a_trace_becomes_a_timeline(tmp_path):
    trace = tmp_path / "trace.json"
    shown = [("computation", "compute", 0, 0, 10, 2), ("Wait at f (a.c:9)", "exposed", 1, 2, 12, 5),
             ("from 1", "message", 0, 1, 0, 25)]  # fmt: skip
    events = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "messages"}}]
    events += [{"ph": "X", "name": name, "cat": kind, "pid": rank, "tid": lane, "ts": start,
                "dur": length} for name, kind, rank, lane, start, length in shown]  # fmt: skip
    trace.write_text(json.dumps({"traceEvents": [*events, {"ph": "s", "pid": 0}]}))
    found = with_timeline(attach_result(), trace)["timeline"]["wave"]
    assert [(e["rank"], e["lane"], e["kind"], e["start_us"], e["end_us"]) for e in found] == [
        (0, "messages", "message", 0, 25), (0, "program", "compute", 10, 12),
        (1, "program", "exposed", 12, 17),
    ]  # fmt: skip
    assert "<svg" in page([with_timeline(attach_result(), trace)])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"traceEvents": 3}', '{"traceEvents": [3]}'])
def test_a_trace_that_is_none_makes_no_timeline(content, tmp_path):
    trace = pathlib.Path(tmp_path, "trace.json")
    trace.write_text(content)
    assert "timeline" not in with_timeline(attach_result(), trace)
