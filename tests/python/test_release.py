# SPDX-License-Identifier: BSD-3-Clause
"""`packaging/release` in a repository of its own: what it refuses, what builds nothing."""

import hashlib
import shutil
import subprocess
import tarfile

import pytest

from conftest import ROOT
from plait import __version__

FILES = ("packaging/release", "python/plait/version.py", "CHANGELOG.md", "CITATION.cff",
         "cmake/commit.txt", "packaging/conda/recipe.yaml", ".gitattributes")  # fmt: skip
STEPS = "versions checks archive build sdist wheel notes checksums"


def run(*words, cwd):
    return subprocess.run(
        list(map(str, words)), cwd=cwd, capture_output=True, text=True, check=False, timeout=60
    )


def git(clone, *words):
    own = (
        "-c",
        "user.name=plait",
        "-c",
        "user.email=plait@localhost",
        "-c",
        "init.defaultBranch=main",
    )
    done = run("git", *own, *words, cwd=clone)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """A repository with the files that a release names itself in."""
    folder = tmp_path / "clone"
    for name in (*FILES, *(ROOT / "packaging/easybuild").glob("*.eb")):
        source = ROOT / name
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    git(tmp_path, "init", "-q", folder)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def release(clone, *words):
    return run(clone / "packaging/release", "--to", clone.parent / "dist", *words, cwd=clone.parent)


def test_archive_notes_and_checksums_are_of_the_commit(clone):
    done = release(clone, "--only", "versions,archive,notes,checksums")
    assert done.returncode == 0, done.stderr
    made = clone.parent / "dist"
    archive = made / f"plait-{__version__}.tar.gz"
    with tarfile.open(archive) as opened:
        prefix = f"plait-{__version__}/"
        assert all(name.startswith(prefix[:-1]) for name in opened.getnames())
        told = opened.extractfile(f"{prefix}cmake/commit.txt").read().decode().strip()
    assert told == git(clone, "rev-parse", "HEAD")
    notes = (made / "NOTES.md").read_text()
    assert notes.startswith(f"# plait {__version__}\n")
    assert "## 0.1.0" not in notes
    sums = dict(reversed(line.split()) for line in (made / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {archive.name, "NOTES.md"}
    assert sums[archive.name] == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_file_that_names_another_version_is_named(clone):
    citation = clone / "CITATION.cff"
    citation.write_text(citation.read_text().replace(f"version: {__version__}", "version: 9.9.9"))
    git(clone, "commit", "-q", "-am", "another")
    done = release(clone, "--only", "versions")
    assert done.returncode == 1
    assert f"python/plait/version.py says {__version__}, CITATION.cff 9.9.9" in done.stderr


def test_what_is_not_committed_is_in_no_release(clone):
    (clone / "left").write_text("over")
    done = release(clone, "--only", "versions,archive")
    assert (done.returncode, "uncommitted: left" in done.stderr) == (1, True)
    assert not (clone.parent / f"dist/plait-{__version__}.tar.gz").exists()


def test_a_version_that_is_out_is_not_made_again(clone):
    git(clone, "tag", f"v{__version__}")
    done = release(clone, "--only", "versions")
    assert (done.returncode, "exists: raise the version" in done.stderr) == (1, True)


def test_a_dry_run_names_every_step_and_makes_nothing(clone):
    done = release(clone, "--dry-run")
    assert done.returncode == 0
    steps = [line.split(":")[0] for line in done.stdout.splitlines()[1:-1]]
    assert steps == [
        "versions",
        "checks",
        "archive",
        "build",
        "sdist",
        "wheel",
        "notes",
        "checksums",
    ]
    assert not (clone.parent / "dist").exists()


def test_an_unknown_step_is_refused_with_those_there_are(clone):
    done = release(clone, "--only", "sing")
    assert done.returncode == 1
    assert "--only sing: there is no such step; there are versions, checks" in done.stderr
