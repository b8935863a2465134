# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of result: which a file is of, and that each shows its figures as people read them."""

import copy
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from rich.console import Console

from conftest import ROOT, environment, one_line, plait
from drawn import browsed, show_result
from plait.results import KINDS, check, kind_of
from plait.results.compare import compare_results
from plait.units import figure_text, number_text, size_text
from plait.views.html import page
from plait.views.terminal.comparison import show_comparison
from plait.views.terminal.traces import show_traces
from sample import SAMPLES, bench_result, loggp_result, overlap_result, progress_result, spread

EXPONENT = re.compile(r"\d[eE][+-]?\d")


def printed(*shown, width=80):
    text = io.StringIO()
    show = Console(file=text, width=width)
    for each in shown:
        each(show)
    return text.getvalue()


def tables_of(answer, width=80):
    shown = [lambda console: show_result(answer, console)]
    if "variants" in answer:
        shown.append(lambda console: show_traces(answer, console))
    shown.append(lambda console: show_comparison(compare_results(answer, answer), console))
    return printed(*shown, width=width)


def scaled(node, factor):
    """Returns a result with all times longer: members in seconds, and objects with a median."""
    if isinstance(node, list):
        return [scaled(each, factor) for each in node]
    if not isinstance(node, dict):
        return node
    if "median" in node:
        return {k: v * factor if isinstance(v, (float, int)) else v for k, v in node.items()}
    times = {k: v for k, v in node.items() if isinstance(v, float) and k.endswith(("_s", "_us"))}
    rest = {key: scaled(value, factor) for key, value in node.items()}
    return rest | {key: value * factor for key, value in times.items()}


def of_kind(name):
    answer = SAMPLES[name]()
    if "fit" in answer:
        answer["fit"]["remarks"] = []  # sentences of the library
    return answer


def test_every_kind_has_a_sample():
    assert {sample()["kind"] for sample in SAMPLES.values()} == set(KINDS)
    assert all(name == kind.name for name, kind in KINDS.items())


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_that_names_no_kind_is_known_by_its_shape(name):
    answer = SAMPLES[name]()
    kind = kind_of(answer)
    assert kind.name == answer["kind"]
    assert check(answer) == []
    if kind.name not in ("program", "probe", "attach"):  # whose files have always named theirs
        del answer["kind"]
        assert check(answer) == []
        assert kind_of(answer) is kind


@pytest.mark.parametrize("kind", ["sonar", "", 7, None, []])
def test_a_kind_that_is_not_known_is_refused_in_a_line(kind, tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(bench_result() | {"kind": kind}))
    assert f"kind is {kind!r}, none of application," in one_line(plait("report", file))


def test_a_bar_with_other_parts_than_its_figure_is_refused():
    answer = SAMPLES["probe"]()
    del answer["figures"][1]["groups"][0]["bars"][0]["parts_s"]["computation_s"]
    assert check(answer) == ["figures[1]: 25 a row, M has other parts than its figure"]


def test_bars_of_a_probe_are_as_high_as_their_times():
    drawn = page([SAMPLES["probe"]()])
    heights = {}
    for height, tip in re.findall(r'<rect[^>]* height="([0-9.]+)"[^>]* data-tip="([^"]+)"', drawn):
        heights[tip.split(" (")[0]] = float(height)
    exposed = next(h for tip, h in heights.items() if tip.startswith("25 a row, M: exposed"))
    computed = next(h for tip, h in heights.items() if tip.startswith("25 a row, M: computation"))
    assert exposed / computed == pytest.approx(0.027 / 0.05, rel=0.01)
    assert "errs by -4.0%" in drawn


def test_a_probe_draws_the_model_beside_the_measurement():
    said = Said(page([SAMPLES["ft-probe"]()])).lines
    assert "scale 1, M: wait 220 ms (73.3%)" in said
    assert "scale 1, A: wait 210 ms (72.4%)" in said
    assert "scale 4.0, E: local computation 280 ms (49.1%)" in said
    assert "errs by +3.4%" in said


def test_a_file_is_checked_as_the_kind_that_it_names():
    problems = check(bench_result() | {"kind": "application"})
    assert "app is missing" in problems


