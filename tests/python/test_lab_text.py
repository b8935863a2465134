# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the texts of `--lab`, and of the cores that ranks get."""

import pytest

from plait.errors import BadInput
from plait.lab.spec import LabSpec, deal_cores
from plait.units import parse_rate, rate_text, seconds_text, tick_text


def test_nodes_rate_and_delay_are_read():
    spec = LabSpec.parse("nodes=4,rate=500mbit,delay=50us,cores=shared")
    assert (spec.nodes, spec.rate_bps, spec.cores) == (4, 500_000_000, "shared")
    assert spec.delay_s == pytest.approx(50e-6)


def test_what_is_left_out_has_a_default():
    assert LabSpec.parse("") == LabSpec(nodes=2, rate_bps=1_000_000_000)


def test_a_gigabit_carries_119_megabytes_of_payload():
    assert LabSpec().payload_bytes_per_s == pytest.approx(119.55e6, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nodes=0", "nodes=0"), ("nodes=two", "nodes=two"), ("nodes=9999", "nodes=9999"),
        ("rate=fast", "fast"), ("rate=-1gbit", "-1gbit"), ("rate=1bit", "out of range"),
        ("delay=5", "delay '5'"), ("speed=1", "speed"), ("nodes", "key=value"),
        ("nodes=2,nodes=3", "twice"), ("rate=1gbit,rate=2gbit", "twice"), ("cores=0", "cores=0"),
        ("name=../x", "../x"), ("subnet=192.168.0.0/24", "192.168"),
        ("subnet=10.87.999.0/24", "999"), ("rate=1.2.3gbit", "1.2.3"),
    ],
)  # fmt: skip
def test_bad_text_is_refused_by_name(text, named):
    with pytest.raises(BadInput, match=r".") as refusal:
        LabSpec.parse(text)
    assert named in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("allowed", "nodes", "cores", "dealt"),
    [
        ([0, 1], 2, "auto", [[0], [1]]),
        ([0, 1], 4, "auto", [[0], [1], [0], [1]]),
        ([0, 1, 2, 3], 2, "auto", [[0, 1], [2, 3]]),
        ([4, 6, 8], 2, "auto", [[4], [6]]),
        ([0, 1], 2, "shared", [[], []]),
        ([0, 1, 2], 2, "2", [[0, 1], [0, 2]]),
    ],
)
def test_cores_are_dealt_evenly(allowed, nodes, cores, dealt):
    assert deal_cores(allowed, nodes, cores) == dealt


def test_more_cores_per_node_than_there_are_is_refused():
    with pytest.raises(BadInput, match="allows 2"):
        deal_cores([0, 1], 2, "3")


def test_rates_and_times_read_well():
    assert rate_text(parse_rate("2.5gbit")) == "2.5gbit"
    assert [seconds_text(s) for s in (0, 1.234, 0.0123, 17e-6, 170e-6, 3e-9)] == [
        "0 s", "1.23 s", "12.3 ms", "17.0 µs", "170 µs", "3.00 ns",
    ]  # fmt: skip
    assert tick_text(0.02) == "20 ms"
