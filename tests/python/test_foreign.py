# SPDX-License-Identifier: BSD-3-Clause
"""`plait run ./program`: its words, its output, its exit code; and the files it leaves."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from conftest import HERE, command, environment, one_line
from drawn import browsed
from plait.cli.passing_on import sort_words
from plait.errors import BadInput
from plait.launch.streams import _Channel
from plait.programs import is_foreign, target_of

BOTH = pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
HEAD = f"""#!/usr/bin/python3 -I
import json, os, pathlib, sys, time
sys.path.insert(0, {str(HERE)!r})
from launched import rank
"""


@pytest.fixture
def run(tmp_path):
    """Runs a program of these lines of Python; output in bytes."""

    def run_it(lines, *arguments, mpi="openmpi", ranks=1, name="program", word="./program", **more):
        program = tmp_path / name
        program.write_text(HEAD + lines)
        program.chmod(0o755)
        return subprocess.run(
            command("run", word, "--mpi", mpi, "--ranks", ranks, *arguments), cwd=tmp_path,
            env=environment(), timeout=60, check=False,
            **{"stdin": subprocess.DEVNULL, "capture_output": True, **more},
        )  # fmt: skip

    return run_it


WORDS = """
import json
if rank() == 0:
    print(json.dumps([sys.argv, sorted(k for k in os.environ if k.startswith("PLAIT_"))]))
