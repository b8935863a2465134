# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach`: which MPI library a program uses, what is refused, how the program starts."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

from conftest import ROOT, environment, one_line
from plait.attach import built, target
from plait.attach.words import parse, parse_switches, settings
from plait.errors import BadInput
from plait.results.attach import Attach
from plait.results.figures.attach import (
    advice,
    owner,
    place_text,
    rewrites,
    summary_sentence,
    wrapper_text,
)
from plait.results.figures.attach_timeline import with_timeline
from plait.views.html import page
from sample_attach import ADVICE, REWRITE, attach_result, hybrid_result, large_result
from test_kinds import printed, show_result

START = ["/usr/bin/python3", "-I", "-S", "-B", ROOT / "python/plait/attach/__main__.py"]
# What the library would do is printed here: the program has it in its environment.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int MPI_Init(int*, char***);
int main(int count, char** words) {
  MPI_Init(0, 0);
  const char* names[] = {"PLAIT_ATTACH", "PLAIT_ATTACH_JSON", "PLAIT_ATTACH_TRACE",
                         "PLAIT_ATTACH_QUIET"};
  for (int i = 0; i < 4; ++i)
    printf("%s=%s\\n", names[i], getenv(names[i]) ? getenv(names[i]) : "");
  for (int i = 0; i < count; ++i) printf("word %s\\n", words[i]);
  const char* file = getenv("PLAIT_ATTACH_JSON");
  if (file && getenv("RESULT")) {
    FILE* out = fopen(file, "w");
    fputs(getenv("RESULT"), out);
    fclose(out);
  }
  if (getenv("DIE")) abort();
  return 7;
}
"""  # fmt: skip


def compile_c(text, output, *options):
    subprocess.run(
        ["gcc", "-x", "c", "-", "-x", "none", "-o", output, *options],
        input=text,
        text=True,
        check=True,
    )
    return output


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An installation of an MPI library, programs linked with it, and a library to put in front."""
    root = tmp_path_factory.mktemp("attach")
    for folder in ("mpi/bin", "mpi/lib", "bin", "lib"):
        (root / folder).mkdir(parents=True)
    for tool in ("mpicxx", "mpiexec", "mpichversion"):
        (root / "mpi/bin" / tool).touch(mode=0o755)
    mpi = compile_c("int MPI_Init(int* a, char*** b) { return 0; }", root / "mpi/lib/libmpi.so.12",
                    "-shared", "-Wl,-soname,libmpi.so.12")  # fmt: skip
    between = compile_c(
        "int MPI_Init(int*, char***); int between(void) { return MPI_Init(0, 0); }",
        root / "lib/libbetween.so", "-shared", mpi, "-Wl,-rpath,$ORIGIN/../mpi/lib",
    )  # fmt: skip
    compile_c(PROGRAM, root / "bin/direct", mpi, "-Wl,-rpath,$ORIGIN/../mpi/lib")
    compile_c("int between(void); int main() { return between(); }", root / "bin/indirect", between,
              "-Wl,-rpath,$ORIGIN/../lib", f"-Wl,-rpath-link,{root}/mpi/lib")  # fmt: skip
    static = "int MPI_Init(int* a, char*** b) { return 0; } int main() { return MPI_Init(0, 0); }"
    compile_c(static, root / "bin/static", "-static")
    compile_c(static, root / "bin/inside")
    compile_c("int main() { return 0; }", root / "bin/plain")
    compile_c('int main() { return "MPI_Init"[0] == 0; }', root / "bin/looks_it_up")
    compile_c(PROGRAM, root / "bin/lost", mpi)
    for name in ("libmpi_abi.so.0", "libother.so"):
        path = compile_c("int PMPI_Init(int* a, char*** b) { return 0; }"
                         "int MPI_Init(int* a, char*** b) { return 0; }", root / "lib" / name,
                         "-shared", f"-Wl,-soname,{name}")  # fmt: skip
        compile_c(PROGRAM, root / "bin" / name, path, "-Wl,-rpath,$ORIGIN/../lib")
    compile_c(PROGRAM, root / "bin/lost_abi", root / "lib/libmpi_abi.so.0")
    (root / "packages/mpi4py").mkdir(parents=True)
    (root / "packages/mpi4py/__init__.py").write_text("rc = dict\n")
    compile_c("int MPI_Init(int*, char***); int start(void) { return MPI_Init(0, 0); }",
              root / f"packages/mpi4py/MPI{sysconfig.get_config_var('EXT_SUFFIX')}",
              "-shared", mpi, "-Wl,-rpath,$ORIGIN/../../mpi/lib")  # fmt: skip
    compile_c(PROGRAM, root / "bin/privileged", mpi, "-Wl,-rpath,$ORIGIN/../mpi/lib")
    (root / "bin/privileged").chmod(0o4755)
    (root / "bin/script").write_text("#!/bin/sh\nexit 3\n")
    (root / "bin/script").chmod(0o755)
    compile_c("int plait_is_in_front;", root / "libplait_attach.so", "-shared")
    return root


