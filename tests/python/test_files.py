# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written: in one step, or not at all and with one line that says why."""

import json
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

from conftest import FAKE, command, environment, one_line, plait
from plait.errors import BadInput
from plait.results import check_writable, default_folder, load, save, write_file
from sample import result


def test_a_file_is_replaced_in_one_step_and_keeps_its_mode(tmp_path):
    file = tmp_path / "file"
    file.write_text("before")
    file.chmod(0o640)
    reader = file.open()
    write_file(file, b"after")
    assert reader.read() == "before"
    assert file.read_bytes() == b"after"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_new_file_has_the_mode_that_files_have(tmp_path):
    write_file(tmp_path / "new", b"")
    (tmp_path / "other").touch()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", b"1")
    write_file(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"2"


def test_a_device_and_a_pipe_are_written_to(tmp_path):
    (tmp_path / "nothing").symlink_to(os.devnull)
    write_file(tmp_path / "nothing", b"x")
    assert pathlib.Path(os.devnull).is_char_device()
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        write_file(tmp_path / "pipe", b"through")
        assert reader.stdout.read() == b"through"


@pytest.mark.parametrize(
    ("name", "why"),
    [("/dev/full", "No space left on device"), (".", "Is a directory"),
     ("none/file", "No such file or directory")],
)  # fmt: skip
def test_what_cannot_be_written_says_why(name, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=f"cannot be written: {why}"):
        save(result(), pathlib.Path(name))


def test_a_disk_that_fills_up_leaves_the_old_file_and_no_other(tmp_path):
    file = tmp_path / "file"
    file.write_text("before")
    done = subprocess.run(
        [sys.executable, "-c",
         "import pathlib, resource, sys; from plait.results import write_file\n"
         "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
         "write_file(pathlib.Path(sys.argv[1]), b'x' * 5000)", file],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "plait.errors.BadInput: " in done.stderr
    assert "cannot be written: File too large" in done.stderr
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_link_of_somebody_else_in_a_folder_of_all_is_not_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "shared/page.html"
    target.write_text("before")
    link.parent.mkdir()
    link.symlink_to("../target")
    write_file(link, b"mine")
    assert (target.read_text(), link.is_symlink()) == ("mine", True)
    if os.geteuid() != 0:
        return
    link.parent.chmod(0o1777)
    os.lchown(link, 65534, 65534)
    for attempt in (lambda: write_file(link, b"theirs"), lambda: check_writable(link, "-o")):
        with pytest.raises(BadInput, match="a link of another user's, in a folder that others"):
            attempt()
    assert target.read_text() == "mine"
    os.lchown(link, 0, 65534)
    write_file(link, b"again")
    assert target.read_text() == "again"


def test_links_that_lead_to_each_other_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(BadInput, match="Too many levels of symbolic links"):
        write_file(tmp_path / "a", b"x")


def test_a_report_goes_where_its_user_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert default_folder() == tmp_path


def test_a_place_that_is_tried_is_left_as_it_was(tmp_path):
    check_writable(tmp_path / "new", "--json")
    assert list(tmp_path.iterdir()) == []
    os.mkfifo(tmp_path / "pipe")
    check_writable(tmp_path / "pipe", "--json")  # and nobody reads it


@pytest.mark.parametrize("option", ["--json", "--report-file"])
def test_a_run_that_cannot_write_is_one_line(option):
    said = one_line(plait("run", FAKE, option, "/dev/full"))
    assert said == "plait: /dev/full cannot be written: No space left on device"


def test_a_report_that_cannot_be_written_is_one_line(tmp_path):
    save(result(), tmp_path / "a.json")
    assert load(tmp_path / "a.json") == json.loads(json.dumps(result()))
    said = one_line(plait("report", tmp_path / "a.json", "-o", "/dev/full"))
    assert said == "plait: /dev/full cannot be written: No space left on device"


def test_a_table_on_a_full_disk_is_one_line(tmp_path):
    save(result(), tmp_path / "a.json")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "plait", "compare", tmp_path / "a.json", tmp_path / "a.json"],
            env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert one_line(done) == "plait: the output cannot be written: No space left on device"


def test_streams_that_are_closed_are_like_streams_that_nobody_reads(tmp_path):
    save(result(), tmp_path / "a.json")
    words = f"{sys.executable} -m plait report {tmp_path}/a.json -o {tmp_path}/a.html"
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        (tmp_path / "a.html").unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", "-c", f"{words} {closed}"], env=environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), closed
        assert (tmp_path / "a.html").read_text().rstrip().endswith("</html>"), closed


def test_a_folder_that_is_gone_matters_to_nobody_who_does_not_use_it(tmp_path):
    save(result(), tmp_path / "a.json")
    words = f"{sys.executable} -m plait report {tmp_path}/a.json -o {tmp_path}/a.html"
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && {words}"], cwd=tmp_path,
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


LONG = "n" * 300


@pytest.mark.parametrize(
    "words",
    [f"run /bin/true --json {LONG}", f"report {LONG}", f"report a.json -o {LONG}",
     f"compare {LONG} {LONG}", f"attach --json {LONG} --mpi openmpi ./program",
     f"attach --report={LONG} --mpi openmpi ./program", f"run {LONG}", f"run ./{LONG}"],
)  # fmt: skip
def test_a_name_that_no_file_can_have_is_refused_in_one_line(words, tmp_path):
    save(result(), tmp_path / "a.json")
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o755)
    done = subprocess.run(
        command(*words.split()), capture_output=True, text=True, check=False, env=environment(),
        cwd=tmp_path,
    )  # fmt: skip
    assert LONG in one_line(done)


@pytest.mark.parametrize("words", ["run ./program", "run --list", "report b.json", "bench"])
def test_a_current_folder_that_is_gone_is_no_traceback(words, tmp_path):
    start = shlex.join(map(str, command(*words.split())))
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone && cd gone && rmdir ../gone && {start}"], cwd=tmp_path,
        env=environment(PLAIT_BIN_DIR=""), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or one_line(done)


ASCII = (
    {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
)


@pytest.mark.parametrize("more", ASCII)
def test_a_terminal_of_ascii_alone_gets_all_that_is_said(more, tmp_path):
    named = result()
    named["app"] = "jacobi-µ"
    save(named, tmp_path / "a.json")
    plain_python = [sys.executable, "-P", "-m"]
    for words in ("report a.json -o ä.html", "compare a.json a.json", "run fake", "run ü"):
        done = subprocess.run(
            [*plain_python, "plait", *words.split()], capture_output=True, check=False,
            env=environment(**more), cwd=tmp_path,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, words
        assert done.returncode == (2 if words == "run ü" else 0), done.stderr
    assert (tmp_path / "ä.html").exists()


def test_a_terminal_that_lacks_a_letter_gets_its_table(tmp_path):
    save(result(), tmp_path / "a.json")
    done = plait("compare", tmp_path / "a.json", tmp_path / "a.json", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
