# SPDX-License-Identifier: BSD-3-Clause
"""`plait bench tolerance` and `plait noise`: conditions, slowdowns, tables, pages, refusals."""

import io
import json
import re
import signal
import subprocess

import pytest
from rich.console import Console

from conftest import FAKE, command, environment, one_line, plait
from drawn import show_result
from plait.errors import BadInput
from plait.lab.spec import LabSpec
from plait.programs import without_mpi
from plait.results import check
from plait.results.figures.tolerance import (
    spread_of_samples,
    times_as_slow,
    tolerance_sentences,
)
from plait.run.noise_maker import Noise
from plait.run.tolerance import ToleranceRun
from plait.views.html import page
from sample import tolerance_result
from test_lab import namespaces
from test_run import living, wait_until

# Obeys the contract of the program `noise`, and takes nothing.
FAKE_NOISE = """#!/bin/sh
[ ! -e "$0.refuse" ] || { echo "noise: not today" >&2; exit 2; }
touch "$0.pids/$$"
while [ $# -gt 0 ]; do
  case $1 in --json) json=$2 ;; --cores) cores=$2 ;; --length) length=$2 ;; esac
  shift
done
echo ready
[ ! -e "$0.die" ] || exit 0
trap 'cat >"$json" <<TEXT
{"period_s": 0.1, "length_s": 0.01, "wanted_share": 0.1, "priority": "$length",
 "cores": [{"core": 0, "taken_share": 0.1}, {"core": 1, "taken_share": 0.09}], "named": "$cores"}
TEXT
exit 0' TERM
while :; do sleep 0.05; done
"""


@pytest.fixture
def programs(tmp_path):
    """A folder with the fake application and the fake noise."""
    folder = tmp_path / "programs"
    (folder / "noise.pids").mkdir(parents=True)
    (folder / "fake").symlink_to(FAKE)
    (folder / "noise").write_text(FAKE_NOISE)
    (folder / "noise").chmod(0o755)
    return folder


@pytest.fixture
def tolerance(programs):
    return lambda *words: plait("bench", "tolerance", *words, PLAIT_BIN_DIR=str(programs))


def shown(result):
    text = io.StringIO()
    show_result(result, Console(file=text, width=80))
    return text.getvalue().splitlines()


def test_samples_of_several_rounds_are_one_spread():
    spread = spread_of_samples([4.0, 1.0, 3.0, 2.0, 10.0])
    assert (spread["median"], spread["q1"], spread["q3"]) == (3.0, 2.0, 4.0)
    slow = spread_of_samples([6.0, 9.0])
    assert times_as_slow(slow, spread) == {"median": 2.5, "q1": 2.25, "q3": 2.75}


def test_the_table_has_times_and_slowdowns_in_80_columns():
    lines = shown(tolerance_result())
    assert lines[0] == "tolerance of hpl, 2000, 2 ranks, 2 nodes at 1gbit, 500mbit"
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line.split()[1:] for line in lines[2:6]}
    assert rows["1gbit"] == ["400", "ms", "320", "ms", "250", "ms", "200", "ms"]
    assert rows["500mbit"][2::3] == ["×1.50", "×1.38", "×1.08", "×1.00"]
    assert rows["10ms/100ms"][:3] == ["480", "ms", "×1.20"]


def test_sentences_say_what_was_taken_and_what_it_cost():
    assert tolerance_sentences(tolerance_result()) == [
        "noise 2.5ms/100ms: 2.50% wanted, 2.50% to 2.55% by a counting thread before the job,"
        " 2.50% to 2.51% by the kernel's account in the job (real-time)",
        "noise 10ms/100ms: 10.00% wanted, 10.00% to 10.20% by a counting thread before the job,"
        " 10.00% to 10.04% by the kernel's account in the job (real-time)",
        "beside 2.5ms/100ms: base loses 4.0% (16.0 ms); olap 3.2% (10.2 ms), 0.80 of that;"
        " plait 3.0% (7.50 ms), 0.75 of that; ideal 2.4% (4.80 ms), 0.60 of that",
        "beside 10ms/100ms: base loses 20.0% (80.0 ms); olap 16.0% (51.2 ms), 0.80 of that;"
        " plait 12.0% (30.0 ms), 0.60 of that; ideal 10.0% (20.0 ms), 0.50 of that",
    ]


def test_noise_that_was_counted_otherwise_than_wanted_is_doubted():
    result = tolerance_result()
    result["conditions"][3]["noise"]["cores"][1]["got_share"] = 0.126
    quiet, doubted, *_ = tolerance_sentences(result)
    assert quiet.endswith("(real-time)")
    assert doubted.endswith("; something else ran on these cores, or kept the noise from them")


