# SPDX-License-Identifier: BSD-3-Clause
"""The schema, the table and the comparison of results."""

import copy
import io
import json
import re

import pytest
from rich.console import Console

from conftest import one_line, plait
from drawn import parsed, shown
from plait.results import check, kind_of
from plait.results.compare import compare_results
from plait.results.figures.application import reordering_sentences
from plait.results.rows import flatten_rows
from plait.views.html import page
from plait.views.terminal.comparison import show_comparison
from plait.views.terminal.traces import show_traces
from sample import (
    bench_result,
    poisson_result,
    policies_result,
    program_result,
    result,
    spmv_result,
    spread,
    tiles_result,
)
from sample_attach import attach_result


def test_a_good_result_has_no_problems():
    assert check(result()) == []
    assert check(bench_result()) == []


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (["schema"], "plait-result/9", "schema"),
        (["environment"], None, "environment"),
        (["variants"], {}, "variants"),
        (["variants", "base", "total_s"], 3.0, "variants.base.total_s"),
        (["variants", "plait", "exposed_s"], "much", "variants.plait.exposed_s"),
        (["variants", "plait", "verified"], 1, "variants.plait.verified"),
        (["variants", "olap", "ledger", 0, "idle_s"], None, "variants.olap.ledger[0].idle_s"),
        (["bound_s"], "x", "bound_s"),
        (["timeline", "base", 0, "lane"], 4, "timeline.base[0].lane"),
        (["beats_attainable"], ["nobody"], "beats_attainable[0] is of no variant"),
        (["variants", "plait", "slower_computation"], {"total_s": 1}, "slower_computation.transpo"),
        (["variants", "plait", "own_limits"], {"ideal": "x"}, "plait.own_limits.computation_s"),
        (["trace_summary", "plait", "limit"], 4, "trace_summary.plait.limit"),
        (["trace_summary", "plait", "path"], 4, "trace_summary.plait.path"),
        (["trace_summary", "plait", "path", "idle_s"], "x", "trace_summary.plait.path.idle_s"),
    ],
)
def test_what_is_wrong_is_named(path, value, problem):
    answer = result()
    node = answer
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    assert problem in check(answer)[0]


def test_the_table_fits_80_columns_and_says_all():
    text = shown(result())
    assert max(map(len, text.splitlines())) <= 80
    for word in ("base", "olap", "plait", "ideal", "310", "0.83", "bound", "attainable", "limit:"):
        assert word in text


def test_the_table_fits_with_long_times_and_failed_verification():
    answer = result()
    answer["variants"]["plait"]["total_s"] = {"median": 123.4567, "q1": 100.1, "q3": 150.9}
    answer["variants"]["plait"]["verified"] = False
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert "NO" in text


def test_a_rate_that_variants_state_has_a_column_on_both_views():
    answer = result()
    assert "Gflop/s" not in shown(answer) + page([answer])
    for variant in answer["variants"].values():
        variant["gflops"] = 1.2345 / variant["total_s"]["median"]
        variant["total_s"] = {"median": 123.4567, "q1": 100.1, "q3": 150.9}
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    for word in ("Gflop/s", "3.98", "6.14"):
        assert word in text
        assert word in " ".join(parsed(page([answer])).text)
    answer["variants"]["plait"]["gflops"] = 0
    assert "variants.plait.gflops is not above 0" in check(answer)[0]