def attach(house, *words, **more):
    return subprocess.run(
        [*START, *map(str, words)], capture_output=True, text=True, check=False, timeout=60,
        env=environment(**{"PLAIT_BIN_DIR": str(house), **more}), cwd=house,
    )  # fmt: skip


@pytest.mark.parametrize("program", ["direct", "indirect"])
def test_the_library_is_found_behind_other_libraries(program, house):
    assert target.find(str(house / "bin" / program), None).mpi == str(house / "mpi")


def test_one_build_is_for_all_libraries_that_have_the_standard_abi(house, monkeypatch):
    program = str(house / "bin/libmpi_abi.so.0")
    for mpi in (None, "abi", str(house)):  # a folder whose lib has such a library
        found = target.find(program, mpi)
        assert (found.mpi, found.kind) == ("abi", "abi")
    assert built.places("abi")[0].parts[-3:-1] == ("release-abi", "lib")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(house / "lib"))
    assert target.find(str(house / "bin/lost_abi"), None).mpi == "abi"


def test_pythons_library_is_the_one_that_mpi4py_opens(house, monkeypatch, tmp_path):
    (script := tmp_path / "program.py").write_text(f"#!/usr/bin/env {sys.executable}\n")
    script.chmod(0o755)
    (none := tmp_path / "packages/mpi4py").mkdir(parents=True)
    (none / "__init__.py").write_text("raise ImportError('there is none')\n")
    monkeypatch.setenv("PYTHONPATH", str(none.parent))
    for word in (sys.executable, str(script)):
        with pytest.raises(BadInput, match="name it: --mpi openmpi, mpich or abi"):
            target.find(word, None)
    monkeypatch.setenv("PYTHONPATH", str(house / "packages"))
    for word in (sys.executable, str(script)):
        found = target.find(word, None)
        assert (found.mpi, found.kind) == (str(house / "mpi"), "mpich")
        assert found.opened == str(house / "mpi/lib/libmpi.so.12")
    monkeypatch.setenv("LD_PRELOAD", "other.so")
    told = settings("plait.so", ("profile",), opened=found.opened)
    assert told["LD_PRELOAD"] == f"plait.so:{found.opened}:other.so"


