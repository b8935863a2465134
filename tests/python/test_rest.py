# SPDX-License-Identifier: BSD-3-Clause
"""What the rest of a policy's time is, and weak scaling."""

from typing import Any

from plait.results import check
from plait.results.figures.rest import PARTS, lost_after, rest_sentences
from plait.views.html import page
from plait.views.html.weak_scaling import weak_scaling
from sample import policies_result, result

NAME = "MT(7)+OLAP+XTRA+IRR(44:50)"


def with_rest() -> dict[str, Any]:
    answer = policies_result()
    answer["variants"][NAME]["rest"] = dict.fromkeys(PARTS, 0.0005) | {
        "sum_share": 0.998, "drift_share": 0.03, "largest_lag_s": 0.001, "proxy_utilisation": 0.18
    }  # fmt: skip
    return answer


def test_the_text_s_example_loses_its_overlap_after_27_iterations():
    rest = with_rest()["variants"][NAME]["rest"]
    assert round(lost_after(rest)) == 27
    assert lost_after(rest | {"proxy_utilisation": None}) is None
    assert lost_after(rest | {"drift_share": 0.0}) is None


def test_every_part_has_a_figure():
    answer = with_rest()
    assert check(answer) == []
    (line,) = rest_sentences(answer)
    for part in PARTS.values():
        assert f"{part} 500 µs" in line
    assert "together 99.8%" in line
    assert "drift apart by 3.0% of an iteration; the proxy is busy 18% of the time" in line
    text = page([answer])
    assert "<h2>What the rest is</h2>" in text
    assert "<h2>What the rest is</h2>" not in page([policies_result()])


def test_a_damaged_rest_is_complained_about():
    answer = with_rest()
    del answer["variants"][NAME]["rest"]["lag_s"]
    assert any("lag_s" in complaint for complaint in check(answer))


def weak(ranks: int, slower: float) -> dict[str, Any]:
    answer = result()
    answer["environment"]["ranks"] = ranks
    answer["parameters"]["cells_per_node"] = [64, 64, 64]
    for variant in answer["variants"].values():
        for figure in ("median", "q1", "q3"):
            variant["total_s"][figure] *= slower
    return answer


def test_weak_scaling_is_told_of_results_with_the_same_cells_a_node():
    alone, four = weak(1, 1.0), weak(4, 1.25)
    assert weak_scaling(alone, [alone, result()]) == []
    rows = weak_scaling(alone, [four, alone, result()])
    assert [row.nodes for row in rows] == [1, 4]
    assert round(rows[1].efficiency["base"], 9) == 0.8
    assert "<h2>Weak scaling</h2>" in page([alone, four])
    assert "<h2>Weak scaling</h2>" not in page([alone, result()])


def test_a_node_of_several_processes_is_one_node():
    alone, pair = weak(2, 1.0), weak(4, 1.0)
    for answer in (alone, pair):
        answer["parameters"]["processes_per_node"] = 2
    assert [row.nodes for row in weak_scaling(alone, [alone, pair])] == [1, 2]
