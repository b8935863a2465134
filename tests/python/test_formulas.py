# SPDX-License-Identifier: BSD-3-Clause
"""A formula that is printed gives the value that is printed, whatever was measured."""

import io
import random
import re

import pytest

from drawn import parsed, show_result
from plait.results import check
from plait.results.figures.overlap import nbc_sentences
from plait.views.html import page
from plait.views.terminal.console import console
from plait.views.terminal.traces import show_traces
from sample import nbc_result, poisson_result, policies_result, result, spread, tiles_result

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
NUMBER = r"(?:[\w' ]+ )?(-?[0-9.]+) (s|ms|µs|ns)"
TERM = rf"{NUMBER}(?: \+ {NUMBER})*"
FORMULA = re.compile(rf"([\w' ]*?{NUMBER}) = max\(({TERM}(?:, {TERM})*)\)")


def said_of(answer):
    """All that a terminal and a page say, as two texts of single spaces."""
    where = console(io.StringIO())
    show_result(answer, where)
    show_traces(answer, where)
    texts = (where.file.getvalue(), " ".join(parsed(page([answer])).text))
    return [" ".join(text.split()) for text in texts]


def values(text):
    """Seconds, and what the rounding of the last figure is worth."""
    found = [(float(n) * UNITS[u], 0.51 * UNITS[u] / 10 ** len(n.partition(".")[2]))
             for n, u in re.findall(NUMBER, text)]  # fmt: skip
    return [sum(each) for each in zip(*found)]


def formulas(text):
    """(what is said, its value, its terms) of each formula."""
    found = []
    for match in FORMULA.finditer(text):
        terms = [values(term) for term in match[4].split(", ")]
        found.append((match[0], values(match[1]), max(terms)))
    assert len(found) == len(re.findall(r"[0-9.]+ (?:s|ms|µs|ns) = max\(", text))
    return found


def random_result(chance, sample):
    answer = sample()

    def seconds():
        return 10 ** chance.uniform(-7, 3)

    communication, computation, transport = seconds(), seconds(), seconds()
    answer["communication_s"] = spread(communication)
    answer["computation_s"] = spread(computation)
    nothing = dict.fromkeys(("median", "q1", "q3"))
    answer["transport_cpu_s"] = chance.choice([spread(transport), nothing])
    answer["wire_bound_s"] = chance.choice([seconds(), None, 0.0])
    wire = answer["wire_bound_s"]
    messages = communication if wire is None else wire
    cost = answer["transport_cpu_s"]["median"] or 0.0
    answer["bound_s"] = max(messages, computation)
    answer["attainable_s"] = max(messages, computation + cost)
    for summary in answer["trace_summary"].values():
        summary["busy_s"], summary["wire_s"] = seconds(), chance.choice([seconds(), None])
        summary["overlapped_s"] = max(summary["busy_s"], summary["wire_s"] or 0.0)
        summary["span_s"] = seconds()
    return answer


@pytest.mark.parametrize("sample", [result, tiles_result, policies_result, poisson_result])
def test_every_formula_gives_its_value(sample):
    for seed in range(15):
        answer = random_result(random.Random(seed), sample)
        assert check(answer) == []
        for text in said_of(answer):
            found = formulas(text)
            assert len(found) >= 2
            for said, (value, rounding), (largest, rounding_of_terms) in found:
                assert abs(value - largest) <= rounding + rounding_of_terms, said


def test_the_wires_time_is_not_called_communication():
    answer = result()
    answer |= {"communication_s": spread(27.4e-3), "computation_s": spread(678e-6),
               "wire_bound_s": 6.156e-3, "transport_cpu_s": spread(20.2e-3),
               "bound_s": 6.156e-3, "attainable_s": 20.878e-3}  # fmt: skip
    for text in said_of(answer):
        assert "bound 6.156 ms = max(wire 6.156 ms, computation 678.0 µs)" in text
        assert ("attainable 20.88 ms = max(wire 6.156 ms, computation 678.0 µs"
                " + transport 20.20 ms)") in text  # fmt: skip
        assert "wire: computed, the bytes of a link at its rate; the other terms are" in text
        assert "communication alone, which takes 27.40 ms" in text


def test_a_value_that_is_not_its_formula_stands_alone():
    answer = result()
    answer["bound_s"] = 0.5
    for text in said_of(answer):
        assert "bound 500.0 ms" in text
        assert "bound 500.0 ms =" not in text


def test_what_is_not_measured_is_said_to_count_as_nothing():
    answer = result()
    answer["transport_cpu_s"] = None
    answer["attainable_s"] = 0.178
    for text in said_of(answer):
        assert "attainable 178.0 ms = max(wire 140.0 ms, computation 178.0 ms)" in text
        assert "the transport's processor time is not known and counts as 0" in text


def test_perfect_overlap_leaves_no_more_than_there_was():
    plain = r"(-?[0-9.]+ (?:s|ms|µs|ns))"
    promise = re.compile(rf"of {plain}, perfect overlap would leave {plain}")
    for seed in range(15):
        for text in said_of(random_result(random.Random(seed), result)):
            for whole, left in promise.findall(text):
                assert values(left)[0] <= values(whole)[0]


@pytest.mark.parametrize(("attainable", "reach"), [(79.6, "within"), (79.4, "out of")])
def test_a_verdict_goes_by_the_figure_that_is_printed(attainable, reach):
    answer = nbc_result()
    answer["rows"]["alone"]["alltoall 1MiB"]["attainable_overlap_percent"] = spread(attainable)
    said = " ".join(nbc_sentences(answer))
    assert f"leaves {attainable:.0f} % attainable: OSU's 80 % is {reach} reach here" in said