def test_attach_that_came_built_needs_no_compiler_of_the_mpi_library(house, monkeypatch, tmp_path):
    library = tmp_path / "intel/lib/libmpi.so.12"
    library.parent.mkdir(parents=True)
    shutil.copy(house / "mpi/lib/libmpi.so.12", library)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    program = str(house / "bin/lost")
    with pytest.raises(BadInput, match="with its bin/mpicxx"):
        target.find(program, None)
    monkeypatch.setattr(built, "_PACKAGE", tmp_path / "plait")
    attached = tmp_path / "plait/attach/lib/mpich" / built.FILE
    attached.parent.mkdir(parents=True)
    attached.touch()
    monkeypatch.setenv("PLAIT_BIN_DIR", "")
    for named in (None, "mpich", str(library.parents[1])):
        found = target.find(program, named)
        assert built.find(found.mpi, found.kind) == str(attached)
    with pytest.raises(BadInput, match="and --mpi names openmpi"):
        target.find(program, "openmpi")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bin/static", "MPI is linked statically"),
        ("bin/inside", "MPI is linked statically"),
        ("bin/privileged", "is setuid or setgid"),
        ("bin/plain", "is linked with no MPI library, so there is nothing to measure"),
        ("bin/looks_it_up", "is linked with no MPI library, so there is nothing to measure"),
        ("bin/lost", "is linked with libmpi.so.12, which the loader does not find"),
        ("bin/lost_abi", "is linked with libmpi_abi.so.0, which the loader does not find"),
        ("--mpi mpich bin/libmpi_abi.so.0", "standard ABI (--mpi abi), and --mpi names mpich"),
        ("bin/libother.so", "is neither Open MPI's nor MPICH's own library"),
        ("bin/script", "is a script: where it uses an MPI library, name it: --mpi openmpi"),
        ("--mpi openmpi bin/direct", "and --mpi names openmpi"),
        ("bin/nothing", "there is no such program"),
        ("direct", "there is no such program"),
        ("lib/libbetween.sO", "there is no such program"),
        ("", "PROGRAM is missing"),
        ("--trice bin/direct", "there is no option --trice"),
        ("--json /nowhere/at/all bin/direct", "there is no folder /nowhere/at"),
    ],
)
def test_what_cannot_be_attached_is_refused_before_it_starts(words, said, house):
    done = attach(house, *words.split())
    assert said in one_line(done)
    assert done.stdout == ""


def test_a_library_that_is_not_built_is_one_line_with_what_to_run(house):
    done = attach(house, "bin/direct", PLAIT_BIN_DIR="")
    assert f"first run `./plait attach --build --mpi {house}/mpi`" in one_line(done)


@pytest.mark.parametrize("place", ["plait/attach/lib", "../attach"], ids=["wheel", "prefix"])
def test_a_library_that_came_with_the_package_is_used(place, house, monkeypatch, tmp_path):
    monkeypatch.setenv("PLAIT_BIN_DIR", "")
    monkeypatch.setattr(built, "_PACKAGE", tmp_path / "python/plait")
    monkeypatch.setattr(built, "_ROOT", tmp_path)
    with pytest.raises(BadInput, match="installed without attach for"):
        built.find(str(house / "mpi"))
    there = tmp_path / "python" / place / "mpich" / built.FILE
    there.parent.mkdir(parents=True)
    there.touch()
    assert built.targets(str(house / "mpi")) == []
    assert pathlib.Path(built.find(str(house / "mpi"))).samefile(there)
    assert built.targets("openmpi") == ["plait_attach"]


def test_only_the_first_rank_says_what_is_wrong(house):
    done = attach(house, "bin/plain", PMI_RANK="1")
    assert (done.returncode, done.stderr) == (2, "")


def test_the_program_has_its_own_words_and_its_exit_code(house):
    done = attach(house, "--progress", "--trace=t.json", "--json", "a.json", "--quiet", "--",
                  "bin/direct", "--json", "x", "--", "-n")  # fmt: skip
    assert done.returncode == 7, done.stderr
    assert done.stdout.splitlines() == [
        "PLAIT_ATTACH=profile,progress,trace", f"PLAIT_ATTACH_JSON={house}/a.json",
        f"PLAIT_ATTACH_TRACE={house}/t.json", "PLAIT_ATTACH_QUIET=1", "word bin/direct",
        "word --json", "word x", "word --", "word -n",
    ]  # fmt: skip


