# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `plait papers`: rows are read, run, and fail in a line where they print no quantity."""

import datetime
import json

import pytest

from conftest import ROOT, plait
from plait.errors import BadInput
from plait.papers import page as pages
from plait.papers.pictures import Pictures
from plait.papers.quantities import figures_of
from plait.papers.running import Journal, RowFailed, Runner, chosen, run_rows
from plait.papers.small import smaller
from sample_applications import result

PAGE = f"""# Title

| short | long |
| --- | --- |
| `TWO` | `--ranks 2` |
| `APP` | `plait run app TWO --size 4` |

## System

{pages.HEADER}
| --- | --- | --- | --- | --- |
| Figure 1 <!-- of thyme: "1" --> | `APP --variants 'a,b c'` | at 2: `b c / a` = 0.5; `hidden of a` = ?. Words | agrees | [p](p.md) |
| Figure 2 | `echo one 1`, `echo one 2.5` | `one` = 3, 4 [1, 5] | ours | |
"""  # noqa: E501


@pytest.fixture(name="page")
def _page(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(PAGE)
    return pages.read(file)


def spread(*samples):
    return {"median": sorted(samples)[len(samples) // 2], "samples": list(samples)}


def test_a_row_has_its_commands_and_quantities(page):
    first, second = page.rows
    assert (first.name, first.commands) == ("System, Figure 1", ("APP --variants 'a,b c'",))
    assert (first.quantities, second.quantities) == (("b c / a", "hidden of a"), ("one",))
    assert page.expanded(first.commands[0]) == [
        "plait", "run", "app", "--ranks", "2", "--size", "4", "--variants", "a,b c",
    ]  # fmt: skip
    assert chosen(page, ["Figure 2", "nothing"]) == [second]
    with pytest.raises(BadInput, match="no row has 9"):
        chosen(page, ["9"])


def test_a_row_without_a_quantity_is_refused(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(PAGE.replace("`one` = 3, 4 [1, 5]", "one is 3"))
    with pytest.raises(BadInput, match="System, Figure 2: names no quantity"):
        pages.read(file)


def test_new_figures_and_their_day_are_written_and_nothing_else(page, tmp_path):
    file = tmp_path / "new.md"
    day = datetime.date(2026, 1, 31)
    pages.write(file, page, {page.rows[1].line: pages.Found({"one": "7 [6, 8], 9"}, day)})
    *same, last = file.read_text().splitlines()
    assert same == PAGE.splitlines()[:-1]
    assert last.endswith(" | `one` = 7 [6, 8], 9 | ours | 2026-01-31 |")


def test_a_row_runs_its_commands_and_is_run_once(page, tmp_path, capsys):
    row = page.rows[1]
    journal = tmp_path / "rows.jsonl"
    day = datetime.date.today()
    for _ in range(2):
        found, failures = run_rows([row], Runner(page, tmp_path, False), Journal(journal))
        assert (found, failures) == ({row.line: pages.Found({"one": "1, 2.5"}, day)}, [])
        (line,) = journal.read_text().splitlines()
        assert json.loads(line)["figures"] == {"one": "1, 2.5"}
        day = datetime.date(2026, 1, 31)  # on which it ran, and not today
        ended_at = json.loads(line)["ended_at"]
        journal.write_text(line.replace(ended_at, f"{day}T12:00:00") + "\n")
    assert "System, Figure 2: one = 1, 2.5" in capsys.readouterr().out


def test_a_row_has_a_page_with_its_sentence_and_pictures(page, tmp_path):
    pictures = Pictures(tmp_path, page)
    row, without = page.rows
    pictures.draw(row, {"hidden of a": "0.8"}, [result()])
    pictures.draw(without, {"one": "1"}, [])
    (file,) = (tmp_path / "pictures").iterdir()
    drawn = file.read_text()
    assert "at 2: b c / a = 0.5; hidden of a = 0.8. Words. Beside the text: agrees." in drawn
    assert "<svg" in drawn
    contents = pictures.write_contents().read_text()
    assert f'href="pictures/{file.name}"' in contents
    assert "Figure 2" not in contents


@pytest.mark.parametrize(
    ("command", "says"),
    [("echo two 2", "nothing printed has 'one'"), ("false", "false: exit code 1"),
     ("examples/no_such", "is not built")],
)  # fmt: skip
def test_a_row_that_does_not_print_its_quantity_fails_in_a_line(tmp_path, command, says):
    file = tmp_path / "page.md"
    file.write_text(PAGE.replace("`echo one 1`, `echo one 2.5`", f"`{command}`"))
    page = pages.read(file)
    with pytest.raises(RowFailed, match=says):
        Runner(page, tmp_path, False).run(page.rows[1])
    found, failures = run_rows(page.rows[1:], Runner(page, tmp_path, False), None)
    assert found == {}
    assert len(failures) == 1


def test_rows_with_the_same_command_at_a_small_size_run_it_once(tmp_path, monkeypatch):
    file = tmp_path / "page.md"
    file.write_text(PAGE.replace("`echo one 1`, `echo one 2.5`", "`plait run hpl --n 9 --nb 1`")
                    .replace("`APP --variants 'a,b c'`", "`plait run hpl --n 7`")
                    .replace("`b c / a` = 0.5; `hidden of a` = ?", "`one` = ?"))  # fmt: skip
    started = []

    def run(words, folder):
        started.append(words)
        return 0, f"one {len(started)}", ""

    monkeypatch.setattr("plait.papers.running._run", run)
    page = pages.read(file)
    for small, figures in ((True, ["1", "1"]), (False, ["2", "3"])):
        runner = Runner(page, tmp_path, small)
        assert [runner.run(row)["one"] for row in page.rows] == figures


def test_small_sizes_take_the_place_of_those_of_the_page():
    words = ["plait", "run", "hpl", "--grid", "1x2", "--n", "4000"]
    assert " ".join(smaller(words)) == "plait run hpl --grid 1x2 --n 128 --nb 32 --repeat 1"
    words = ["plait", "run", "redblack3d", "--cells-per-node", "9x9x9", "--steps", "10"]
    assert "--cells-per-node 16x16x8" in " ".join(smaller(words))
    assert "--size" not in smaller(words)
    assert smaller(["plait", "report", "A.json"]) == ["plait", "report", "A.json"]


def test_quantities_are_found_in_results():
    application = {
        "variants": {"base": {"total_s": spread(2.0, 4.0, 4.0), "gflops": 1234.5, "exposed_s": 1.0},
                     "plait": {"total_s": spread(1.0, 2.0, 3.0)}},
        "hidden_fraction": {"plait": 0.8123, "base": None}, "wire_bound_s": 1.0,
    }  # fmt: skip
    for quantity, figures in {
        "plait / base": ["0.5 [0.5, 0.625]"], "plait / wire": ["2"], "hidden of plait": ["0.812"],
        "hidden of base": ["nothing"], "hidden of none": [], "Gflop/s of base": ["1234"],
        "waits of base, %": ["25"],
    }.items():  # fmt: skip
        assert figures_of(quantity, application, "") == figures, quantity
    times = {"a": (1.0, 3.0), "b": (2.0, 2.0)}
    rows = {name: {case: {"total_us": spread(time)} for case, time in zip("89", both)}
            for name, both in times.items()}  # fmt: skip
    assert figures_of("a / b", {"rows": rows}, "") == ["0.5", "1.5"]
    bars = [{"name": name, "verified": True, "total_s": spread(time)}
            for name, time in (("P", 0.3), ("E", 0.4))]  # fmt: skip
    probe = {"figures": [{"groups": [{"bars": bars}]}]}
    assert figures_of("P / E", probe, "") == ["0.75"]
    assert figures_of("times of P, ms", probe, "") == ["300"]
    assert figures_of("so many", None, "so many 12.50. Then so many 3") == ["12.50"]


def test_every_row_of_the_page_can_be_read():
    page = pages.read(ROOT / "docs" / "use" / "papers.md")
    assert len(page.rows) > 60
    listed = plait("papers", "--list").stdout
    for row in page.rows:
        assert row.name in listed
    for word in page.short:
        assert word not in listed.split()


@pytest.mark.for_all
@pytest.mark.lab
def test_every_row_prints_its_quantities_at_a_small_size():
    done = plait("papers", "--small", PLAIT_BIN_DIR="", seconds=900)
    assert done.returncode == 0, [x for x in done.stdout.splitlines() if x.startswith("FAILED")]
