# SPDX-License-Identifier: BSD-3-Clause
"""Tests of hidden time, gains of cache reuse, and computation slowed down beside messages."""

from drawn import parsed, shown
from plait.results import check
from plait.views.html import page
from sample import TOTALS, result, tiles_result


def test_what_reuses_the_cache_hides_nothing_and_has_its_own_ideal():
    answer = tiles_result()
    assert check(answer) == []
    text = shown(answer)
    assert max(map(len, text.splitlines())) <= 80
    assert text.splitlines()[1].split()[-5:] == ["base", "/", "ideal", "hidden", "verified"]
    row = next(line for line in text.splitlines() if line.startswith("tiles "))
    assert row.split()[-3:] == ["0.484", "1.071", "yes"]
    row = next(line for line in text.splitlines() if line.startswith("plait "))
    assert row.split()[-3:] == ["0.648", "0.83", "yes"]
    said = " ".join(text.split())
    hiding = "hiding: plait takes 0.648 of base's time and hides 0.83 of what can be hidden"
    reuse = "cache reuse that tasks make easy, no hiding: tiles takes 0.484 of base's time, 1.071"
    assert said.index(hiding) < said.index(reuse) < said.index("bound 178.0 ms")
    assert "its bound 140.0 ms, attainable 152.0 ms" in said
    assert "cache reuse" not in shown(result())


def test_a_wide_table_of_tiles_fits_80_columns():
    answer = tiles_result()
    answer["variants"]["tiles_ideal"] = answer["variants"].pop("ideal")
    for variant in answer["variants"].values():
        variant["total_s"] = {"median": 123.4567, "q1": 100.1, "q3": 150.9}
        variant["compute_s"] = variant["exposed_s"] = 100.0
    assert max(map(len, shown(answer).splitlines())) <= 80


def test_a_bound_that_is_beaten_is_said_to_be_too_high():
    answer = tiles_result()
    answer["attainable_s"] = TOTALS["plait"] / 0.96
    answer["beats_attainable"] = ["plait", "tiles"]
    answer["hidden_fraction"]["plait"] = 1.04
    note = "plait beats attainable by 4 %: the bound was measured too high here"
    own = "tiles beats attainable by 1 %: the bound was measured too high here"
    for said in (" ".join(shown(answer).split()), " ".join(parsed(page([answer])).text)):
        assert note in said
        assert own in said
    assert "1.04" in shown(answer)
    words = " ".join(parsed(page([answer])).text)
    assert "plait hides: no gain, the bound was measured too high here" in words
    assert "beats attainable" not in shown(result())


def test_bounds_say_how_far_rounds_differ_and_whose_runs_needed_less():
    answer = tiles_result()
    answer["bound_by_round_s"] = {"median": 0.178, "q1": 0.178, "q3": 0.178}
    answer["attainable_by_round_s"] = {"median": 0.19, "q1": 0.188, "q3": 0.195}
    answer["computation_from"] = {"plait": 2, "olap": 1}
    assert check(answer) == []
    for said in (" ".join(shown(answer).split()), " ".join(parsed(page([answer])).text)):
        assert "transport 12.00 ms), by rounds 188.0 ms to 195.0 ms" in said
        assert "178.0 ms, by rounds" not in said
        assert (
            "computation alone was disturbed: of 5 rounds less was needed beside messages, and"
            " counts, by plait in 2, olap in 1"
        ) in said
    assert max(map(len, shown(answer).splitlines())) <= 80
    answer["computation_from"] = {}
    assert "was disturbed" not in shown(answer)


def test_on_a_device_copies_count_in_the_bound():
    answer = result()
    answer["device"] = {"bus_s": 0.2, "bound_s": 0.2}
    assert check(answer) == []
    said = " ".join(shown(answer).split())
    ratio = TOTALS["plait"] / 0.2
    assert "with copies each way, 200.0 ms, the bound of device, bus and link is 200.0 ms" in said
    assert f"plait {ratio:.3f}" in said
    answer["device"]["bound_s"] = 0
    assert any("device.bound_s" in line for line in check(answer))


def test_slower_computation_has_a_row_of_its_own():
    said = " ".join(shown(tiles_result()).split())
    assert (
        "computation slower beside messages: plait 20.0 ms (of it transport 12.0 ms, proxy thread"
        " 5.00 ms), tiles 4.00 ms (of it transport 4.00 ms, proxy thread 3.00 ms); the rest:"
        " caches, other programs; a proxy's time contains transport work"
    ) in said
    assert "slower beside messages" not in shown(result())
    unknown = tiles_result()
    unknown["variants"]["plait"]["slower_computation"] |= {"transport_s": None, "proxy_s": None}
    assert "messages: plait 20.0 ms, tiles" in " ".join(shown(unknown).split())


def test_the_breakdown_shows_what_computation_takes_longer_beside_messages():
    reader = parsed(page([tiles_result()]))
    bars = {a["data-tip"]: a for _, a in reader.tags if a.get("class") == "k-slower" and "x" in a}
    tip = "plait: computation slower beside messages 20.0 ms (10.0%), of it transport 12.0 ms,"
    assert any(each.startswith(tip) for each in bars)
    alone = [a for _, a in reader.tags if a.get("data-tip", "").startswith("plait: compute 156 ms")]
    assert len(alone) == 1
    assert "1.071 of its own ideal" in reader.text
    assert any("tiles takes 1.071 of its own ideal's time" in each for each in reader.text)


def test_nothing_is_said_of_what_variants_with_more_threads_hide():
    answer = result()
    answer["variants"]["plait"] |= {"workers": 4, "computes_as_base": False}
    answer["hidden_fraction"]["plait"] = None
    assert check(answer) == []
    assert "nothing is said of what variants with more hide" in " ".join(shown(answer).split())
    assert "variants with more" not in shown(result())