def node_result():
    """A session with two processes a node, where plait and service have one."""
    answer = result()
    answer["parameters"]["processes_per_node"] = 2
    variants = answer["variants"]
    variants["service"] = copy.deepcopy(variants["plait"])
    own = {"ideal": "plait_ideal", "computation_s": spread(0.2), "bound_s": 0.25,
           "attainable_s": 0.3, "ratio_to_ideal": 1.25}  # fmt: skip
    for name, variant in variants.items():
        leads = name in ("plait", "service")
        variant |= {"processes": 2 if leads else 4, "workers": 1, "gflops": 12.345}
        if leads:
            variant["own_limits"] = own
            answer["hidden_fraction"][name] = None
    variants["plait"]["workers"] = 2
    variants["base"]["total_s"] = spread(0.5)
    variants["plait"]["total_s"] = spread(0.25)
    variants["service"]["total_s"] = spread(0.4)
    step = dict.fromkeys(
        ("computation_s", "one_less_s", "exchange_s", "network_s", "transport_s", "taken_s"), 0.1
    )
    nodes = [
        {"cores": cores, "blocking_s": 0.02, "workers_s": 0.012345, "service_s": 0.015,
         "pays": cores == 64, "pays_beside_blocking": cores > 2}
        for cores in (2, 8, 64)
    ]  # fmt: skip
    answer["service_core"] = {"step": step, "nodes": nodes}
    return answer


def test_a_processor_given_to_services_is_held_against_both_of_its_rivals():
    answer = node_result()
    assert check(answer) == []
    shown_text = shown(answer)
    assert max(map(len, shown_text.splitlines())) <= 80
    text = " ".join(shown_text.split())
    assert "plait 2 workers, service 1 worker and a service thread" in text
    assert "a net gain beside base: 0.800 of its time, and 1.600 of plait's" in text
    assert "2 cores: 20.00 ms, 12.35 ms, 15.00 ms: not worth a worker, no gain beside" in text
    assert "64 cores: 20.00 ms, 12.35 ms, 15.00 ms: worth a worker, gain beside base" in text
    assert "bound and attainable of their own: plait 250.0 ms, 300.0 ms; service" in text
    for never in ("cache reuse", "of one thread a process"):
        assert never not in text
        assert never not in page([answer])
    assert "0.800 of its time" in page([answer])
    assert "share 2 cores" not in text
    answer["environment"]["lab"]["cores"] = [[0, 1], [0, 1]]
    said = "4 processors of the nodes share 2 cores of this machine"
    assert said in " ".join(shown(answer).split())
    answer["variants"]["service"]["total_s"] = spread(0.6)
    assert "no gain beside base: 1.200" in " ".join(shown(answer).split())


def test_a_node_of_which_the_model_says_too_little_is_refused():
    answer = node_result()
    del answer["service_core"]["nodes"][1]["service_s"]
    assert "service_core.nodes[1].service_s" in check(answer)[0]


def test_the_table_fits_with_rates_beside_ideals_of_their_own():
    answer = tiles_result()
    for variant in answer["variants"].values():
        variant["gflops"] = 12.345
        variant["total_s"] = {"median": 123.4567, "q1": 100.1, "q3": 150.9}
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    row = next(line for line in text.splitlines() if line.startswith("tiles "))
    assert row.split()[-2:] == ["12.35", "yes"]


def test_policies_state_their_rate_beside_the_paper_s_columns():
    answer = policies_result()
    for variant in answer["variants"].values():
        variant["gflops"] = 3.21
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    row = next(line for line in text.splitlines() if line.startswith("MT(7)+OLAP+XTRA+IRR(44:50)"))
    assert row.split()[-2:] == ["3.21", "yes"]


def test_the_communication_overhead_of_each_variant_is_told_beside_that_of_blocking():
    answer = result()
    assert "communication overhead" not in shown(answer)
    answer["variants"]["blocking"] = answer["variants"].pop("base")
    answer["timeline"] = {}
    for name, overhead in (("blocking", 2.0), ("olap", 0.5), ("plait", 0.25)):
        answer["variants"][name]["communication_overhead_s"] = overhead
    text = " ".join(shown(answer).split())
    said = "(of blocking's): olap 500 ms (0.25), plait 250 ms (0.12), blocking 2.00 s"
    assert f"communication overhead {said}" in text


