# SPDX-License-Identifier: BSD-3-Clause
"""Many results of one program: efficiencies over ranks, and the last against those before it."""

import copy
import json

import pytest

from conftest import one_line, plait
from drawn import parsed
from plait.errors import BadInput
from plait.results.base import Figure
from plait.results.figures.scaling import scaling_curves, scaling_of, weak_sentence
from plait.results.history import Trend, trends_of
from plait.results.several import groups_of, load_all
from sample import attach_result, bench_result, loggp_result, result, spread


def run_of(useful_s, wall_s, ideal_s, day="01"):
    """A run whose ranks compute so long, with metrics as POP defines them."""
    ranks, most = len(useful_s), max(useful_s)
    answer = attach_result()
    answer |= {"ranks": ranks, "wall_s": wall_s, "environment": {"started_at": f"2026-11-{day}"}}
    answer["totals"] |= {"compute_s": sum(useful_s), "mpi_s": ranks * wall_s - sum(useful_s)}
    answer["ranks_detail"] = [
        {"rank": rank, "compute_s": u, "mpi_s": wall_s - u, "wall_s": wall_s}
        for rank, u in enumerate(useful_s)
    ]
    answer["pop"] = {
        "load_balance": sum(useful_s) / ranks / most, "serialisation": most / ideal_s,
        "transfer": ideal_s / wall_s, "communication_efficiency": most / wall_s,
        "parallel_efficiency": sum(useful_s) / ranks / wall_s,
    }  # fmt: skip
    for name in ("matrix", "late_pairs", "message_sizes"):
        del answer[name]
    return answer


ONE = ([8.0], 8.0, 8.0)
TWO = ([4.0, 5.0], 5.5, 5.0)  # 9 s of computation for 8
FOUR = ([2.0, 2.0, 2.0, 4.0], 5.0, 4.0)  # 10 s, and one rank has twice the work of others


def test_efficiencies_over_ranks_are_pops():
    one, two, four = scaling_of([run_of(*FOUR), run_of(*ONE), run_of(*TWO)])
    assert (one.ranks, two.ranks, four.ranks) == (1, 2, 4)
    assert set(one.efficiency.values()) == {1.0}
    # By hand: u of 2 ranks is 4 and 5, T 5.5, T_id 5.
    assert two.efficiency == pytest.approx({
        "global": 8.0 / (2 * 5.5), "parallel": 4.5 / 5.5, "computation scaling": 8.0 / 9.0,
        "load balance": 4.5 / 5.0, "communication": 5.0 / 5.5, "serialisation": 5.0 / 5.0,
        "transfer": 5.0 / 5.5,
    })  # fmt: skip
    assert four.efficiency["global"] == pytest.approx(8.0 / (4 * 5.0))
    assert four.efficiency["parallel"] == pytest.approx(2.5 / 5.0)
    assert four.efficiency["computation scaling"] == pytest.approx(0.8)
    for point in (one, two, four):
        e = point.efficiency
        assert e["parallel"] == pytest.approx(e["load balance"] * e["communication"])
        assert e["communication"] == pytest.approx(e["serialisation"] * e["transfer"])
    assert [point.limit for point in (one, two, four)] == ["nothing", "computation", "load balance"]


def named(name, ranks):
    """A run of a program of that name."""
    return run_of([8.0 / ranks] * ranks, 9.0 / ranks, 8.0 / ranks) | {"program": f"bin/{name}"}


def test_builds_for_other_numbers_of_ranks_are_one_program(tmp_path):
    for ranks in (1, 4, 16):
        one = named(f"mg.S.{ranks}", ranks)
        (tmp_path / f"{ranks}.json").write_text(json.dumps(one))
    done = plait("compare", tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.splitlines()]
    assert [row for row in rows if row.isdigit()] == 2 * ["1", "4", "16"]  # of two tables


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("mg.S.1", 1), ("mg.S.4", 2)),  # not the number of its ranks
        (("mg.S.1", 1), ("cg.S.4", 4)),
        (("wave1", 1), ("wave4", 4)),  # may be another version
        (("mg.S", 1), ("mg.S.4", 4)),
    ],
)
def test_other_names_are_other_programs(first, second, tmp_path):
    for name, ranks in (first, second):
        (tmp_path / f"{ranks}.json").write_text(json.dumps(named(name, ranks)))
    done = plait("compare", tmp_path)
    assert one_line(done) == f"plait: {first[0]} and {second[0]} are different programs"


def test_what_limits_a_run_is_the_smallest_factor_that_is_known():
    assert scaling_of([run_of(*ONE), run_of([3.9, 4.0], 6.0, 4.1)])[1].limit == "transfer"
    assert scaling_of([run_of(*ONE), run_of([3.9, 4.0], 6.0, 5.9)])[1].limit == "serialisation"
    threads = run_of([3.9, 4.0], 6.0, 5.9)
    threads["pop"] |= {"serialisation": None, "transfer": None}
    assert scaling_of([run_of(*ONE), threads])[1].limit == "communication"
    threads["cores"] = {"says": "Ranks share cores.", "spoils_waits": True}
    assert scaling_of([run_of(*ONE), threads])[1].limit == "shared cores"