"""


@BOTH
def test_a_foreign_program_gets_the_words_the_user_wrote_and_no_others(mpi, run):
    words = ["--size", "3", "-nx", "4", "-var", "x", "--steps=many", "--", "--json", "a", "--", ""]
    done = run(WORDS, *words, mpi=mpi, ranks=2)
    assert done.returncode == 0, done.stderr
    argv, told = json.loads(done.stdout)
    assert argv == ["./program", *words[:7], *words[8:]]
    assert set(told) <= set(environment())
    assert done.stderr == b""


def test_a_program_in_path_is_a_program_of_ones_own(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = run("print('ran', sys.argv[1:])\n", name="cp2k.psmp", word="cp2k.psmp")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ran []\n", b"")
    assert is_foreign("cp2k.psmp", "mpich")
    (tmp_path / "jacobi3d").touch(mode=0o755)
    assert not is_foreign("jacobi3d", "openmpi")  # plait's own
    with pytest.raises(BadInput, match="unknown benchmark"):
        target_of("bench", "cp2k.psmp", "openmpi")


def test_words_are_sorted_by_whole_words():
    takes_value = {"--ranks": True, "-n": True, "--verbose": False, "-v": False}

    def sort(*words):
        return sort_words(words, takes_value, named=True)

    assert sort("-n", "4", "p", "-v", "-nx", "-vv") == (["-n", "4", "-v"], ["p", "-nx", "-vv"])
    assert sort("-n4", "p", "--ranks=2", "--rank", "2") == (["-n4", "--ranks=2"],
                                                            ["p", "--rank", "2"])  # fmt: skip
    assert sort("--", "p", "-v") == ([], ["p", "-v"])
    assert sort("--other", "p", "--other", "--ranks") == (["--other", "--ranks"], ["p", "--other"])


BYTES = """
data = bytes(range(256)) + b"10 %\\r20 %\\r[bold]x[/bold] @progress {}\\n" + b"-" * 74 + b"\\n"
data += b"mpiexec noticed nothing\\n" + b"=" * 80 + b"\\n" + b"long " * 40000
out, err = sys.stdout.buffer, sys.stderr.buffer
out.write(data); out.flush()
err.write(data[::-1]); err.flush()
"""


@BOTH
def test_output_and_errors_arrive_unchanged_and_once(mpi, run):
    data = bytes(range(256)) + b"10 %\r20 %\r[bold]x[/bold] @progress {}\n" + b"-" * 74 + b"\n"
    data += b"mpiexec noticed nothing\n" + b"=" * 80 + b"\n" + b"long " * 40000
    done = run(BYTES, mpi=mpi)
    assert done.returncode == 0
    assert done.stdout == data
    assert done.stderr == data[::-1]


@BOTH
def test_output_and_errors_keep_their_order_where_they_go_to_one_place(mpi, run):
    lines = "for i in range(2000): os.write(1 + i % 2, f'{i}\\n'.encode())\n"
    done = run(lines, mpi=mpi, capture_output=False, stdout=subprocess.PIPE,
               stderr=subprocess.STDOUT)  # fmt: skip
    assert done.stdout.split() == [str(i).encode() for i in range(2000)]


@BOTH
def test_output_comes_while_the_program_runs(mpi, tmp_path):
    program = tmp_path / "program"
    program.write_text(HEAD + "os.write(1, b'50 %\\r')\nwhile not os.path.exists('go'):"
                              " time.sleep(0.05)\nos.write(1, b'100 %')\n")  # fmt: skip
    program.chmod(0o755)
    with subprocess.Popen(
        command("run", "./program", "--mpi", mpi, "--ranks", "1"), cwd=tmp_path, env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert os.read(process.stdout.fileno(), 100) == b"50 %\r"
        (tmp_path / "go").touch()
        assert process.stdout.read() == b"100 %"
    assert process.returncode == 0


@BOTH
def test_the_exit_code_is_the_programs_and_one_line_says_so(mpi, run):
    done = run("os.write(2, b'own words')\nsys.exit(7 if rank() == 0 else 0)\n", mpi=mpi, ranks=2)
    assert done.returncode == 7
    assert done.stdout == b""
    own, said = done.stderr.decode().splitlines()
    assert own == "own words" * 2
    assert said.startswith("plait: program")
    assert said.endswith("ended with exit code 7")


@BOTH
def test_what_the_library_says_of_an_error_is_not_said_again(mpi, run):
    done = run("print('plait: steps is -1', file=sys.stderr)\nsys.exit(2)\n", mpi=mpi)
    assert (done.returncode, done.stderr) == (2, b"plait: steps is -1\n")


def test_a_complaint_of_the_library_long_ago_does_not_stand_for_the_end(run):
    lines = "os.write(2, b'plait: where the time went\\n' + b'a line\\n' * 9)\nsys.exit(3)\n"
    done = run(lines)
    assert done.returncode == 3
    assert done.stderr.decode().splitlines()[-1].endswith("ended with exit code 3")


@BOTH
def test_a_program_that_is_killed_is_one_line(mpi, run):
    done = run("os.kill(os.getpid(), 9)\n", mpi=mpi)
    assert done.returncode == 128 + signal.SIGKILL
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1, lines
    assert "killed by signal 9 (SIGKILL)" in lines[0]


@BOTH
def test_a_reader_that_leaves_ends_the_job(mpi, tmp_path):
    program = tmp_path / "program"
    program.write_text(HEAD + "pathlib.Path(str(os.getpid())).touch()\n"
                              "while True:\n    try: os.write(1, b'y\\n')\n"
                              "    except OSError: time.sleep(0.1)\n")  # fmt: skip
    program.chmod(0o755)
    with subprocess.Popen(
        command("run", "./program", "--mpi", mpi, "--ranks", "1"), cwd=tmp_path, env=environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    pids = [path.name for path in tmp_path.iterdir() if path.name.isdigit()]
    assert pids
    assert not any(pathlib.Path("/proc", pid, "exe").exists() for pid in pids)


def test_a_full_disk_under_the_output_is_one_line(run):
    with open("/dev/full", "wb") as full:
        done = run("while True: os.write(1, b'y')\n", capture_output=False, stdout=full,
                   stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == b"plait: the output cannot be written: No space left on device\n"


def test_the_last_bytes_of_a_terminal_are_ours_wherever_reads_cut_them():
    last = b"\0last\0"
    for sent in (b"", b"x", b"\0la", b"some \0las more", last[:3] * 2):
        for cut in range(len(sent + last)):
            channel = _Channel("", 0, 0, 0, last)
            whole = sent + last + b"late"
            parts = (whole[:cut], whole[cut : cut + 2], whole[cut + 2 :])
            given = b"".join(channel.without_last(p) if channel.last else p for p in parts)
            assert (given, channel.last, channel.kept_back) == (sent + b"late", b"", b"")


def test_all_output_has_come_before_the_end(tmp_path):
    lines = (
        "import pathlib, subprocess, sys; from plait.launch.streams import streamed\n"
        "for index in range(100):\n"
        "    folder = pathlib.Path(sys.argv[1], str(index)); folder.mkdir()\n"
        "    with streamed(folder, terminal=True) as streams:\n"
        "        subprocess.run(streams.into(['printf', 'end']))\n"
    )
    done = subprocess.run([sys.executable, "-c", lines, tmp_path], env=environment(),
                          capture_output=True, check=True)  # fmt: skip
    assert done.stdout == b"end" * 100


LIBRARY = f"""
sys.path.insert(0, {str(HERE)!r})
import sample
if rank() == 0:
    if "PLAIT_RESULT" in os.environ:
        pathlib.Path(os.environ["PLAIT_RESULT"]).write_text(json.dumps(sample.program_result()))
    if "PLAIT_TRACE" in os.environ:
        pathlib.Path(os.environ["PLAIT_TRACE"]).write_text('{{"traceEvents": []}}')
    if "PLAIT_RECORD" in os.environ:
        pathlib.Path(os.environ["PLAIT_RECORD"]).mkdir()
        pathlib.Path(os.environ["PLAIT_RECORD"], "rank0.plaitrec").write_text("PLAITREC")
    print("answer 42")