def test_options_of_the_program_are_not_the_commands(house):
    done = attach(house, "bin/direct", "--progress", "--report")
    assert done.stdout.splitlines()[0] == "PLAIT_ATTACH=profile"
    assert done.stdout.splitlines()[-2:] == ["word --progress", "word --report"]


def test_a_script_runs_with_the_library_that_is_named(house):
    done = attach(house, "--mpi", house / "mpi", "bin/script")
    assert (done.returncode, done.stderr) == (3, "")


@pytest.mark.parametrize("dies", [False, True])
def test_a_report_is_written_when_the_program_has_ended(dies, house):
    page_file = house / f"page-{dies}.html"
    more = {"DIE": "1"} if dies else {}
    done = attach(house, f"--report={page_file}", "bin/direct", RESULT=json.dumps(attach_result()),
                  **more)  # fmt: skip
    assert done.returncode == (-6 if dies else 7)
    assert f"report: {page_file.name}" in done.stderr
    assert "halo.f90:118" in page_file.read_text()


def test_a_report_of_a_program_that_left_nothing_is_one_line(house):
    done = attach(house, "--report=none.html", "bin/direct")
    assert one_line(done, 7).startswith("plait: the program left no result")
    assert not (house / "none.html").exists()


def test_the_way_to_the_program_imports_no_table_and_no_array(house):
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import plait.attach.command;"
        "print(sorted({'rich', 'typer', 'numpy', 'json', 're', 'argparse', 'plait.results'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert json.loads(done.stdout.replace("'", '"')) == ["re"]


def test_switches_are_read_in_any_order():
    assert parse_switches("verify,progress") == ("profile", "progress", "verify")
    assert parse_switches("") == ("profile",)
    with pytest.raises(BadInput, match="there is no 'speed'"):
        parse_switches("speed")
    assert parse(["--trace", "./a/b"]).trace == "b.trace.json"


def test_the_terminal_shows_at_most_30_lines_of_80_columns_beside_regions():
    result = attach_result()
    result["sites"] = result["sites"] * 20
    for index, site in enumerate(result["sites"]):
        site["advice"] = f"{index} {ADVICE}"
        result["sites"][index] = dict(site)
    result["warnings"] = [ADVICE * 3] * 9
    lines = printed(lambda console: show_result(result, console), width=200).splitlines()
    assert 20 < len(lines) <= 30 + len(result["regions"])
    assert max(map(len, lines)) <= 80
    assert lines[0] == "wave, 4 ranks, 2 hosts, Open MPI 4.1.4"
    assert "halo.f90:118" in "\n".join(lines)


def test_headers_are_whole_at_80_columns():
    lines = printed(lambda console: show_result(attach_result(), console), width=80).splitlines()
    (header,) = [line for line in lines if line.startswith("call site")]
    assert re.split(r"  +", header) == ["call site", "call", "count", "a rank waits",
                                        "most of it for"]  # fmt: skip


def test_regions_are_a_tree_in_every_view():
    lines = printed(lambda console: show_result(attach_result(), console), width=80).splitlines()
    named = [line for line in lines if re.match(r" *(step|halo|inner|output) ", line)]
    assert [re.split(r"  +", line.strip())[:3] for line in named] == [
        ["step", "4,000", "7.50 s (75 %)"], ["halo", "4,000", "1.25 s (12 %)"],
        ["inner", "4,000", "5.00 s (50 %)"], ["output", "4,000", "500 ms (5.0 %)"],
    ]  # fmt: skip
    assert [len(line) - len(line.lstrip()) for line in named] == [0, 2, 2, 0]
    assert "\u2003halo" in page([attach_result()])