def test_weak_scaling_counts_the_computation_of_a_rank():
    runs = [run_of([8.0], 8.0, 8.0), run_of([8.0, 10.0], 12.0, 10.0)]
    strong, weak = scaling_of(runs)[1], scaling_of(runs, weak=True)[1]
    assert strong.efficiency["computation scaling"] == pytest.approx(8.0 / 18.0)
    assert weak.efficiency["computation scaling"] == pytest.approx(8.0 / 9.0)
    assert weak.efficiency["global"] == pytest.approx(8.0 / 12.0)
    assert "2.25 times as long on 2 ranks" in weak_sentence(runs)[0]
    assert weak_sentence([run_of(*ONE), run_of(*FOUR)]) == []
    assert scaling_curves(runs, weak=True).remarks["speed-up"] == ["1", "1.33"]
    assert scaling_curves(runs).remarks["speed-up"] == ["1", "0.667"]


def trend(*medians, better="less", once=True, width=0.0):
    figures = [
        Figure("wall", {**spread(m, width), "samples": [m] * (1 if once else 5)}, "wall_s",
               single=once, better=better)
        for m in medians
    ]  # fmt: skip
    return Trend(figures[-1], figures[-2], tuple(medians[:-1]))


def test_the_last_result_is_held_against_the_median_before_it():
    seen = trend(10.0, 10.2, 9.9, 10.1, 20.0, 11.0)
    assert seen.usual == pytest.approx(10.1)
    assert seen.over(seen.before.spread["median"]) == pytest.approx(0.55)
    assert seen.spread == pytest.approx(0.2 / 10.1)  # of the quartiles, which one outlier leaves
    assert seen.verdict == "more"
    assert seen.worse_by == pytest.approx(11.0 / 10.1 - 1)
    assert seen.got_worse(0.05)
    assert not seen.got_worse(0.1)


def test_within_its_spread_no_figure_got_worse():
    noisy = trend(10.0, 12.0, 11.5)  # of two results the spread is all that they span
    assert (noisy.spread, noisy.verdict) == (pytest.approx(2.0 / 11.0), "cannot tell")
    assert not noisy.got_worse(0.01)
    repeated = trend(10.0, 10.6, once=False, width=0.1)
    assert repeated.spread == pytest.approx(0.106)
    assert not repeated.got_worse(0.05)
    alone = trend(10.0, 10.6)
    assert (alone.spread, alone.verdict) == (None, "one run")
    assert alone.got_worse(0.05)


def test_of_efficiencies_less_is_worse_and_some_figures_tell_nothing():
    assert trend(0.9, 0.8, better="more").worse_by == pytest.approx(1 / 9)
    assert trend(0.8, 0.9, better="more").worse_by < 0
    assert trend(1.0, 9.0, better="").worse_by == 0
    assert trend(0.0, 9.0).worse_by == 0
    senses = {t.name: t.last.sense for t in trends_of([attach_result(), attach_result()])}
    assert (senses["wall"], senses["transfer"], senses["load balance"]) == (-1, 1, 1)
    assert senses["late senders, mean"] == senses["could hide by progress, mean"] == 0
    assert {t.last.sense for t in trends_of([result(), result()])} == {-1}


def write(folder, **results):
    for name, answer in results.items():
        (folder / f"{name}.json").write_text(json.dumps(answer))


def test_a_folder_of_runs_over_ranks_is_a_table_and_a_page(tmp_path):
    write(tmp_path, a=run_of(*FOUR), b=run_of(*ONE), c=run_of(*TWO))
    (tmp_path / "a.trace.json").write_text("[]")
    (tmp_path / "notes.txt").write_text("")
    page = tmp_path / "page.html"
    done = plait("compare", tmp_path, f"--report={page}")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["2", "0.727", "0.818", "0.889", "0.900", "0.909"] in [line[:6] for line in lines]
    assert any(line[:1] == ["4"] and line[-2:] == ["load", "balance"] for line in lines)
    assert max(map(len, done.stdout.splitlines())) <= 80
    read = parsed(page.read_text())
    said = " ".join(read.text)
    assert "Efficiency over ranks" in said
    assert "limit" in said
    assert [a["id"] for tag, a in read.tags if tag == "article"] == ["curves0", "r0", "r1", "r2"]
    assert sum(tag == "polyline" for tag, _ in read.tags) >= 7


def test_a_report_of_runs_over_ranks_begins_with_their_efficiencies(tmp_path):
    write(tmp_path, a=run_of(*ONE), b=run_of(*TWO))
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    done = plait("report", *files, "-o", tmp_path / "page.html")
    assert "Efficiency over ranks" in done.stdout
    assert "Efficiency over ranks" in (tmp_path / "page.html").read_text()
    assert "Efficiency" not in plait("report", files[0], files[0]).stdout


