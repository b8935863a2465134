# SPDX-License-Identifier: BSD-3-Clause
"""Damaged result files: every reader refuses them in a line or reads them; none breaks.

`PLAIT_DAMAGED=20000` in the environment tries so many of each kind.
"""

import contextlib
import copy
import io
import json
import os
import random

import pytest

from conftest import one_line, plait
from drawn import show_result
from plait import results
from plait.errors import BadInput
from plait.results.compare import compare_results
from plait.views.html import page
from plait.views.terminal.comparison import show_comparison
from plait.views.terminal.console import console
from plait.views.terminal.traces import show_traces
from sample import SAMPLES

EACH = int(os.environ.get("PLAIT_DAMAGED", "40"))
VALUES = [
    None, True, False, 0, -1, 1, 7, 10**400, -(10**400), 1e308, -1e308, 1e-310, 1e29, 0.5,
    float("nan"), float("inf"), "", "x", "8 ranks", "0B", "\ud800", "[/bold]", "[bold", ":smile:",
    "<script>", "a\nb", "\x00", [], [0], [[]], [None], {}, {"median": 1}, {"median": None},
    {"median": 0, "q1": 0, "q3": 0}, {"x": {}}, {"\udfff": 1}, {"median": {"median": 1}},
]  # fmt: skip


def at(node, path):
    for key in path:
        node = node[key]
    return node


def damaged(whole, chance):
    """A copy with one to three things wrong with it, as text."""
    answer = copy.deepcopy(whole)
    for _ in range(chance.choice((1, 1, 2, 3))):
        # By the names on the way, so that the long lists are not all that is hit.
        path, key = (), chance.choice(list(answer)) if answer else ""
        while True:
            node = at(answer, path)
            value = node[key]
            if not isinstance(value, (dict, list)) or not value or chance.random() < 0.15:
                break
            path = (*path, key)
            key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        spoil(node, key, chance)
        if not answer:
            break
    text = json.dumps(answer)
    if chance.random() < 0.1:  # and bytes of it
        position = chance.randrange(len(text))
        text = text[:position] + chance.choice(["", "0", "{", '"', "\\u0000", "[" * 3000])
    return text


def spoil(node, key, chance):
    how = chance.random()
    if how < 0.6:
        node[key] = copy.deepcopy(chance.choice(VALUES))
    elif how < 0.75:
        del node[key]
    elif how < 0.85 and isinstance(node, dict):
        node[chance.choice(["", "x", "[/red]", "\ud800", "median", "rows", "base"])] = node.pop(key)
    elif isinstance(node[key], (int, float)) and not isinstance(node[key], bool):
        with contextlib.suppress(OverflowError):
            node[key] *= chance.choice([-1, 1e-12, 1e12, 10**20])
    elif isinstance(node[key], list):
        node[key] = node[key] * chance.choice([0, 2, 3])
    else:
        node[key] = [node[key]]


def read_by_all(text, whole, file):
    """Returns whether the file was taken for a result, which every reader has then read."""
    file.write_text(text)
    try:
        answer = results.load(file)
    except BadInput as error:
        refused = str(error)
    else:
        refused = None
    if refused is not None:
        assert len(refused.encode()) < 1000
        return False
    where = console(io.StringIO())
    show_result(answer, where)
    if "app" in answer:
        show_traces(answer, where)
    page([answer]).encode()
    page([whole, answer]).encode()
    for pair in ((whole, answer), (answer, whole), (answer, answer)):
        with contextlib.suppress(BadInput):
            lines = compare_results(*pair)
            assert all(line.verdict for line in lines)
            show_comparison(lines[:20], where)
    where.file.getvalue().encode()
    return True


@pytest.mark.parametrize("kind", SAMPLES)
def test_damaged_results_are_refused_or_read(kind, tmp_path):
    whole = SAMPLES[kind]()
    assert read_by_all(json.dumps(whole), whole, tmp_path / "whole.json")
    taken = 0
    for seed in range(EACH):
        chance = random.Random(f"{kind} {seed}")
        text = damaged(whole, chance)
        try:
            taken += read_by_all(text, whole, tmp_path / "file.json")
        except Exception as error:
            raise AssertionError(f"{kind} {seed}: {error!r}") from error
    assert 0 < taken < EACH


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"schema": "plait-result/1", "app": NaN}', "NaN is no number"),
        (b'{"schema": "\\ud800"}', "half of a character"),
        (b'{"schema": "plait-result/1", "app": "x", "parameters": [], "environment": 7}',
         "parameters is not an object"),
    ],
)  # fmt: skip
def test_the_command_says_in_a_line_what_is_wrong(content, said, tmp_path):
    file = tmp_path / "file.json"
    file.write_bytes(content)
    assert said in one_line(plait("report", file))
    assert said in one_line(plait("compare", file, file))


def test_a_file_without_end_is_refused():
    assert "larger than 256 MiB" in one_line(plait("report", "/dev/zero", "-o", "/tmp/none.html"))
