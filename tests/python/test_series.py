# SPDX-License-Identifier: BSD-3-Clause
"""Several results of one application: what differs, the figure over it, table and picture."""

import io
import json
import re

import pytest
from rich.console import Console

from conftest import one_line, plait
from drawn import parsed
from plait.errors import BadInput
from plait.results.figures.curves import curves_of
from plait.run.runner import Request
from plait.run.series import points_of
from plait.views.html import page
from plait.views.html.curves import curves_article
from plait.views.terminal.curves import show_curves
from sample import bench_result, poisson_result, result, spread


def at_size(*size, app="hpl", gflops=10.0):
    """A result with rates, which grow with the size."""
    answer = result() | {"app": app}
    answer["parameters"]["size"] = list(size)
    for one in answer["variants"].values():
        one["gflops"] = gflops / one["total_s"]["median"]
    return answer


def on_ranks(ranks, app="fft3d"):
    answer = result() | {"app": app}
    answer["environment"]["ranks"] = ranks
    answer["parameters"]["grid"] = [1, 1, ranks]
    return answer


def at_rate(rate_bps):
    answer = result()
    answer["environment"]["lab"]["rate_bps"] = rate_bps
    return answer


def refusal(*results):
    with pytest.raises(BadInput) as refused:
        curves_of(results)
    return str(refused.value)


def printed(curves, width=80):
    text = io.StringIO()
    show_curves(curves, Console(file=text, width=width))
    return text.getvalue()


def test_gflops_over_n_have_the_quartiles_of_the_times():
    curves = curves_of([at_size(4000, gflops=20.0), at_size(1000)])
    assert curves.title == "Gflop/s over N"
    assert [place.label for place in curves.places] == ["1000", "4000"]
    assert curves.places[1].x - curves.places[0].x == pytest.approx(2.0)  # logarithmic
    first, second = curves.rows["plait"]
    assert first["median"] == pytest.approx(10.0 / 0.201)
    assert first["q1"] == pytest.approx(10.0 / (0.201 * 1.01))  # of the slower quartile
    assert first["q3"] == pytest.approx(10.0 / (0.201 * 0.99))
    assert second["median"] == pytest.approx(20.0 / 0.201)
    assert curves.heading == "hpl, 40 steps, 2 ranks, 2 nodes at 1gbit"


def test_a_heading_has_what_all_results_have():
    two, four = on_ranks(2), on_ranks(4)
    four["environment"]["lab"]["nodes"] = 4
    assert curves_of([two, four]).heading == "fft3d, 512×512×64, 40 steps, at 1gbit"


def test_sizes_of_several_axes_are_ordered_by_their_cells():
    curves = curves_of([at_size(256, 256, 64), at_size(64, 64, 512)])
    assert curves.axis == "size"
    assert [place.label for place in curves.places] == ["64×64×512", "256×256×64"]


def test_sizes_of_square_matrices_are_their_order():
    curves = curves_of([at_size(n, n, n, app="summa") for n in (600, 300)])
    assert (curves.axis, [place.label for place in curves.places]) == ("n", ["300", "600"])
    one_is_long = [at_size(300, 300, 300, app="summa"), at_size(300, 300, 900, app="summa")]
    assert curves_of(one_is_long).places[1].label == "300×300×900"


def test_over_ranks_an_application_has_the_figure_that_is_drawn_of_it():
    overhead = curves_of([on_ranks(4), on_ranks(2)])
    assert overhead.title == "Communication overhead over ranks"
    assert overhead.heading == "fft3d, 512×512×64, 40 steps, 2 nodes at 1gbit"
    assert "ideal" not in overhead.rows
    assert overhead.rows["base"][0]["median"] == pytest.approx(0.310 - 0.178)
    assert overhead.rows["base"][0]["q3"] == pytest.approx(0.310 * 1.01 - 0.178)
    rates = curves_of([on_ranks(2, "ft") | at_size(64, app="ft"), on_ranks(4, "jacobi3d")])
    assert rates is None  # two applications
    four = at_size(64, app="ft")
    four["environment"]["ranks"] = 4
    assert curves_of([at_size(64, app="ft"), four]).title == "Gflop/s over ranks"