def test_a_loss_within_a_percent_is_no_measure_of_another():
    result = tolerance_result()
    for each in result["conditions"]:
        each["variants"]["base"]["slowdown"] = {"median": 1.009, "q1": 1.0, "q3": 1.02}
    assert tolerance_sentences(result)[2].startswith("beside 2.5ms/100ms: base loses 0.9% (")
    assert "of that" not in "".join(tolerance_sentences(result))


def test_a_variant_that_did_not_verify_is_named():
    result = tolerance_result()
    result["conditions"][1]["variants"]["olap"]["verified"] = False
    assert tolerance_sentences(result)[-1] == "NOT VERIFIED: olap at 500mbit"
    assert ">NO<" in page([result])


def test_the_page_has_a_curve_for_each_variant_over_rates_and_over_noises():
    html = page([tolerance_result()])
    titles = re.findall(r"<h3>(.*?)</h3>", html)
    assert titles == ["Slowdown over the rate of the links", "Slowdown beside noise"]
    rates, noises = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(re.findall("<polyline", rates)) == len(re.findall("<polyline", noises)) == 5
    assert "base, 500mbit: 1.5 (1.485 – 1.515)" in rates
    assert "plait, no noise: 1 (0.99 – 1.01)" in noises
    assert "plait, 10ms/100ms: 1.12" in noises
    heights = dict(re.findall(r'cy="([0-9.]+)"[^>]*data-tip="(\w+), 500mbit', rates))
    by_name = {name: float(height) for height, name in heights.items()}
    assert by_name["base"] < by_name["olap"] < by_name["plait"] < by_name["ideal"]


def test_a_result_of_one_link_has_no_curve_over_links():
    result = tolerance_result()
    del result["conditions"][1:]
    assert check(result) == []
    assert "<h3>" not in page([result])
    assert len(shown(result)) == 3


def test_the_first_condition_is_one_without_noise():
    result = tolerance_result()
    result["conditions"].reverse()
    assert check(result) == ["conditions[0].noise is not null"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("10ms/100ms", "10ms/100ms"), ("0.025ms/1000us", "25us/1ms"), ("1s/2s", "1s/2s")],
)
def test_a_noise_is_written_as_length_and_period(text, name):
    assert Noise.parse(text).name == name


@pytest.mark.parametrize("text", ["", "10ms", "10ms/", "/1ms", "10/100", "1ms/2ms/3ms", "x/1ms"])
def test_what_is_no_noise_is_refused(text):
    with pytest.raises(BadInput, match=r"is not LENGTH/PERIOD; write 25us/1ms,10ms/100ms"):
        Noise.parse(text)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name an application, such as hpl"),
        (["--", "--n", "7"], "name an application, such as hpl"),
        (["nope"], "unknown application 'nope'"),
        (["/bin/true"], "/bin/true is none of plait's applications"),
        (["fake", "--ranks", "0"], "--ranks 0: give at least 1"),
        (["fake", "--rounds", "0"], "--rounds 0: give at least 1"),
        (["fake", "--lab", "nodes=2,rate=1gbit"], "--lab names a rate; --rates does that"),
        (["fake", "--lab", "nodes=none"], "nodes=none"),
        (["fake", "--rates", "quick"], "rate 'quick'"),
        (["fake", "--rates", "1gbit,1000mbit"], "--rates 1gbit,1000mbit: names one twice"),
        (["fake", "--noise", "10ms"], "--noise: '10ms' is not LENGTH/PERIOD"),
        (["fake", "--noise", "1ms/10ms,1000us/10ms"], "names one twice"),
        (["fake", "--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
    ],
)
def test_bad_input_is_one_line(tolerance, words, said):
    assert said in one_line(tolerance(*words))


def test_conditions_are_the_rates_then_the_noises_at_the_first(programs, monkeypatch):
    monkeypatch.setenv("PLAIT_BIN_DIR", str(programs))
    asked = ToleranceRun.of_words(["fake", "--n", "7"], "openmpi", 4, None, False, None, None, None)
    assert [each.name for each in asked.conditions] == [
        *("1gbit", "700mbit", "500mbit", "350mbit"),
        *("25us/1ms", "2.5ms/100ms", "10ms/100ms"),
    ]
    assert {each.rate_bps for each in asked.conditions[4:]} == {10**9}
    assert (asked.lab, asked.options, asked.rounds) == ("nodes=4", ["--n", "7"], 1)
    assert LabSpec.parse(asked.lab).nodes == 4