def test_threads_are_shares_and_efficiencies_in_every_view():
    result = hybrid_result()
    assert list(Attach.shape(result, "it")) == []
    shown = printed(lambda console: show_result(result, console), width=80)
    said = " ".join(shown.split())
    assert "OpenMP, 8 threads in 4 ranks: 50.0 % computing, 25.0 % in MPI" in said
    assert re.search(r"all threads +0\.500", shown)
    assert max(map(len, shown.splitlines())) <= 80
    assert len(shown.splitlines()) <= 30 + len(result["regions"])
    drawn = page([result])
    for words in ("OpenMP threads", "for slower threads of the team", "0.842", "mean v / T"):
        assert words in drawn
    assert "OpenMP threads" not in page([attach_result()])
    figures = {one.name: one.spread["median"] for one in Attach().figures(result)}
    assert figures["threads, OpenMP: serial parts"] == 0.842
    result["cores"] = {"says": "Cores are shared.", "spoils_waits": True}
    assert "all threads" not in printed(lambda console: show_result(result, console), width=80)


def test_a_region_is_inside_one_before_it():
    result = attach_result()
    assert list(Attach.shape(result, "it")) == []
    result["regions"][1]["around"] = 1
    assert list(Attach.shape(result, "it")) == [
        "it.regions[1].around is none of the regions before it"
    ]


def test_no_time_is_longer_than_the_run():
    result = attach_result()
    result["sites"][0]["exposed_s"] = 35.0  # of four ranks that run for 10 s each
    result["progress"] |= {"look_s": 30.0, "hidden_s": 33.0}
    text = printed(lambda console: show_result(result, console), width=80)
    factors = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
    named = [float(n) * factors[u] for n, u in re.findall(r"([0-9.]+) (s|ms|µs)\b", text)]
    assert "8.75 s (88 %)" in text
    assert max(named) <= result["wall_s"]


def test_ranks_that_share_cores_are_told_so_first_and_nothing_of_messages():
    says = "4 ranks share 2 cores of n0. Waits are for cores then."
    cores = {"says": says, "spoils_waits": True, "queued_s": 12.0}
    result = {**attach_result(), "cores": cores}
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert lines[1] == says
    shown = page([result])
    for text in ("\n".join(lines), shown):
        assert "load balance" not in text
        assert "by perfect overlap" not in text
        assert "most of it for" not in text
    assert says in shown


def test_a_place_is_a_line_where_there_is_one():
    sites = attach_result()["sites"]
    assert place_text(sites[0]) == "halo.f90:118"
    assert place_text(sites[1]) == "halo_mp_exchange_+0x830"
    assert summary_sentence(attach_result()).startswith("wall time 10.0 s: 84 % computes, 16 % is")
    assert advice(attach_result()) == [ADVICE]


def test_lines_to_write_instead_are_shown_with_what_they_save():
    result = attach_result()
    result["sites"].append({**result["sites"][0], "gain_s": 0.1, "line": 300})
    title = "Waitall at halo.f90:118, saves 500 ms (5.0 %) ± 125 ms"
    assert rewrites(result) == [(title, REWRITE)]
    shown = printed(lambda console: show_result(result, console), width=80).splitlines()
    begin = shown.index(f"{title}:")
    assert shown[begin + 1 : begin + 5] == [f"    {line}" for line in REWRITE]
    assert "<pre>call start_messages(r)" in page([result])
    result["cores"] = {"says": "Ranks share cores.", "spoils_waits": True}
    assert rewrites(result) == []


def test_a_call_in_a_wrapper_is_shown_where_the_program_calls_the_wrapper():
    result = attach_result()
    between = {"function": "wave::halo::begin(int)", "file": None, "offset": 32}
    result["sites"][0]["callers"] = [between, {"file": "/src/wave/step.cpp", "line": 40}]
    site = result["sites"][0]
    assert place_text(owner(site)) == "step.cpp:40"
    assert wrapper_text(site) == "← wave::halo::begin(int)+0x20 ← halo.f90:118"
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert max(map(len, lines)) <= 80
    row = next(i for i, line in enumerate(lines) if line.strip().startswith("step.cpp:40"))
    shown = lines[row + 1].strip()
    assert shown.startswith("…")
    assert shown.endswith("← halo.f90:118")
    assert wrapper_text(site).endswith(shown[1:])
    assert f"step.cpp:40 {wrapper_text(site)}" in page([result])