def test_policies_have_the_columns_of_the_paper():
    answer = policies_result()
    assert check(answer) == []
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[1].split() == [
        *["ms", "per", "iteration", "Total", "Wait", "Comp", "/", "HAND", "hidden", "verified"]
    ]
    row = next(line for line in text.splitlines() if line.startswith("MT(7)+OLAP+XTRA+IRR(44:50)"))
    assert row.split()[1:] == ["5.025", "0.575", "4.400", "0.648", "0.83", "yes"]
    assert "medians of 5 runs, each the maximum over nodes" in text
    assert "of one thread a node" not in text


def test_the_bound_of_one_thread_is_said_to_be_that_where_a_policy_has_more():
    answer = policies_result()
    answer["variants"]["MT(7)+OLAP+XTRA+IRR(44:50)"]["workers"] = 7
    assert "is that of one thread a node: nothing is said of" in " ".join(shown(answer).split())
    assert "is that of one thread a node: nothing is said of" in page([answer])
    answer["parameters"]["processes_per_node"] = 4
    text = " ".join(shown(answer).split())
    assert (
        "HAND, IDEAL and MT(1) without XTRA and DYN run 4 processes a node, the others one" in text
    )
    assert "of one thread a node" not in text


def test_policies_are_quoted_as_means_without_outliers_where_asked_for():
    answer = policies_result()
    answer["parameters"]["outliers"] = "kelp"
    text = shown(answer)
    row = next(line for line in text.splitlines() if line.startswith("HAND"))
    assert row.split() == ["HAND", "8.525", "1.000", "4.000", "1.000", "yes"]
    assert "means of 5 runs without 4 outliers, each the maximum over nodes" in text


def test_a_benchmark_is_compared_with_plait():
    text = shown(bench_result())
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"openmp\s+390 ns\s.*2\.17", text)


def test_a_benchmark_of_many_cases_shows_medians_side_by_side():
    answer = bench_result()
    for row in answer["rows"].values():
        for size in range(20):
            row[f"{4**size}KiB work 0.8"] = {"total_us": spread(4.0**size)}
    answer["rows"]["bound"] = {"1KiB work 0.8": {"total_us": spread(0.5)}}
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"total_us\s+1KiB work 0.8\s+4KiB work 0.8", text)
    assert re.search(r"bound\s+500 ns\b", text)
    assert f"{4**19}KiB work 0.8" in text
    assert re.search(r"openmp\s+390 ns\s+590 ns", text)


def test_rows_are_flattened_down_to_their_figures():
    paths = [path for path, _ in flatten_rows(bench_result()["rows"])]
    assert ("plait", "workers_1", "ns_per_task") in paths
    assert len(paths) == 6


def test_the_critical_path_of_each_variant_is_told():
    text = io.StringIO()
    show_traces(result(), Console(file=text, width=80))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert (
        "base: critical path 303 ms: compute 58%, messages 33%, waiting 8%, runtime 1%" in lines[0]
    )
    said = " ".join(text.getvalue().split())
    assert "of 201.0 ms, perfect overlap would leave 178.0 ms" in said
    assert "ideal: critical path 178 ms" in said
    assert "perfect overlap would gain nothing: it takes 178.0 ms, the run 178.0 ms" in said


def test_a_program_s_ledger_fits_a_terminal_and_waiting_is_told():
    text = shown(program_result())
    assert max(map(len, text.splitlines())) <= 80
    assert "a worker waits 3.0% for messages and computes 87.6%" in text
    many = program_result()
    many["ledger"] = [{**many["ledger"][0], "rank": rank} for rank in range(64)]
    assert "of 64" in shown(many)
    assert len(shown(many).splitlines()) < 12


def test_a_single_run_is_compared_without_a_verdict():
    lines = compare_results(program_result(), program_result())
    assert {line.name for line in lines} >= {"wall", "exposed, mean"}
    assert {line.verdict for line in lines} == {"one run"}


def compared(before, after, width=80):
    text = io.StringIO()
    show_comparison(compare_results(before, after), Console(file=text, width=width))
    return text.getvalue()


