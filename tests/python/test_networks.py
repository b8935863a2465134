# SPDX-License-Identifier: BSD-3-Clause
"""Networks side by side, and the surface of processor shares."""

from typing import Any

from drawn import parsed
from plait.results import check
from plait.results.figures.networks import networks_of, raw_tcp_sentence
from plait.views.html import page
from plait.views.html.drawn.surface import surface
from sample import loggp_result, nbc_result
from sample_spreads import spread


def with_raw_tcp() -> dict[str, Any]:
    answer = loggp_result()
    raw = loggp_result()
    raw["fit"]["latency_s"] = 7.5e-6
    raw["fit"]["segments"][-1]["gap_per_byte_s"] = 1e-9
    answer["raw_tcp"] = {key: raw[key] for key in ("fit", "sizes", "link")}
    return answer


def test_networks_have_names_of_their_own():
    mpich = loggp_result() | {"environment": loggp_result()["environment"] | {"mpi": "mpich"}}
    names = [network.name for network in networks_of([with_raw_tcp(), mpich, nbc_result()])]
    assert names == ["Open MPI, 2 hosts", "TCP, 2 hosts", "MPICH, 2 hosts"]
    names = [network.name for network in networks_of([loggp_result(), loggp_result()])]
    assert names == ["Open MPI, 2 hosts (1)", "Open MPI, 2 hosts (2)"]


def test_raw_tcp_is_told_beside_mpi():
    answer = with_raw_tcp()
    assert check(answer) == []
    said = raw_tcp_sentence(answer)
    assert said is not None
    assert "Raw TCP takes 10 µs for a message of 1 byte, where MPI takes 2.1 µs" in said
    assert "MPI's G is 2.00 of TCP's" in said
    assert raw_tcp_sentence(loggp_result()) is None


def test_several_networks_are_in_one_plot_of_the_first():
    text = page([loggp_result(), with_raw_tcp()])
    assert text.count("<h2>Networks side by side</h2>") == 1
    assert "<h2>Networks side by side</h2>" in page([with_raw_tcp()])
    assert "<h2>Networks side by side</h2>" not in page([loggp_result(), nbc_result()])


def test_a_damaged_raw_tcp_is_complained_about():
    answer = with_raw_tcp()
    del answer["raw_tcp"]["fit"]["latency_s"]
    assert any("raw_tcp" in complaint for complaint in check(answer))


def test_shares_make_a_surface_of_communicator_and_data_size():
    answer = nbc_result()
    for index, name in enumerate(("processor, 2 ranks", "processor, 4 ranks")):
        for cell in answer["rows"][name].values():
            cell["transport_percent"] = spread(10.0 + index)
    text = page([answer])
    assert "alltoall: share of a processor that the call needs" in text
    assert "alltoall: share of a processor that the call takes" in text
    assert "4 ranks, 1MiB: 11 %" in text


def test_a_place_without_a_value_breaks_the_mesh():
    names = ["2 ranks", "4 ranks", "8 ranks"]
    columns = ["1KiB", "2KiB", "4KiB"]
    whole = {(row, column): 1.0 for row in range(3) for column in range(3)}
    lines = [tag for tag, _ in parsed(surface("whole", names, columns, whole)).tags]
    hole = {place: 1.0 for place in whole if place != (1, 1)}
    fewer = [tag for tag, _ in parsed(surface("hole", names, columns, hole)).tags]
    assert lines.count("polyline") == 6
    assert fewer.count("polyline") == 4
    assert surface("a line", names, columns, {(0, 0): 1.0, (0, 1): 2.0}) == ""