def test_a_speedup_is_over_base_on_the_fewest_ranks():
    one, four = poisson_result(1), poisson_result(4)
    four["variants"]["plait"]["total_s"] = spread(0.031)
    four["variants"]["plait"]["iterations"] = 20.0  # of half the length, thus
    curves = curves_of([four, one])
    assert curves.title == "Speed-up over base on 1 rank over ranks"
    assert [each["median"] for each in curves.rows["plait"]] == pytest.approx([0.310 / 0.201, 5.0])
    assert curves.rows["base"][0]["median"] == pytest.approx(1.0)


def test_over_rates_of_the_link_a_gain_is_over_base_in_the_same_job():
    slow = at_rate(500_000_000)
    slow["variants"]["base"]["total_s"] = spread(0.402)
    curves = curves_of([at_rate(1_000_000_000), slow])
    assert curves.title == "Gain over base over the link's rate"
    assert [place.label for place in curves.places] == ["500mbit", "1gbit"]
    assert "ideal" not in curves.rows
    gains = [each["median"] for each in curves.rows["plait"]]
    assert gains == pytest.approx([2.0, 0.310 / 0.201])


def test_what_follows_from_an_axis_is_no_other_axis():
    small, large = at_size(64, 64, 64, app="ft"), at_size(512, 256, 256, app="ft")
    small["parameters"] |= {"class": "S", "tile": 8}
    large["parameters"] |= {"class": "A", "tile": 32}
    assert curves_of([small, large]).axis == "size"
    two, four = on_ranks(2, "redblack3d"), on_ranks(4, "redblack3d")
    four["parameters"]["size"] = [512, 512, 128]
    for each in (two, four):
        each["parameters"]["cells_per_node"] = [512, 512, 32]
    assert curves_of([two, four]).axis == "ranks"


def test_any_other_setting_is_an_axis_of_labels():
    flat, square = at_size(1000), at_size(1000)
    flat["parameters"]["grid"], square["parameters"]["grid"] = [1, 4], [2, 2]
    curves = curves_of([square, flat])
    assert curves.title == "Gflop/s over grid"
    assert [place.label for place in curves.places] == ["1×4", "2×2"]


def test_results_that_make_no_curves_are_one_sentence():
    assert refusal(at_size(1000), at_size(1000)) == (
        "nothing that could be an axis differs between these results of hpl"
    )
    other = at_size(2000)
    other["environment"]["ranks"] = 4
    assert refusal(at_size(1000), other).startswith("size and ranks differ between these results")
    assert (
        refusal(at_size(1000), at_size(2000), at_size(1000)) == "two of the results are of N 1000"
    )
    without = on_ranks(4)
    without["computation_s"] = None
    assert "computation alone: run `ideal`, too" in refusal(on_ranks(2), without)
    lone = at_rate(500_000_000)
    del lone["variants"]["base"]
    assert refusal(at_rate(1_000_000_000), lone).endswith("jacobi3d has none: run it, too")


def test_other_results_have_no_curves():
    assert curves_of([result()]) is None
    assert curves_of([result(), bench_result()]) is None


def test_quartiles_have_their_unit_once_where_it_is_one():
    curves = curves_of([on_ranks(2), on_ranks(4)])
    assert curves.text({"median": 0.132, "q1": 0.129, "q3": 0.135}) == "132 (129–135) ms"
    assert curves.text({"median": 0.9, "q1": 0.8, "q3": 1.1}) == "900 ms (800 ms–1.10 s)"


def test_a_variant_that_lacks_at_a_place_leaves_a_gap():
    few = at_size(2000)
    del few["variants"]["olap"]
    curves = curves_of([at_size(1000), few, at_size(4000)])
    assert [each is None for each in curves.rows["olap"]] == [False, True, False]
    assert "olap, N 1000" in curves_article(curves)
    assert "olap, N 2000" not in curves_article(curves)