def test_what_was_measured_once_has_no_spread_and_nothing_no_ratio():
    answer = attach_result()
    answer["totals"]["late_receiver_s"] = 0
    text = compared(answer, answer)
    assert re.search(r"late receivers, mean +0 s +0 s +– +– +one run", text)
    assert "0.0%" not in text + compared(program_result(), program_result())
    once = result()
    once["variants"]["base"]["total_s"] = {"median": 1.0, "q1": 1.0, "q3": 1.0, "samples": [1.0]}
    lines = {line.name: line for line in compare_results(once, result())}
    assert lines["base"].verdict == "one run"


def test_attached_runs_are_compared_by_site():
    after = attach_result()
    after["sites"][0]["exposed_s"] = 0.03
    text = compared(attach_result(), after)
    assert re.search(r"Waitall at halo.f90:118 +825 ms +7.5\d* ms +0.009 +– +one run", text)
    assert "Isend at" not in text  # 5 ms of 10 s in both


def test_a_comparison_keeps_its_names_on_a_narrow_terminal():
    text = compared(attach_result(), attach_result(), width=40)
    assert max(map(len, text.splitlines())) <= 40
    for line in compare_results(attach_result(), attach_result()):
        assert line.name in " ".join(text.split())


def test_traffic_that_contradicts_itself_is_refused():
    answer = spmv_result()
    assert check(answer) == []
    answer["traffic"]["bytes"][0].pop()
    answer["traffic"]["dealing"] = "scotch"
    assert check(answer) == [
        "traffic.dealing is none of traffic.dealings", "traffic.bytes is no square"
    ]  # fmt: skip


def test_what_another_way_of_dealing_rows_would_save_is_said():
    answer = spmv_result()
    assert reordering_sentences(answer) == [
        "a product sends 6 KiB with rows dealt even; dealt metis it would send 1 KiB, 17% of that"
    ]
    answer["traffic"]["dealing"] = "metis"
    assert reordering_sentences(answer) == [
        "a product sends 1 KiB with rows dealt metis, 17% of what even would send"
    ]
    del answer["traffic"]["dealings"]["even"]
    assert reordering_sentences(answer) == []
    assert reordering_sentences(result()) == []


def test_a_prediction_stands_beside_what_was_measured():
    said = [
        line
        for line in kind_of(poisson_result()).sentences(poisson_result())
        if line.startswith("the model: ")
    ]
    assert said == [
        "the model: an iteration of base 5.00 ms (measured 7.75 ms), overlapped 0.800 of it"
        " (olap 0.761, plait 0.648), pipelined 1.200 of it"
    ]


def test_a_prediction_without_its_figures_is_refused():
    answer = poisson_result()
    assert check(answer) == []
    del answer["prediction"]["over_ranks"][1]["overlapped_s"]
    assert check(answer) == ["prediction.over_ranks[1].overlapped_s is missing"]
    answer["prediction"]["over_ranks"] = []
    assert check(answer) == ["prediction.over_ranks is empty"]


def test_a_verdict_needs_quartiles_that_are_apart():
    before, after = result(), copy.deepcopy(result())
    for name, factor in (("plait", 0.5), ("olap", 1.005)):
        total = after["variants"][name]["total_s"]
        after["variants"][name]["total_s"] = {
            k: v * factor for k, v in total.items() if k != "samples"
        }
    verdicts = {line.name: line.verdict for line in compare_results(before, after)}
    assert verdicts["plait"] == "less"
    assert verdicts["olap"] == verdicts["base"] == "cannot tell"


def test_report_and_compare_read_files(tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text(json.dumps(result()))
    second.write_text(json.dumps(bench_result()))
    assert plait("report", first, second, "-o", tmp_path / "p.html").returncode == 0
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")
    assert "different programs" in one_line(plait("compare", first, second))
    assert "cannot tell" in plait("compare", first, first).stdout


def test_a_file_that_is_no_result_is_refused(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert "not JSON" in one_line(plait("report", bad))
    bad.write_text('{"schema": "plait-result/1"}')
    assert "nor a program is named" in one_line(plait("report", bad))
    assert "No such file" in one_line(plait("report", tmp_path / "none.json"))