def test_results_measured_alike_are_a_history_in_order_of_dates(tmp_path):
    days = {"b": ("03", 9.0), "c": ("01", 6.0), "d": ("02", 6.6), "a": ("04", 6.3)}
    write(tmp_path, **{name: run_of([4.0, 5.0], wall, 5.0, day)
                       for name, (day, wall) in days.items()})  # fmt: skip
    (group,) = groups_of(load_all([tmp_path]))
    assert [one.name for one in group] == ["c", "d", "b", "a"]
    page = tmp_path / "page.html"
    done = plait("compare", tmp_path, "--report", page)
    assert done.returncode == 0, done.stderr
    assert "a beside the 3 before it" in done.stdout
    (wall,) = [line.split() for line in done.stdout.splitlines() if line.startswith("wall")]
    assert wall == ["wall", "6.60", "s", "6.30", "s", "0.700", "0.955", "45.5%", "cannot", "tell"]
    read = parsed(page.read_text())
    assert "Ratio to the first result over time" in " ".join(read.text)
    assert [a["id"] for tag, a in read.tags if tag == "article"] == ["curves0", "r0", "r1"]


def test_fail_above_is_one_line_and_an_exit_code(tmp_path):
    write(tmp_path, a=run_of(*TWO, "01"), b=run_of(*TWO, "02"))
    for limit in ("5%", "0.05"):
        done = plait("compare", tmp_path, "--fail-above", limit)
        assert done.returncode == 0, done.stderr
    write(tmp_path, c=run_of([4.0, 5.0], 6.6, 5.0, "03"))
    said = one_line(plait("compare", tmp_path, "--fail-above", "5%"), 1)
    assert "wall is worse by 20.0%: 6.60 s in c, 5.50 s before, spread 0.0%; " in said
    assert plait("compare", tmp_path, "--fail-above=25%").returncode == 0
    # Two are held against each other as they are named.
    pair = [tmp_path / "c.json", tmp_path / "a.json", "--fail-above", "5%"]
    assert plait("compare", *pair).returncode == 0
    assert plait("compare", *reversed(pair[:2]), *pair[2:]).returncode == 1


def test_the_first_result_of_all_has_got_no_worse(tmp_path):
    write(tmp_path, a=run_of(*TWO))
    assert "a: there is no other result" in one_line(plait("compare", tmp_path))
    done = plait("compare", tmp_path, "--fail-above", "5%")
    assert (done.returncode, done.stderr) == (0, "")
    assert "there is no other result" in done.stdout


def test_results_of_an_application_over_settings_are_its_curves(tmp_path):
    for ranks in (4, 2, 8):
        answer = result() | {"app": "fft3d"}
        answer["environment"] |= {"ranks": ranks, "started_at": f"2026-11-0{ranks}"}
        write(tmp_path, **{f"fft3d.ranks={ranks}": answer})
    done = plait("compare", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Communication overhead over ranks" in " ".join(done.stdout.split())
    late = copy.deepcopy(answer)
    late["environment"]["started_at"] = "2026-11-09"
    late["variants"]["plait"]["total_s"] = spread(0.3)
    write(tmp_path, later=late)
    done = plait("compare", tmp_path, "--fail-above", "5%")
    assert "plait is worse by 49.3%" in one_line(done, 1)
    other = copy.deepcopy(answer)
    other["parameters"]["size"] = [64, 64, 64]
    write(tmp_path, other=other)
    done = plait("compare", tmp_path, "--fail-above", "5%")
    assert "no curves: size and ranks differ" in " ".join(done.stdout.split())
    assert "plait is worse by 49.3%" in one_line(done, 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("{0}/nothing", "nothing: No such file or directory"),
        ("{0}/empty", "empty: no file in it is a result"),
        ("{0}/several", "wave and task_overhead are different programs"),
        ("{0}/one.json", "name a second result, or a folder of results"),
        ("{0}/one.json {0}/one.json --fail-above much", "--fail-above much: give a share"),
        ("{0}/one.json {0}/one.json --fail-above=-5%", "--fail-above -5%: give a share"),
        ("{0}/one.json {0}/one.json --weak", "--weak: all results are on one number of ranks"),
        ("{0}/one.json {0}/two.json --fail-above 5%", "the two results were not measured alike"),
        ("{0}/one.json {0}/broken.json", "there are no efficiencies; the run ended before"),
        ("{0}/one.json {0}/one.json --report={0}/no/page.html", "--report"),
    ],
)
def test_what_cannot_be_compared_is_one_line(words, said, tmp_path):
    for name in ("empty", "several"):
        (tmp_path / name).mkdir()
    (tmp_path / "empty/a.json").write_text("{}")
    write(tmp_path / "several", a=attach_result(), b=bench_result())
    broken = run_of(*FOUR) | {"pop": None}
    write(tmp_path, one=run_of(*ONE), two=run_of(*TWO), broken=broken)
    assert said in one_line(plait("compare", *words.format(tmp_path).split()))


def test_efficiencies_are_of_attached_programs():
    with pytest.raises(BadInput, match="take results of plait attach"):
        scaling_of([loggp_result(), loggp_result()])