"""


@BOTH
def test_a_program_that_uses_the_library_leaves_its_files(mpi, run, tmp_path):
    files = ("--json", "o.json", "--report=o.html", "--trace", "o.trace", "--record", "o.record")
    done = run(LIBRARY, *files, mpi=mpi, ranks=2)
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"answer 42\n"
    said = done.stderr.decode()
    assert "worker" in said
    assert max(map(len, said.splitlines())) <= 80
    assert json.loads((tmp_path / "o.json").read_text())["application"] == "wave"
    assert browsed((tmp_path / "o.html").read_text())["bars"] > 0
    assert json.loads((tmp_path / "o.trace").read_text()) == {"traceEvents": []}
    assert (tmp_path / "o.record" / "rank0.plaitrec").exists()


def test_without_the_options_nothing_is_asked_of_the_library(run, tmp_path):
    done = run(LIBRARY)
    assert (done.stdout, done.stderr) == (b"answer 42\n", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["program"]


@pytest.mark.parametrize("option", ["--json", "--report", "--trace", "--record"])
def test_a_program_without_the_library_has_no_files(option, run, tmp_path):
    done = run("print('done')\n", f"{option}={tmp_path / 'file'}")
    assert done.stdout == b"done\n"
    done.stderr = done.stderr.decode()
    said = one_line(done)
    assert f"program left nothing for {option}: it does not use plait's library" in said
    assert not (tmp_path / "file").exists()


def test_a_program_that_is_none_is_refused(run, tmp_path):
    (tmp_path / "text").write_text("x")
    for word, said in (("./nothing", "there is no such program"), ("./text", "cannot be executed")):
        done = subprocess.run(command("run", word), capture_output=True, text=True, check=False,
                              env=environment(), cwd=tmp_path)  # fmt: skip
        assert said in one_line(done)


@pytest.mark.lab
@BOTH
def test_in_a_cluster_it_is_the_same(mpi, run, tmp_path):
    lines = LIBRARY + "os.write(1, b'x' * 100000)\nos.write(2, b'y' * 100000)\n"
    done = run(lines, "--lab", "nodes=2", "--json", "o.json", mpi=mpi, ranks=2)
    assert done.returncode == 0, done.stderr
    assert done.stdout.replace(b"answer 42\n", b"") == b"x" * 200000
    assert done.stderr.count(b"y") >= 200000
    assert json.loads((tmp_path / "o.json").read_text())["environment"]["lab"]["nodes"] == 2
