# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `./plait`: refusals before it installs or builds, and the needs of its words."""

import pathlib
import signal
import subprocess
import sys

import pytest

from conftest import ROOT, command, environment, one_line
from plait import needed, ready
from plait.cli import main
from plait.errors import JobFailed
from plait.results import save
from sample import result
from test_run import DOOR

HAS_VENV = pytest.mark.skipif(
    not (ROOT / ".venv").exists(), reason="./plait would make its environment"
)


@pytest.fixture
def needs(monkeypatch):
    """Returns what a command asks ./plait for first, where nothing is installed."""
    monkeypatch.setattr(needed, "missing", list)
    monkeypatch.setattr(ready, "_DOOR", "./plait")
    asked = []

    def ask(*words):
        asked.append(" ".join(words))
        raise JobFailed("")

    def needs_of(words):
        asked.clear()
        monkeypatch.setattr(sys, "argv", ["plait", *words.split()])
        with pytest.raises(SystemExit):
            main()
        return asked[0] if asked else "nothing"

    monkeypatch.setattr(ready, "_ask", ask)
    return needs_of


@HAS_VENV
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("frobnicate", "no such command 'frobnicate'; there are: run, attach, report, bench"),
        ("lab sideways", "no such command 'sideways'; there are: up, down, status, exec"),
        ("run", "Missing argument 'APP'"),
        ("run --stepz 3 jacobi3d", "No such option: --stepz"),
        ("run jacobi4d", "unknown application 'jacobi4d'; there are: "),
        ("run jacobi3d --ranks 0", "--ranks 0: give at least 1"),
        ("run jacobi3d --ranks", "--ranks: its value is missing"),
        ("run jacobi3d --mpi lam", "give openmpi, mpich or the folder"),
        ("run jacobi3d --lab nodes=zero", "nodes=zero"),
        ("run jacobi3d --json /nowhere/at/all", "no folder /nowhere/at"),
        ("run jacobi3d --steps few", "--steps few: give a whole number"),
        ("run ./nothing", "there is no such program"),
        ("run --attach=speed ./nothing", "there is no 'speed'; there are: profile, progress"),
        ("run --attach ./nothing", "there is no such program"),
        ("attach", "PROGRAM is missing"),
        ("attach --profit ./nothing", "there is no option --profit"),
        ("attach --json", "--json: its value is missing"),
        ("attach /bin/true", "is linked with no MPI library, so there is nothing to measure"),
        ("attach --mpi lam /bin/true", "give openmpi, mpich or the folder"),
        ("bench sloth", "unknown benchmark 'sloth'; there are:"),
        ("bench tolerance", "tolerance: name an application, such as hpl"),
        ("bench tolerance sloth", "unknown application 'sloth'; there are:"),
        ("bench tolerance hpl --rounds 0", "--rounds 0: give at least 1"),
        ("noise --period 1ms", "Missing option '--length'"),
        ("noise --period 1ms --length 25us now", "unexpected extra argument(s) (now)"),
        ("noise --period 1ms --length 25us --seconds few", "--seconds few: give a number"),
        ("measure loggp --ranks two", "--ranks two: give a whole number"),
        ("predict collective", "Missing argument 'OP'"),
        ("predict collective bcast --gap-us wide", "--gap-us wide: give a number"),
        ("predict collective bcast alltoall", "unexpected extra argument(s) (alltoall)"),
        ("simulate", "Missing argument 'FILE.goal|FOLDER'"),
        ("simulate nothing.goal", "nothing.goal: there is no such file"),
        ("simulate nothing.goal --loggop L=1", "No such option: --loggop"),
        ("report", "Missing argument 'RESULT.json…'"),
        ("compare", "Missing argument 'RESULT.json…|FOLDER'"),
        ("compare a.json", "a.json: No such file or directory"),
        ("report a.json --outpot b", "No such option: --outpot (Possible options: --output)"),
        ("lab up --nodes none", "nodes=none"),
        ("lab up --nods 3", "No such option: --nods"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_installed_or_built(words, said, tmp_path):
    # Programs that would install, build or run something are out of sight.
    (tmp_path / "bash").symlink_to("/bin/bash")
    for tool in ("dirname", "readlink", "nproc", "sed"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    done = subprocess.run(
        ["/bin/bash", DOOR, *words.split()], capture_output=True, text=True, check=False,
        env=environment(PATH=str(tmp_path), PLAIT_BIN_DIR=""), timeout=60,
    )  # fmt: skip
    assert said in one_line(done)


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("run jacobi3d", "build openmpi jacobi3d"),
        ("run jacobi3d --mpi=mpich -- --help", "build mpich jacobi3d"),
        ("run {program} --steps few -x --mpi mpich", "install mpich util-linux"),
        (
            "run {program} --lab nodes=2 --report x.html",
            "install openmpi-bin util-linux iproute2 iputils-ping",
        ),
        ("bench", "nothing"),
        ("bench metg --only plait", "peers openmpi metg no"),
        ("bench fft --peers --mpi mpich", "peers mpich fft yes"),
        ("bench tolerance hpl --n 7 --mpi mpich", "build mpich hpl noise"),
        ("bench tolerance hpl --lab nodes=2,delay=2ms", "build openmpi hpl noise delay_line"),
        ("noise --period 1ms --length 25us", "build openmpi noise"),
        ("noise --help", "nothing"),
        ("simulate {program} --finish", "build openmpi simulate"),
        ("simulate {program} --report", "build openmpi simulate"),
        ("simulate {program} --execute --mpi mpich", "build mpich execute"),
        ("simulate --help", "nothing"),
        ("measure", "nothing"),
        ("measure nbc --op bcast", "build openmpi network/all"),
        ("predict collective bcast --ranks 8,64", "build openmpi predict"),
        ("predict collective bcast --measured --mpi mpich", "build mpich network/all"),
        ("run jacobi3d --help", "nothing"),
        ("run --list", "nothing"),
        ("report a.json b.json", "nothing"),
        ("attach --help", "nothing"),
        ("attach --build --mpi mpich", "build mpich plait_attach"),
        ("attach --build --mpi abi", "build abi plait_attach"),
        ("attach --mpi openmpi {program} --json", "build openmpi plait_attach"),
        ("run --attach {program} --ranks 4", "build openmpi plait_attach"),
        ("compare a.json b.json", "nothing"),
        ("lab up x --nodes 3", "install util-linux iproute2 iputils-ping"),
        ("lab up x --delay 2ms", "build openmpi delay_line"),
        ("run {program} --lab nodes=2,delay=2ms", "build openmpi delay_line"),
        ("run jacobi3d --mpi mpich --lab delay=2ms", "build mpich jacobi3d delay_line"),
        ("lab exec n0 -- ls --all", "nothing"),
        ("--version", "nothing"),
    ],
)
def test_words_say_what_they_need(words, needed, needs, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAIT_BIN_DIR", "")
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "program"
    program.touch(mode=0o755)
    program.write_text("#!/bin/sh\n")
    assert needs(words.format(program=program)) == needed


def test_a_build_for_the_standard_abi_says_what_it_takes_its_header_from(tmp_path):
    done = subprocess.run(
        ["/bin/bash", DOOR, "attach", "--build", "--mpi", "abi"], capture_output=True, text=True,
        env=environment(PLAIT_BIN_DIR="", PLAIT_MPI_ABI_ROOT=str(tmp_path)), check=False,
        timeout=60,
    )  # fmt: skip
    assert f"no {tmp_path}/bin/mpicxx_abi: PLAIT_MPI_ABI_ROOT names the folder" in one_line(done)


@HAS_VENV
def test_a_program_of_ones_own_builds_nothing(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in pathlib.Path("/usr/bin").iterdir():
        if tool.name not in ("cmake", "ninja", "apt-get", "c++", "g++", "cc", "gcc"):
            (tools / tool.name).symlink_to(tool)
    for tool in ("cmake", "ninja", "apt-get"):
        (tools / tool).write_text(f"#!/bin/sh\ntouch {tmp_path}/was-called\nexit 1\n")
        (tools / tool).chmod(0o755)
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [DOOR, "run", "./program", "--ranks", "1", "--size", "3"], capture_output=True, text=True,
        check=False, env=environment(PATH=str(tools)), timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "--size 3\n", "")
    assert not (tmp_path / "was-called").exists()


@pytest.fixture
def asking(tmp_path):
    """Starts a command that asks for a build: this script, which stands for ./plait."""

    def start(script, *words):
        door = tmp_path / "door"
        door.write_text(f"#!/bin/bash\n{script}\n")
        door.chmod(0o755)
        return subprocess.Popen(
            command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=tmp_path, env=environment(PLAIT_BIN_DIR="", PLAIT_DOOR=str(door)),
        )  # fmt: skip

    return start


@pytest.mark.parametrize("words", ["run jacobi3d", "attach --build"])
def test_a_build_that_fails_ends_the_command_which_adds_nothing(words, asking):
    done = asking('echo "$@, $PLAIT_DOOR." >&2; exit 5', *words.split())
    target = words.split()[1].replace("--build", "plait_attach")
    assert done.communicate(timeout=60) == ("", f"--ready build openmpi {target}, .\n")
    assert done.returncode == 5


def test_a_build_that_is_interrupted_ends_with_the_command(asking):
    with asking("echo $$; exec sleep 50", "run", "jacobi3d") as process:
        built_by = process.stdout.readline().strip()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "plait: stopped by SIGINT\n"
    assert process.returncode == 128 + signal.SIGINT
    assert not pathlib.Path("/proc", built_by).exists()


def test_programs_from_elsewhere_are_not_built(tmp_path, monkeypatch, needs):
    (tmp_path / "jacobi3d").touch(mode=0o755)
    monkeypatch.setenv("PLAIT_BIN_DIR", str(tmp_path))
    assert needs("run jacobi3d") == "install openmpi-bin util-linux"


@HAS_VENV
def test_no_module_of_the_current_folder_is_imported(tmp_path):
    """As a part of PYTHONPATH an empty word is the current folder, too."""
    trap = "import pathlib; pathlib.Path({!r}, __name__).touch(); raise ImportError(__name__)\n"
    met = tmp_path / "met"
    met.mkdir()
    for name in {*sys.stdlib_module_names, "rich", "typer", "click", "shellingham", "plait"}:
        (tmp_path / f"{name}.py").write_text(trap.format(str(met)))
    save(result(), tmp_path / "a.json")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho ran\n")
    program.chmod(0o755)
    for words in (
        "run ./program --ranks 1", "run ./nothing", "report a.json", "soak --mpi lam",
        "attach --mpi openmpi ./program",
    ):  # fmt: skip
        done = subprocess.run(
            [DOOR, *words.split()], capture_output=True, text=True, check=False, cwd=tmp_path,
            env=environment(PYTHONPATH=":/nowhere:", PYTHONDONTWRITEBYTECODE=""), timeout=60,
        )  # fmt: skip
        assert list(met.iterdir()) == [], words
        assert "Traceback" not in done.stderr, words


def test_a_program_keeps_the_pythonpath_of_its_user(tmp_path):
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$PYTHONPATH"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [DOOR, "run", program, "--ranks", "1"], capture_output=True, text=True, check=False,
        env=environment(PYTHONPATH="/its:/own"), timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("/its:/own\n", "")


def test_what_older_layouts_left_in_a_build_folder_is_removed(tmp_path):
    folder = tmp_path / "release-openmpi"
    for made in ("apps/jacobi3d", "apps/stencil/jacobi3d"):
        (folder / made).mkdir(parents=True)
        (folder / made / "cmake_install.cmake").touch()
    (folder / "CMakeFiles").mkdir()
    targets = folder / "CMakeFiles" / "TargetDirectories.txt"
    targets.write_text(f"{folder}/apps/stencil/jacobi3d/CMakeFiles/jacobi3d.dir\n")
    # The function alone: the door itself would configure and build.
    load = """source <(sed -n '/^say()/p;/^remove_leftovers()/,/^}/p' "$0")"""
    call = load + '; name=$2; remove_leftovers "$1"'
    done = subprocess.run(
        ["/bin/bash", "-ec", call, DOOR, folder, folder.name], capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    said = "plait: removing build/release-openmpi/apps/jacobi3d, a leftover\n"
    assert (done.returncode, done.stderr) == (0, said)
    assert not (folder / "apps/jacobi3d").exists()
    assert (folder / "apps/stencil/jacobi3d").exists()


def test_programs_of_tests_are_what_ninja_can_make(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(few NONE)\n"
        "enable_testing()\n"
        "foreach(name wanted other)\n"
        "  add_custom_command(OUTPUT ${name} COMMAND true)\n"
        "  add_custom_target(make_${name} DEPENDS ${name})\n"
        "  add_test(NAME ${name}\n"
        "    COMMAND ${CMAKE_BINARY_DIR}/${name} ${CMAKE_BINARY_DIR}/known.hpp)\n"
        "endforeach()\n"
        "set_tests_properties(other PROPERTIES LABELS all)\n"
    )
    folder = tmp_path / "build"
    subprocess.run(["cmake", "-G", "Ninja", "-S", tmp_path, "-B", folder], check=True,
                   capture_output=True, timeout=60)  # fmt: skip
    (folder / "known.hpp").touch()
    load = """source <(sed -n '/^programs_of_tests()/,/^}/p' "$0")"""
    done = subprocess.run(
        ["/bin/bash", "-c", f'{load}; programs_of_tests "$1" -LE all', DOOR, folder],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["wanted"]
