# SPDX-License-Identifier: BSD-3-Clause
"""One version everywhere, old names that are refused with the new one, old results that are read.

`results_of_0_1_0` has what programs of 0.1.0 wrote, a file a kind, with long
timelines and tables cut short.
"""

import json
import re

import pytest

from conftest import ROOT, plait
from plait import __version__
from plait.results import kind_of, load
from plait.results.tables import tables_of as csv_tables_of
from plait.views.html import page
from test_kinds import tables_of

PAGE = (ROOT / "docs/use/compatibility.md").read_text()
OLD_RESULTS = sorted((ROOT / "tests/python/results_of_0_1_0").glob("*.json"))
OF_0_1_0 = {
    "application", "policies", "program", "benchmark", "progress", "loggp", "nbc", "overlap",
    "collective", "prediction", "probe", "reconstruction", "attach", "tolerance",
}  # fmt: skip
RENAMED = re.compile(r'[.]renamed\("(--[\w-]+)", "(--[\w-]+)"\)')


def test_all_that_names_a_version_names_this_one():
    assert plait("--version").stdout == f"plait {__version__}\n"
    assert re.fullmatch(r"\d+[.]\d+[.]\d+", __version__)
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(r"^## (\S+)", changelog, flags=re.M).group(1) == __version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {__version__}\n" in citation
    header = (ROOT / "include/plait/plait.h").read_text()
    numbers = re.findall(r"^#define PLAIT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, flags=re.M)
    assert ".".join(numbers) == __version__


def test_the_page_lists_every_old_name_that_programs_refuse():
    listed = re.findall(r"^\| `(\w+) (--[\w-]+)` \| `(--[\w-]+)` \|", PAGE, flags=re.M)
    refused = []
    for top in ("apps", "bench", "network", "measure"):
        for source in (ROOT / top).rglob("*.cpp"):
            for old, new in RENAMED.findall(source.read_text()):
                refused.append((source.parent.name, old, new))
    assert sorted(listed) == sorted(refused)
    assert refused


def test_a_result_of_each_kind_of_0_1_0_is_kept():
    kept = [load(file) for file in OLD_RESULTS]
    assert {one["kind"] for one in kept} == OF_0_1_0
    assert {one["environment"]["version"] for one in kept} == {"0.1.0"}
    sizes = [file.stat().st_size for file in OLD_RESULTS]
    assert max(sizes) <= 50_000
    assert sum(sizes) <= 200_000


@pytest.mark.parametrize("file", OLD_RESULTS, ids=lambda file: file.stem)
def test_todays_viewers_show_a_result_of_0_1_0(file):
    answer = load(file)
    assert kind_of(answer).name == answer["kind"]
    assert len(tables_of(answer).splitlines()) > 5
    drawn = page([answer])
    assert json.loads(file.read_text())["environment"]["commit"] in drawn
    assert csv_tables_of(answer)


def test_the_command_shows_a_result_of_0_1_0(tmp_path):
    done = plait("report", OLD_RESULTS[0], "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_a_result_with_members_that_are_not_known_is_read(tmp_path):
    answer = json.loads(OLD_RESULTS[0].read_text())
    answer["of_a_later_version"] = {"all": [1, 2.5, None]}
    answer["environment"]["of_a_later_version"] = "text"
    file = tmp_path / "later.json"
    file.write_text(json.dumps(answer))
    assert load(file) == answer
    assert page([answer])