@pytest.mark.lab
def test_every_condition_is_a_job_and_rounds_are_pooled(tolerance, programs, tmp_path):
    file, drawn = tmp_path / "o.json", tmp_path / "o.html"
    done = tolerance("fake", "--rates", "1gbit,500mbit", "--noise", "10ms/100ms", "--rounds", "2",
                     "--by-link", "--fancy", "7", "--json", file, "--report", drawn)  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = ("1gbit", "500mbit", "10ms/100ms")
    assert done.stderr.splitlines() == [
        f"fake, {name} ({job + 1} of 6)" for job, name in enumerate(2 * names)
    ]
    assert "beside 10ms/100ms: base loses 0.0% (0 s)" in done.stdout
    assert "<svg" in drawn.read_text()
    result = json.loads(file.read_text())
    assert check(result) == []
    assert tuple(each["name"] for each in result["conditions"]) == names
    assert result["parameters"]["options"] == ["--by-link", "--fancy", "7"]
    assert [lab["rate_bps"] for lab in result["environment"]["labs"]] == [10**9, 5 * 10**8]
    quiet, slow, noisy = (each["variants"] for each in result["conditions"])
    assert len(slow["base"]["total_s"]["samples"]) == 10
    assert slow["base"]["slowdown"]["median"] == pytest.approx(2)
    assert slow["plait"]["slowdown"]["median"] == pytest.approx(1)
    assert quiet["base"]["slowdown"]["median"] == noisy["base"]["slowdown"]["median"] == 1
    made = result["conditions"][2]["noise"]
    cores = sorted(set().union(*result["environment"]["labs"][0]["cores"]))
    assert (made["priority"], made["named"]) == ("10000.000us", ",".join(map(str, cores)))
    assert len(made["of_rounds"]) == 1
    assert living(programs / "noise.pids") == []


@pytest.mark.lab
def test_a_variant_that_does_not_verify_is_exit_code_1(tolerance):
    done = tolerance("fake", "--rates", "1gbit", "--noise", "none", "--wrong")
    assert done.returncode == 1, done.stderr
    assert "NOT VERIFIED: base at 1gbit" in done.stdout


@pytest.mark.lab
@pytest.mark.parametrize(
    ("how", "code", "said"),
    [("refuse", 2, "--noise: not today"), ("die", 3, "ended before the job did")],
)
def test_noise_that_is_not_made_ends_the_measurement(tolerance, programs, how, code, said):
    (programs / f"noise.{how}").touch()
    done = tolerance("fake", "--rates", "1gbit", "--noise", "10ms/100ms")
    assert done.returncode == code
    assert said in done.stderr.splitlines()[-1]
    assert living(programs / "noise.pids") == []


@pytest.mark.lab
def test_an_interrupt_leaves_nothing(programs):
    words = command("bench", "tolerance", "fake", "--rates", "1gbit", "--lab", "nodes=2,name=ttol",
                    "--noise", "10ms/100ms", "--sleep", "2")  # fmt: skip
    with subprocess.Popen(
        words, env=environment(PLAIT_BIN_DIR=str(programs)), stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        wait_until(lambda: living(programs / "noise.pids"))
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().splitlines()[-1] == "plait: stopped by SIGINT"
        assert process.wait(20) == 130
    assert living(programs / "noise.pids") == []
    assert namespaces("ttol") == []


@pytest.mark.lab
def test_the_applications_own_help_can_be_asked_for(tolerance):
    done = tolerance("fake", "--noise", "none", "--", "--help")
    assert done.returncode == 0, done.stderr
    assert "usage: fake" in done.stdout


def test_noise_is_made_by_its_program(programs):
    (programs / "noise").write_text('#!/bin/sh\necho "$@"\n')
    done = plait("noise", "--period", "1ms", "--length", "25us", "--seconds", "3", "--cores", "0",
                 PLAIT_BIN_DIR=str(programs))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "--period", "1ms", "--length", "25us", "--cores", "0", "--priority", "auto",
        "--count-seconds", "1.0", "--seconds", "3.0",
    ]  # fmt: skip


def test_noise_without_a_period_is_one_line():
    assert "--period" in one_line(plait("noise", "--length", "25us"))


@pytest.mark.lab
def test_the_real_noise_takes_time_from_a_job(programs, monkeypatch, tmp_path):
    (programs / "noise").unlink()
    monkeypatch.setenv("PLAIT_BIN_DIR", str(programs))
    if not (built := without_mpi("network", "noise")):
        pytest.skip("noise is not built")
    probe = [built, "--period", "1ms", "--length", "25us", "--count-seconds", "0", "--seconds", "0"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("neither real-time priority nor nice -20 is allowed here")
    file = tmp_path / "o.json"
    done = plait("bench", "tolerance", "fake", "--rates", "1gbit", "--noise", "10ms/20ms",
                 "--json", file, PLAIT_BIN_DIR=str(programs))  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = json.loads(file.read_text())["conditions"][1]["noise"]
    assert made["wanted_share"] == 0.5
    assert all(core["bursts"] > 0 and core["lost_beside_share"] > 0.3 for core in made["cores"])