def test_a_reader_that_only_checks_needs_nothing_but_python(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(bench_result()))
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1]); from plait.results import load;"
        " load(pathlib.Path(sys.argv[2])); sys.exit(bool({'rich', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code, ROOT / "python", file], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("factor", [1e-4, 1, 3e3])
@pytest.mark.parametrize("name", SAMPLES)
def test_tables_fit_80_columns_and_have_units_that_people_choose(name, factor):
    answer = scaled(of_kind(name), factor)
    assert check(answer) == []
    text = tables_of(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert EXPONENT.findall(text) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_a_wide_terminal_shows_no_less(name):
    narrow, wide = (set(tables_of(of_kind(name), width).split()) for width in (80, 200))
    assert narrow - wide == set()


@pytest.mark.parametrize("factor", [1e-4, 3e3])
@pytest.mark.parametrize("name", SAMPLES)
def test_pages_have_units_that_people_choose(name, factor):
    text = page([scaled(of_kind(name), factor)])
    said = Said(text + browsed(text)["markup"]).lines
    # An error of a verification and a commit have no unit.
    said = [line for line in said if not re.match(r"(yes|no) \(|.*0123456789ab", line)]
    assert len(said) > 10
    assert [line for line in said if EXPONENT.search(line)] == []


class Said(HTMLParser):
    """Texts and tips of a page."""

    def __init__(self, text):
        super().__init__()
        self.lines, self.hidden = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.hidden = tag in ("style", "script")
        self.lines += [value for name, value in attributes if name == "data-tip"]

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden:
            self.lines.append(data)


def test_many_rows_of_overlap_take_several_tables():
    answer = overlap_result({"8B": 90.0, "1MiB": 0.0}, 50, 80)
    for policy in ("dedicated", "sleeping", "workers", "none"):
        answer["rows"][f"plait {policy}"] = copy.deepcopy(answer["rows"]["plait auto"])
    text = tables_of(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert "plait sleeping" in text
    assert "attainable" in text


def test_many_sizes_of_progress_take_several_tables():
    answer = progress_result()
    for cells in answer["rows"].values():
        for power in range(24):
            cells[f"{power} x1 100us"] = {
                "total_us": spread(3000.0), "size_bytes": 8 << power, "flights": 1,
                "task_s": 0.0001, "steps": 4,
            }  # fmt: skip
    text = tables_of(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert "64MiB" in text


def test_a_bandwidth_of_shared_memory_is_told_in_gigabytes():
    answer = loggp_result()
    answer["fit"]["segments"][0]["bandwidth_Bps"] = 12.3e9
    assert "12.3 GB/s" in tables_of(answer)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("total_us", 134300.0, "134 ms"),
        ("ns_per_task", 180.0, "180 ns"),
        ("ns_per_task", 5800.0, "5.80 µs"),
        ("memory_growth_kib", -2048.0, "-2 MiB"),
        ("bytes_per_task", 320.0, "320 B"),
        ("bandwidth_MB_per_s", 11834.2, "11.83 GB/s"),
        ("messages_per_s", 1343000.0, "1.343 M/s"),
        ("overhead_percent", 12.34, "12.3 %"),
        ("hidden_fraction", 0.826, "0.826"),
        ("peak_tasks_in_flight", 100000.0, "100000"),
        ("wall_s", 0.134, "134 ms"),
        ("gap_per_byte_s", 3e-10, "0.30 ns"),
        ("gap_per_byte_s", 2e-12, "2.00 ps"),
    ],
)
def test_a_figure_has_the_unit_that_its_name_tells(name, value, text):
    assert figure_text(name, value) == text


def test_numbers_and_sizes_are_written_out():
    assert [number_text(v) for v in (0, 1.5, 134300.0, 0.00126, -3)] == [
        *["0", "1.5", "134300", "0.0013", "-3"]
    ]
    assert size_text(3 << 33) == "24 GiB"


@pytest.mark.parametrize("name", ["application", "benchmark", "overlap"])
def test_the_command_fits_the_columns_it_is_given(name, tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps(SAMPLES[name]()))
    done = subprocess.run(
        [sys.executable, "-m", "plait", "compare", file, file], capture_output=True, text=True,
        check=True, env=environment(COLUMNS="80"),
    )  # fmt: skip
    assert max(map(len, done.stdout.splitlines())) <= 80
