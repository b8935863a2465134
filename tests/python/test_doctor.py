# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `plait doctor`, and of the completion of words from a checkout."""

import re
import subprocess

import pytest

from conftest import ROOT, command, environment
from plait import packages
from plait.doctor import Finding, findings, report

DOOR = ROOT / "plait"


def test_a_report_names_what_is_lacking_and_what_follows_in_80_columns():
    follows = "nothing runs, " * 9
    lines = report([Finding("one", "here"), Finding("other", "gone", follows, lacks=True)])
    assert lines[0].split() == ["ok", "one", "here"]
    assert lines[1].split() == ["lacks", "other", "gone"]
    assert " ".join(" ".join(lines[2:-1]).split()) == follows.strip()
    assert lines[-1] == "lacking: other"
    assert max(map(len, lines)) <= 80


def test_a_report_of_a_machine_that_has_all_says_so():
    assert report([Finding("one", "here", "a remark")])[-1] == "nothing is lacking"


def test_whatever_is_lacking_says_what_follows():
    assert all(one.follows for one in findings() if one.lacks)
    assert max(map(len, report(findings()))) <= 80


def test_a_machine_without_tools_lacks_them_and_nothing_is_installed(tmp_path):
    for tool in ("bash", "dirname", "readlink", "nproc"):
        (tmp_path / tool).symlink_to(f"/bin/{tool}" if tool == "bash" else f"/usr/bin/{tool}")
    done = subprocess.run(
        ["/bin/bash", DOOR, "doctor"], capture_output=True, text=True, check=False,
        env=environment(PATH=str(tmp_path)), timeout=60,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    for about in ("compiler", "build tools", "libhwloc-dev", "git", "Open MPI", "MPICH", "perf"):
        assert re.search(rf"^lacks +{about} ", done.stdout, re.MULTILINE)
    said = " ".join(done.stdout.split())
    assert "--mpi mpich does not run; " in said
    assert "Debian: mpich, libmpich-dev; Fedora and RHEL: mpich, mpich-devel; SUSE: mpich" in said
    assert "nothing but attach is built; Debian: libhwloc-dev; Fedora and RHEL: hwloc-devel" in said


def test_every_package_is_looked_for_and_says_what_does_not_work_without_it():
    assert len(packages.BY_NAME) == len(packages.TABLE)
    for package in packages.TABLE:
        kinds = {"programs", "module", "header", "library", "python"}
        assert package.looked_for.split()[0] in kinds
        assert len(package.looked_for.split()) >= 2
        assert package.part in packages.PARTS
        assert package.without
    assert set(packages.of_part("attach")) < set(packages.of_part("stencils"))
    assert set(packages.of_part("stencils")) < set(packages.of_part("all"))


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("ID=debian\n", "libhwloc-dev"),
        ('ID=ubuntu\nID_LIKE="debian"\n', "libhwloc-dev"),
        ("ID=fedora\n", "hwloc-devel"),
        ('NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\n', "hwloc-devel"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "hwloc-devel"),
        ('ID="sles"\n', "hwloc-devel"),
        ("no line of the kind\n", "libhwloc-dev"),
    ],
)
def test_packages_go_by_the_names_of_this_system(release, name, tmp_path, monkeypatch):
    (tmp_path / "os-release").write_text(release)
    monkeypatch.setattr(packages, "_OS_RELEASE", tmp_path / "os-release")
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    assert packages.names_here(["libhwloc-dev"]) == [name]
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert packages.names_here(["libhwloc-dev", "libzydis-dev"]) == [
        "libhwloc",
        "libzydis-dev (of Debian)",
    ]


def test_the_command_says_what_the_door_says():
    done = subprocess.run(
        command("doctor"), capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == int("lacking: " in done.stdout)
    assert [line for line in done.stdout.splitlines() if " compiler " in line]


COMPLETE = r"""
eval "$("$0" --show-completion)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_plait_completion "$0"
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(not (ROOT / ".venv").exists(), reason="./plait has not made its environment")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["re"], ["report"]),
        (["lab", "do"], ["down"]),
        (["attach", "--verify", "--sal"], ["--salvage"]),
        (["run", "jac"], ["jacobi3d"]),
        (["bench", "met"], ["metg"]),
        (["run", "jacobi3d", "--la"], ["--lab", "--launcher"]),
        (["frobnicate", "x"], [""]),
    ],
)
def test_words_are_completed_from_a_checkout(words, offered):
    done = subprocess.run(
        ["bash", "-c", COMPLETE, DOOR, "plait", *words], capture_output=True, text=True,
        check=True, env=environment(PLAIT_BIN_DIR=""), timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == offered


def test_completion_is_no_more_than_words_where_nothing_is_installed(tmp_path):
    door = tmp_path / "plait"
    door.write_bytes(DOOR.read_bytes())
    done = subprocess.run(
        ["bash", door], capture_output=True, text=True, check=False,
        env=environment(_PLAIT_COMPLETE="complete_bash"),
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
