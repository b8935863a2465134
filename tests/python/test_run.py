# SPDX-License-Identifier: BSD-3-Clause
"""`plait run` on shared memory: what it shows, what it refuses, how it ends."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from conftest import FAKE, command, environment, one_line, plait
from plait.results import save
from sample import result

DOOR = pathlib.Path(__file__).parents[2] / "plait"
BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])


def run(*arguments, **more):
    return plait("run", FAKE, *arguments, **more)


def living(folder):
    return [pid.name for pid in folder.iterdir() if pathlib.Path("/proc", pid.name, "exe").exists()]


def wait_until(condition, seconds=90.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)


def test_a_list_has_a_line_for_every_application():
    done = plait("run", "--list")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line[13:] for line in done.stdout.splitlines()}
    sources = [path.parent.name for path in (DOOR.parent / "apps").glob("**/main.cpp")]
    assert sources
    assert set(sources) <= set(lines)
    assert all(len(lines[name]) > 20 for name in sources)
    assert lines["jacobi3d"].startswith("Jacobi3D: Poisson's equation by Jacobi's method")


@BOTH
def test_a_run_shows_its_table_and_writes_its_files(mpi, tmp_path):
    done = run("--mpi", mpi, "--json", tmp_path / "o.json", "--report", tmp_path / "o.html")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= max(80, len(str(tmp_path)) + 16)
    assert "verified" in done.stdout
    assert json.loads((tmp_path / "o.json").read_text())["app"] == "jacobi3d"
    assert "<svg" in (tmp_path / "o.html").read_text()


def test_unknown_options_go_to_the_program(tmp_path):
    assert run("--fancy", "7", "--json", tmp_path / "o.json").returncode == 0
    rest = json.loads((tmp_path / "o.json").read_text())["parameters"]["rest"]
    assert rest == ["--progress", "--fancy", "7"]


def test_a_variant_that_does_not_verify_is_exit_code_1():
    done = run("--wrong")
    assert done.returncode == 1
    assert "NO" in done.stdout


@BOTH
def test_an_unknown_variant_is_one_line(mpi):
    assert "knows no 'nope'" in one_line(run("--variants", "base,nope", "--mpi", mpi))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ranks", "0"], "--ranks 0: give at least 1"),
        (["--ranks", "many"], "--ranks"),
        (["--mpi", "lam"], "give openmpi, mpich or the folder"),
        (["--lab", "nodes=zero"], "nodes=zero"),
        (["--lab", "rate=quick"], "quick"),
        (["--json", "/nowhere/at/all.json"], "no folder /nowhere/at"),
        (["--json", "/"], "is a folder"),
        (["--json", "/proc/plait.json"], "/proc/plait.json"),
        (["--json", "/nowhere/at/all.json", "--steps", "3"], "no folder /nowhere/at"),
    ],
)
def test_bad_input_is_one_line(arguments, said):
    assert said in one_line(run(*arguments))


def test_an_unknown_application_is_told_what_there_is(tmp_path):
    (tmp_path / "jacobi3d").symlink_to(FAKE)
    said = one_line(plait("run", "jacobi4d", PLAIT_BIN_DIR=str(tmp_path)))
    assert "jacobi4d" in said
    assert "jacobi3d" in said


def test_an_unknown_application_that_is_a_file_here_is_suggested_with_its_path(tmp_path):
    (tmp_path / "foo").write_text("#!/bin/sh\n")
    done = subprocess.run(
        command("run", "foo"), capture_output=True, text=True, env=environment(), cwd=tmp_path,
        check=False,
    )  # fmt: skip
    assert "unknown application 'foo'; did you mean ./foo?" in one_line(done)


def test_an_option_before_the_application_is_the_commands():
    assert "--stepz" in one_line(plait("run", "--stepz", "3", FAKE))


def test_a_missing_mpiexec_is_one_line():
    assert "mpiexec.none is not installed" in one_line(run(PLAIT_MPIEXEC="mpiexec.none"))


def test_an_unknown_command_is_one_line():
    assert "frobnicate" in one_line(plait("frobnicate"))


@BOTH
def test_a_rank_that_dies_ends_the_job_with_one_line(mpi):
    started = time.monotonic()
    said = one_line(run("--mpi", mpi, "--die", "1", "--sleep", "50"), 128 + signal.SIGKILL)
    assert "killed by signal 9 (SIGKILL)" in said
    if mpi == "openmpi":
        assert "rank 1" in said
    assert time.monotonic() - started < 20


@BOTH
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_no_process(mpi, number, tmp_path):
    arguments = ("run", FAKE, "--mpi", mpi, "--sleep", "50", "--pid-folder", tmp_path)
    process = subprocess.Popen(
        command(*arguments), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    process.send_signal(number)
    said = process.communicate(timeout=20)[1]
    if number != signal.SIGKILL:
        assert process.returncode == 128 + number
        assert said.strip() == f"plait: stopped by {signal.Signals(number).name}"
        assert living(tmp_path) == []
    wait_until(lambda: living(tmp_path) == [])


def test_text_of_a_program_does_not_command_the_terminal(tmp_path):
    escape = "\x1b]0;title\x07\x1b[31m\x9b2J\u202e"
    answer = result()
    answer["variants"][f"base{escape}"] = answer["variants"]["olap"]
    answer["app"] = f"jacobi{escape}"
    save(answer, tmp_path / "a.json")
    done = plait("compare", tmp_path / "a.json", tmp_path / "a.json")
    assert "base]0;title[31m2J" in done.stdout
    said = plait("report", tmp_path / f"no{escape}.json").stderr
    assert "no]0;title[31m2J.json: No such file" in said
    program = tmp_path / "fake"
    program.write_text(f"#!/bin/sh\nprintf '{escape}' >&2\nexit 2\n")
    program.chmod(0o755)
    said += plait("run", "fake", "--verbose", PLAIT_BIN_DIR=str(tmp_path)).stderr
    assert "]0;title" in said
    assert not set(done.stdout + said) & set(escape) - set("]0;title[31m2J")


def test_an_interrupt_while_modules_are_imported_is_no_traceback(tmp_path):
    (tmp_path / "plait").mkdir()
    start = tmp_path / "plait/start.py"
    start.write_text((DOOR.parent / "python/plait/start.py").read_text())
    slow = tmp_path / "plait/slow.py"
    slow.write_text("import time\nprint('importing', flush=True)\ntime.sleep(50)\n")
    with subprocess.Popen(
        [sys.executable, "-I", "-B", start, "plait.slow"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "importing\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""
    assert process.returncode == -signal.SIGINT


def test_help_and_version_are_there():
    assert plait("--version").stdout.startswith("plait 0.")
    for words in ([], ["run"], ["lab"], ["lab", "up"], ["report"], ["compare"], ["bench"]):
        done = plait(*words, "--help")
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_front_door_explains_soak():
    done = subprocess.run([DOOR, "soak", "--help"], capture_output=True, text=True, check=True)
    assert "--seed S" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_front_door_refuses_what_it_does_not_know():
    for words, said in ((["test", "--mpi", "lam"], "lam"), (["soak", "--programs", "0"], "'0'"),
                        (["demo", "--fast"], "no options"),
                        (["bench", "--mpi", "lam"], "lam")):  # fmt: skip
        done = subprocess.run([DOOR, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert os.access(DOOR, os.X_OK)
