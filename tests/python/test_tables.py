# SPDX-License-Identifier: BSD-3-Clause
"""Results as flat tables: CSV files, data frames."""

import csv
import io
import json
import sys
import types

import pytest

import plait as package
from conftest import one_line, plait
from plait.results.tables import csv_of, tables_of
from sample_applications import result as application_result
from sample_attach import attach_result, large_result
from sample_networks import bench_result


def test_a_profile_has_sites_ranks_and_pairs():
    result = attach_result()
    tables = tables_of(result)
    assert [row["call"] for row in tables["sites"]] == [site["call"] for site in result["sites"]]
    assert [row["rank"] for row in tables["ranks_detail"]] == [0, 1, 2, 3]
    assert tables["pairs"][0] == {"from": 0, "to": 1, "messages": 24_000, "bytes": 1.5e9}
    assert len(tables["pairs"]) == 6
    (run,) = tables["run"]
    assert run["pop_load_balance"] == result["pop"]["load_balance"]
    assert run["hosts"] == "n0 n1"


def test_pairs_of_many_ranks_are_named_by_the_first_of_their_rows():
    tables = tables_of(large_result())
    assert tables["pairs"][1] == {"from": 0, "to": 157, "messages": 4096, "bytes": 4096}
    assert [row["count"] for row in tables["rank_classes"]] == [9602, 392, 4]


def test_a_spread_is_three_cells_and_a_table_in_a_row_names_the_row():
    result = application_result()
    tables = tables_of(result)
    by_name = {row["variant"]: row for row in tables["variants"]}
    assert list(by_name) == list(result["variants"])
    spread = result["variants"]["base"]["total_s"]
    base = by_name["base"]
    assert [base[f"total_s{end}"] for end in ("", "_q1", "_q3")] == [
        spread[name] for name in ("median", "q1", "q3")
    ]
    ledger = [row for row in tables["variants_ledger"] if row["variant"] == "base"]
    assert len(ledger) == len(result["variants"]["base"]["ledger"])


def test_every_number_of_a_benchmark_is_in_a_table():
    result = bench_result()
    cells = [cell for rows in tables_of(result).values() for row in rows for cell in row.values()]
    medians = [case[member]["median"] for row in result["rows"].values() for case in row.values()
               for member in case if isinstance(case[member], dict)]  # fmt: skip
    assert medians
    assert [median for median in medians if median not in cells] == []


def test_csv_has_a_line_of_names_and_quotes_what_has_commas():
    text = csv_of([{"a": 1, "b": "x, y"}, {"a": 2, "c": None}])
    assert list(csv.reader(io.StringIO(text))) == [
        ["a", "b", "c"],
        ["1", "x, y", ""],
        ["2", "", ""],
    ]


def test_the_command_writes_the_tables_of_several_results(tmp_path):
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        file.write_text(json.dumps(attach_result()))
    folder = tmp_path / "tables"
    done = plait("report", *files, "-o", tmp_path / "page.html", "--csv", folder)
    assert done.returncode == 0, done.stderr
    with (folder / "sites.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["result"] for row in rows] == [str(file) for file in files for _ in range(3)]
    assert float(rows[0]["exposed_s"]) == 3.3
    assert "name a folder" in one_line(plait("report", files[0], "--csv", files[1]))


def test_load_gives_data_frames(tmp_path, monkeypatch):
    frames = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
    monkeypatch.setitem(sys.modules, "pandas", frames)
    file = tmp_path / "one.json"
    file.write_text(json.dumps(attach_result()))
    kind, rows = package.load(file)["sites"]
    assert (kind, len(rows)) == ("frame", 3)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        package.load(file)
