# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach`: which MPI library a program uses, what is refused, how the program starts."""

import json
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

from conftest import ROOT, environment, one_line
from plait.attach import built, target
from plait.attach.words import parse, parse_switches, settings
from plait.errors import BadInput
from sample_attach import attach_result

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