def test_of_a_long_name_the_end_is_shown():
    result = attach_result()
    name = "pressure_solver::multigrid<double, 3>::smoother::exchange_ghosts"
    result["sites"][0] |= {"file": None, "function": name, "symbol": "_ZN15pressure_solver"}
    text = printed(lambda console: show_result(result, console), width=80)
    assert "…" + f"{name}+0x760"[-22:] in text
    assert "_ZN15" not in text


def test_the_page_has_tables_to_sort_and_a_matrix():
    text = page([attach_result()])
    assert text.count('class="sortable"') == 4
    assert 'data-key="3.3"' in text
    assert "rank 1 sends 1.397 GiB to rank 2" in text
    assert "to 64 KiB" in text


def test_many_ranks_are_a_picture_and_the_extremes():
    result = attach_result()
    result["ranks"] = 100
    result["matrix"] = {name: [[float(a == b + 1) for b in range(100)] for a in range(100)]
                        for name in ("bytes", "messages")}  # fmt: skip
    result["ranks_detail"] = [{**result["ranks_detail"][0], "rank": rank, "mpi_s": 1 + rank / 100}
                              for rank in range(100)]  # fmt: skip
    text = page([result])
    assert text.count("data:image/png;base64,") == 2
    assert "32 of 100 ranks" in text


def test_thousands_of_ranks_are_classes_and_outliers():
    result = large_result()
    lines = printed(lambda console: show_result(result, console), width=80).splitlines()
    assert len(lines) <= 30 + len(result["regions"])
    said = " ".join(line.strip() for line in lines)
    assert "9,602 ranks (0-98, 101-198, 201-298, ...): computing 8.60 s, waiting 1.26 s" in said
    assert "rank 4321, unlike nearly all others: computing 7.40 s" in said
    shown = page([result])
    assert "Ranks that are alike" in shown
    assert "9,602 ranks" in shown
    assert "8.60 s (7.74 s – 9.46 s)" in shown
    assert "ranks 157 to 313 send 4 KiB to ranks 314 to 470" in shown
    assert "A row is 157 ranks" in shown
    assert "Ranks unlike nearly all others" in shown


def test_the_middle_of_a_trace_becomes_a_timeline(tmp_path):
    trace = tmp_path / "trace.json"
    shown = [("computation", "compute", 0, 0, 10, 2), ("Wait at f (a.c:9)", "exposed", 1, 2, 12, 5),
             ("from 1", "message", 0, 1, 0, 25)]  # fmt: skip
    events = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "messages"}}]
    events += [{"ph": "X", "name": name, "cat": kind, "pid": rank, "tid": lane, "ts": start,
                "dur": length} for name, kind, rank, lane, start, length in shown]  # fmt: skip
    trace.write_text(json.dumps({"traceEvents": [*events, {"ph": "s", "pid": 0}]}))
    found = with_timeline(attach_result(), trace)["timeline"]["wave"]
    assert [(e["rank"], e["lane"], e["kind"], e["start_us"], e["end_us"]) for e in found] == [
        (0, "messages", "message", 0, 25), (0, "program", "compute", 10, 12),
        (1, "program", "exposed", 12, 17),
    ]  # fmt: skip
    assert "<svg" in page([with_timeline(attach_result(), trace)])


@pytest.mark.parametrize("content", ["", "{", "[]", '{"traceEvents": 3}', '{"traceEvents": [3]}'])
def test_a_trace_that_is_none_makes_no_timeline(content, tmp_path):
    trace = pathlib.Path(tmp_path, "trace.json")
    trace.write_text(content)
    assert "timeline" not in with_timeline(attach_result(), trace)
