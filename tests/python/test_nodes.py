# SPDX-License-Identifier: BSD-3-Clause
"""`--per-node` of HPL, SUMMA and FT: three settings of the same processors as jobs in turns."""

import json

import pytest

from conftest import FAKE, one_line, plait
from drawn import shown
from plait.errors import BadInput
from plait.results import check
from plait.run.nodes import _turns, is_of_nodes, joined, wanted_of
from plait.run.runner import Request
from sample import result
from sample_spreads import exactly


def request(*options, program="hpl", ranks=8):
    return Request("apps", program, "openmpi", ranks, None, options)


def wanted(*options, **more):
    return wanted_of(request("--per-node", "4", *options, **more))


def job(times, processes, workers):
    """A result of one job, by the application's names of its variants."""
    answer = result()
    answer["environment"]["ranks"] = processes
    answer["variants"] = {
        name: answer["variants"][name]
        | {"total_s": exactly(total), "processes": processes, "workers": workers,
           "gflops": 6.0 / total, "computes_as_base": workers == 1}
        for name, total in times.items()
    }  # fmt: skip
    answer["timeline"] = {name: answer["timeline"][name] for name in times}
    answer["parameters"]["repeat"] = 1
    return answer


def three_rounds(of):
    """What the three settings found in three rounds."""
    base, plain, service = (setting.what for setting in of.settings)
    return {
        base: [job({"base": 0.4 + d, "olap": 0.3, "ideal": 0.2}, 8, 1) for d in (0.2, 0.0, 0.1)],
        plain: [job({"plait": t}, 2, 4) for t in (0.27, 0.25, 0.26)],
        service: [job({"plait": t}, 2, 3) for t in (0.28, 0.30, 0.29)],
    }


def test_three_settings_have_the_same_processors():
    settings = wanted("--n", "500", "--repeat=3", "--grid", "2x4", "--node-grid=1x2").settings
    assert [setting.ranks for setting in settings] == [8, 2, 2]
    assert [list(setting.rows) for setting in settings] == [
        ["base", "olap", "ideal"], ["plait"], ["service"]
    ]  # fmt: skip
    processes, workers, service = ([*setting.words] for setting in settings)
    assert processes == ["--n", "500", "--grid", "2x4", "--variants", "base,olap,ideal"]
    node = ["--n", "500", "--grid", "1x2", "--variants", "plait"]
    assert workers == [*node, "--workers", "4"]
    assert service == [*node, "--workers", "3", "--policy", "dedicated"]


def test_a_policy_is_that_of_the_row_without_a_service_thread():
    _, workers, service = wanted("--policy", "sleeping").settings
    assert workers.words[-2:] == ["--policy", "sleeping"]
    assert service.words[-2:] == ["--policy", "dedicated"]


def test_jobs_take_turns_and_another_one_begins_each_round():
    order = [
        setting.ranks * 10 + len(setting.words) for setting, _ in _turns(wanted("--repeat", "3"))
    ]
    first, second, third = order[:3]
    assert order == [first, second, third, second, third, first, third, first, second]


def test_a_node_of_one_processor_has_no_service_row():
    one = wanted_of(request("--per-node", "1"))
    assert one.names == ["base", "olap", "plait", "ideal"]
    with pytest.raises(BadInput, match="no worker to give up"):
        wanted_of(request("--per-node", "1", "--variants", "base,service"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--per-node", "3"], "--per-node 3 does not divide 8 ranks"),
        (["--per-node", "none"], "--per-node none: give a whole number"),
        (["--per-node", "4", "--repeat", "0"], "--repeat 0: give a whole number, at least 1"),
        (["--per-node", "4", "--workers", "2"], "--workers: --per-node says"),
        (["--per-node", "4", "--variants", "ideal"], "names nothing to compare"),
    ],
)
def test_settings_that_make_no_sense_are_one_sentence(options, said):
    with pytest.raises(BadInput, match=said):
        wanted_of(request(*options))


def test_other_applications_do_it_themselves():
    assert is_of_nodes(request("--per-node", "2"))
    assert is_of_nodes(request("--per-node=2", program="build/apps/summa"))
    assert not is_of_nodes(request("--n", "2"))
    assert not is_of_nodes(request("--per-node", "2", program="jacobi3d"))


def test_one_result_has_the_times_of_all_rounds():
    of = wanted("--repeat", "3")
    whole = joined(of, three_rounds(of), None)
    assert check(whole) == []
    assert list(whole["variants"]) == ["base", "olap", "plait", "service", "ideal"]
    base, service = whole["variants"]["base"], whole["variants"]["service"]
    assert base["total_s"]["samples"] == [0.4 + 0.2, 0.4, 0.4 + 0.1]
    assert base["total_s"]["median"] == pytest.approx(0.5)
    assert base["gflops"] == pytest.approx(12.0)
    assert (service["total_s"]["q1"], service["total_s"]["q3"]) == pytest.approx((0.285, 0.295))
    assert service["ratio_to_base"] == pytest.approx(0.58)
    assert service["setting"] == "one process a node, 3 workers and a service thread"
    assert whole["parameters"] | {"repeat": 3, "processes_per_node": 4} == whole["parameters"]
    assert whole["environment"]["ranks"] == 8
    # Of wire 0.14 s and computation 0.178 s; only olap has base's processes.
    assert whole["bound_s"] == pytest.approx(0.178)
    assert whole["hidden_fraction"] == pytest.approx({"olap": 0.2 / (0.5 - 0.178)})


def test_a_round_that_did_not_verify_counts():
    of = wanted("--repeat", "3")
    found = three_rounds(of)
    found[of.settings[1].what][2]["variants"]["plait"]["verified"] = False
    verified = {name: one["verified"] for name, one in joined(of, found, None)["variants"].items()}
    assert verified == dict.fromkeys(verified, True) | {"plait": False}


def test_the_table_says_who_had_what_and_whether_a_service_thread_gains():
    of = wanted("--repeat", "3")
    text = " ".join(shown(joined(of, three_rounds(of), None)).split())
    assert "4 processors a node in every row: one process each, or one process for all" in text
    assert "plait 4 workers, service 3 workers and a service thread" in text
    assert "a net gain beside base: 0.580 of its time, and 1.115 of plait's" in text


def test_the_command_runs_three_jobs_and_writes_one_result(tmp_path):
    (tmp_path / "hpl").symlink_to(FAKE)
    words = ("--ranks", "2", "--per-node", "2", "--repeat", "1", "--json", tmp_path / "o.json")
    done = plait("run", "hpl", *words, PLAIT_BIN_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("hpl, ")]
    assert told == [
        "hpl, 2 processes a node (round 1 of 1)",
        "hpl, one process a node, 2 workers (round 1 of 1)",
        "hpl, one process a node, 1 worker and a service thread (round 1 of 1)",
    ]
    whole = json.loads((tmp_path / "o.json").read_text())
    had = {n: (one["processes"], one["workers"]) for n, one in whole["variants"].items()}
    assert had == {
        "base": (2, 1), "olap": (2, 1), "plait": (1, 2), "service": (1, 1), "ideal": (2, 1)
    }  # fmt: skip


def test_a_lab_with_another_number_of_nodes_is_refused(tmp_path):
    (tmp_path / "hpl").symlink_to(FAKE)
    said = plait("run", "hpl", "--ranks", "3", "--per-node", "2", PLAIT_BIN_DIR=str(tmp_path))
    assert "--per-node 2 does not divide 3 ranks" in one_line(said)