def test_the_table_stands_in_80_columns_and_names_who_did_not_verify():
    results = [at_size(1000), at_size(2000), at_size(4000)]
    results[1]["variants"]["olap"]["verified"] = False
    text = printed(curves_of(results))
    assert max(map(len, text.splitlines())) <= 80
    assert "49.8 (49.3–50.3)" in text
    assert text.splitlines()[-1] == "NOT VERIFIED: olap at 2000"


def test_the_first_picture_of_a_page_is_the_curves_and_its_table_has_the_same_numbers():
    results = [at_size(1000), at_size(2000)]
    curves = curves_of(results)
    text = page(results, curves_article(curves))
    parsed(text)
    first = text[: text.index("</article>")]
    assert first.count("<svg") == 1
    assert len(re.findall('class="dot c-[0-9a-z]+"', first)) == 8  # four variants, two sizes
    assert 'class="curve c-limit"' in first  # ideal
    for row in curves.rows.values():
        for each in row:
            assert first.count(curves.text(each)) >= 2


# --- one command for all of them ----------------------------------------------------------------


def request(*options, lab=None):
    return Request("apps", "hpl", "openmpi", 2, lab, options)


def test_a_list_of_sizes_of_ranks_or_of_rates_is_a_series():
    sizes = points_of(request("--n=500,1000", "--nb", "64"), [2], None)
    assert [point.place for point in sizes] == ["n=500", "n=1000"]
    assert sizes[1].asked.options == ["--nb", "64", "--n", "1000"]
    ranks = points_of(request("--variants", "base,plait", lab="rate=100mbit"), [2, 8], None)
    assert [point.asked.ranks for point in ranks] == [2, 8]
    assert [point.asked.lab for point in ranks] == ["nodes=2,rate=100mbit", "nodes=8,rate=100mbit"]
    rates = points_of(request(lab="nodes=2"), [2], "1gbit,500mbit")
    assert [point.asked.lab for point in rates] == ["nodes=2,rate=1gbit", "nodes=2,rate=500mbit"]
    assert [point.place for point in rates] == ["rate=1gbit", "rate=500mbit"]
    assert len(points_of(request("--n", "500"), [4], None)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--size", "1x1x1,2x2x2", "--ranks", "1,2"], "--size and --ranks: both are lists"),
        (["--ranks", "2,2"], "--ranks 2,2: names one twice"),
        (["--ranks", "2,two"], "--ranks 2,two: give a whole number"),
        (["--rates", "1gbit"], "--rates: name the nodes too"),
        (["--rates", "1gbit", "--lab", "rate=1gbit"], "--rates: --lab names a rate, too"),
        (["--size", "1x1x1,2x2x2", "--trace", "t.json"], "--trace: a trace is of one run"),
        (["--size", "1x1x1,2x2x2", "--json", "/nowhere/a.json"], "no folder /nowhere"),
    ],
)
def test_series_that_make_no_sense_are_one_line(words, said):
    assert said in one_line(plait("run", "fake", *words))


def test_a_series_is_of_plaits_own_applications():
    assert "not of /bin/true" in one_line(plait("run", "/bin/true", "--ranks", "1,2"))


def test_one_command_makes_a_file_a_point_and_report_reads_them(tmp_path):
    words = ("--ranks", "1", "--size", "32x32x32,64x64x64", "--json", tmp_path / "s.json")
    done = plait("run", "fake", *words)
    assert done.returncode == 0, done.stderr
    files = [tmp_path / f"s.size={n}x{n}x{n}.json" for n in (32, 64)]
    assert [json.loads(file.read_text())["parameters"]["size"] for file in files] == [
        [32, 32, 32], [64, 64, 64]
    ]  # fmt: skip
    assert not (tmp_path / "s.json").exists()
    report = plait("report", *files, "-o", tmp_path / "s.html")
    table = report.stdout.split("report: ")[0]
    assert "Gain over base over size" in table
    assert table in done.stdout
    assert (tmp_path / "s.html").read_text().index("<svg") < (
        tmp_path / "s.html"
    ).read_text().index("r0")
