# SPDX-License-Identifier: BSD-3-Clause
"""`plait bench progress`: the arithmetic of regrets, the table, the page, several link rates."""

import copy
import re

import pytest

from conftest import plait
from plait.results import check
from plait.results import save as save_result
from plait.results.figures.progress import cells_of, of_rates, progress_sentences, quantile
from plait.views.html import page
from plait.views.html.kinds.progress import heat
from sample import progress_result, spread

REGRETS = {
    "64KiB x1 100us": 0.0,  # as fast as by hand
    "64KiB x1 whole": 5.5 / 4.8 - 1,
    "1MiB x1 100us": 24 / 25 - 1,  # the fastest
    "1MiB x1 whole": 21 / 20 - 1,
    "64KiB x8 100us": 10.2 / 10 - 1,
}


def test_the_regret_is_against_the_fastest_other_row():
    cells = {cell.name: cell for cell in cells_of(progress_result())}
    assert {name: cell.regret() for name, cell in cells.items()} == pytest.approx(REGRETS)
    assert cells["64KiB x1 100us"].best_other() == "hand"
    assert cells["1MiB x1 whole"].best_other() == "plait every 3000us"
    assert cells["1MiB x1 whole"].over_attainable("plait auto") == pytest.approx(1.05)
    assert cells["64KiB x1 whole"].over_blocking() == pytest.approx(0.1)


def test_a_row_that_is_lucky_in_most_repetitions_is_no_better_than_others():
    result = progress_result()
    only = "64KiB x1 whole"
    times = {"blocking": [5, 4, 4], "hand": [4, 4, 5], "plait auto": [5, 5, 5]}
    result["rows"] = {
        row: {only: {**result["rows"]["hand"][only], "total_us": of_samples(samples)}}
        for row, samples in times.items()
    }
    [cell] = cells_of(result)
    assert cell.regret_by_medians() == pytest.approx(0.25)
    # By the other repetitions, blocking is chosen in the first and hand in the last: both take 5.
    assert cell.regret() == pytest.approx(0)


def of_samples(samples):
    low, middle, high = sorted(samples)
    return {"median": middle, "q1": low, "q3": high, "samples": samples}


def test_without_plait_auto_or_another_row_there_is_no_regret():
    alone, others = progress_result(), progress_result()
    for row in ("blocking", "hand", "plait every 3000us"):
        del alone["rows"][row]
    del others["rows"]["plait auto"]
    for result in (alone, others):
        assert {cell.regret() for cell in cells_of(result)} == {None}
        assert progress_sentences(result)[-1] == "no regret: it takes plait auto and another row"
        assert "no regret" in page([result])


def test_a_line_has_median_percentile_worst_cell_and_who_is_slower_than_blocking():
    *left_out, line, by_row = progress_sentences(progress_result())
    assert left_out == [
        "left out: plait dedicated: 1 worker on 1 core: none is free",
        "left out: 8MiB x8 whole: a step takes 0.56 s",
    ]
    # 90 % of the way through five regrets: 0.6 of the way from 5 % to 14.58 %
    assert line == (
        "regret: median 2.0%, 90th percentile 10.7%, worst 14.6% (64KiB x1 whole);"
        " against the luckiest row: median 2.0%, 90th percentile 10.7%,"
        " worst 14.6% (64KiB x1 whole);"
        " slower than blocking by more than 3%: 64KiB x1 whole (by 10%)"
    )
    # of 3 ms: -4.8, -4, 2.3, 4.2 and 10 %
    assert by_row == (
        "regret of each row, median and 90th percentile: plait every 3000us 2%, 8%;"
        " plait auto 2%, 11%; hand 4%, 29%; blocking 20%, 40%"
    )


@pytest.mark.parametrize(
    ("values", "fraction", "expected"), [([7], 0.9, 7), ([3, 1, 2], 0.5, 2), ([0, 10], 0.9, 9)]
)
def test_quantiles_are_linear_between_the_nearest_values(values, fraction, expected):
    assert quantile(values, fraction) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("regret", "strength"), [(-0.2, 0), (0, 0), (0.05, 0.5), (0.1, 1), (0.4, 1)]
)
def test_the_colour_goes_from_0_to_10_percent_whatever_the_cells(regret, strength):
    assert heat(regret) == pytest.approx(strength)


def test_the_page_has_a_map_for_each_number_in_flight_with_its_regrets_in_it():
    html = page([progress_result()])
    titles = re.findall(r"<h3>(.*?)</h3>", html)
    assert titles == ["openmpi, 1 in flight each way", "openmpi, 8 in flight each way"]
    first, second, _scale = re.findall(r"<svg.*?</svg>", html, re.DOTALL)[:3]
    assert re.findall(r'class="figure"[^>]*>([^<]*)<', first) == ["0.0%", "-4.0%", "14.6%", "5.0%"]
    assert re.findall(r'class="figure"[^>]*>([^<]*)<', second) == ["2.0%"]
    strengths = re.findall(r'style="fill-opacity:([0-9.]*)"', first)
    assert strengths == ["0.000", "0.000", "1.000", "0.500"]
    assert "regret 5.0%, the fastest other row is plait every 3000us" in first
    row = re.search(r"<tr><td>1MiB x1 whole</td>.*?</tr>", html)[0]
    assert re.findall(r">([^<>]+)</td>", row) == [
        "1MiB x1 whole", "20.0 ms", "1.500", "1.450", "1.050", "1.000", "5.0%",
    ]  # fmt: skip


def sweeps_of_two_rates():
    slow, fast = progress_result(), copy.deepcopy(progress_result())
    slow["environment"]["lab"]["rate_bps"] = 200000000
    fast["rows"]["plait auto"]["64KiB x1 whole"]["total_us"] = spread(4800.0)
    return of_rates([slow, fast])


def test_sweeps_of_several_rates_are_one_result_with_the_rate_in_the_cells_names():
    both = sweeps_of_two_rates()
    assert check(both) == []
    regrets = {cell.name: cell.regret() for cell in cells_of(both)}
    assert len(regrets) == 2 * len(REGRETS)
    assert regrets["64KiB x1 whole 200mbit"] == pytest.approx(5.5 / 4.8 - 1)
    assert regrets["64KiB x1 whole 1gbit"] == pytest.approx(0)
    assert set(both["environment"]["cells_left_out"]) == {
        "8MiB x8 whole 200mbit", "8MiB x8 whole 1gbit",
    }  # fmt: skip
    html = page([both])
    assert "progress, 2 ranks, 2 nodes at 200mbit, 1gbit" in html
    assert len(re.findall("<h3>openmpi, ", html)) == 4


def test_a_result_says_where_each_cell_is_in_the_sweep():
    result = progress_result()
    del result["rows"]["hand"]["64KiB x1 whole"]["task_s"]
    assert check(result) == ["rows.hand.64KiB x1 whole.task_s is missing"]


def test_several_results_are_one_page(tmp_path):
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, mpi in zip(files, ("openmpi", "mpich")):
        result = progress_result()
        result["environment"]["mpi"] = mpi
        save_result(result, file)
    done = plait("report", *files, "-o", tmp_path / "both.html")
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "both.html").read_text()
    assert "openmpi, 8 in flight each way" in html
    assert "mpich, 8 in flight each way" in html
