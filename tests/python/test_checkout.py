# SPDX-License-Identifier: BSD-3-Clause
"""`./plait` in checkouts of other people, and on machines that are no Debian.

Each test has a checkout of its own, in which a few files stand for what is built.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zipfile

import pytest

from conftest import FAKE, ROOT, environment, one_line
from plait.needed import missing, needed_for

pytestmark = pytest.mark.skipif(
    not (ROOT / ".venv").exists(), reason="./plait would make its environment"
)
SCRIPT = "#!/bin/sh\necho ran $PLAIT_ATTACH\n"
# In place of cmake: says what it was told, and leaves something that ninja builds.
CMAKE = """#!/bin/sh
echo "$@" >> "$TOLD"
if [ "$1" = --build ]; then mkdir -p "$2/lib" && touch "$2/lib/libplait_attach.so"; exit; fi
while [ "$1" != -B ]; do shift; done
mkdir -p "$2/CMakeFiles"
: > "$2/CMakeFiles/TargetDirectories.txt"
echo 'rule touch
  command = mkdir -p lib && touch $out
build lib/libplait_attach.so: touch
build plait_attach: phony lib/libplait_attach.so
build build.ninja: phony' > "$2/build.ninja"
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


@pytest.fixture
def house():
    """A checkout, in which nothing is built, where everybody may look."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="plait-test-checkout-"))
    root.chmod(0o755)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python", root / "python", ignore=ignored)
    for name in ("plait", "pyproject.toml", "packaging/constraints.txt", "cmake/PlaitLayer.cmake",
                 "tests/support/libraries_of_abi.txt"):  # fmt: skip
        write(root / name, (ROOT / name).read_text(), 0o755)
    write(root / "apps/stencil/jacobi3d/main.cpp", "// licence\n// Solves. More.\n")
    write(root / "program", SCRIPT, 0o755)
    (root / ".venv").symlink_to(ROOT / ".venv")
    yield root
    shutil.rmtree(root, ignore_errors=True)


def build(house, rule="phony"):
    """Leaves what Open MPI's release would have built."""
    folder = house / "build/release-openmpi"
    targets = "".join(f"build {name}: {rule}\n" for name in ("plait_attach", "jacobi3d"))
    # As CMake has it, which looks first whether files have come or gone.
    head = "rule make\n  command = false\nbuild force: phony\nbuild globs: make force\n"
    write(folder / "build.ninja", head + "build build.ninja: make globs\n" + targets)
    write(folder / "plait-options", "release -DPLAIT_MPI=openmpi\n")
    for file in (FAKE, *FAKE.parent.glob("sample*.py"), FAKE.with_name("launched.py")):
        write(folder / "apps/jacobi3d" / file.name, file.read_text(), 0o755)
    (folder / "apps/jacobi3d/jacobi3d").symlink_to("fake_app.py")
    write(folder / "lib/libplait_attach.so", "")
    write(folder / "plait-lock", "")


def as_another(house):
    """Start of a command of a user who may write nothing in the checkout."""
    if os.geteuid() == 0:
        home = house / "home"
        home.mkdir(mode=0o777)
        home.chmod(0o777)
        return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], home
    subprocess.run(["chmod", "-R", "a-w", house], check=True)
    return [], pathlib.Path(tempfile.mkdtemp(dir=house.parent))


def start(house, *words, prefix=(), seconds=60, **more):
    where = {"cwd": more.pop("cwd", house)}
    told = {**environment(PLAIT_BIN_DIR="", PYTHONPATH=""), **more}
    return subprocess.run(
        [*prefix, house / "plait", *words], capture_output=True, text=True, check=False, env=told,
        timeout=seconds, **where,
    )  # fmt: skip


@pytest.mark.parametrize(
    "words",
    ["attach --mpi openmpi ../program", "run --attach ../program --ranks 1", "run jacobi3d"],
)
def test_what_another_user_has_built_runs(words, house):
    build(house)
    prefix, home = as_another(house)
    done = start(house, *words.split(), prefix=prefix, cwd=home, HOME=str(home), TMPDIR=str(home))
    assert "Permission denied" not in done.stderr
    if "program" in words:
        assert "ran profile" in done.stdout
    else:
        assert done.returncode == 0, done.stderr
        assert "verified" in done.stdout


def test_what_another_user_would_have_to_build_is_refused_in_one_line(house):
    build(house, rule="make")
    prefix, home = as_another(house)
    said = one_line(start(house, "run", "jacobi3d", prefix=prefix, cwd=home, HOME=str(home)))
    assert "build/release-openmpi is missing or older than its sources, and " in said
    assert "cannot write it: let its owner run this" in said


def tools(house, *without):
    """A PATH of a machine that is no Debian, where cmake is one that only tells."""
    folder = house / "tools"
    folder.mkdir()
    for tool in pathlib.Path("/usr/bin").iterdir():
        if tool.name not in ("apt-get", "dpkg-query", "cmake", "sudo", *without):
            (folder / tool.name).symlink_to(tool)
    write(folder / "cmake", CMAKE, 0o755)
    return {"PATH": str(folder), "TOLD": str(house / "told")}


def test_a_machine_without_apt_builds_where_all_that_is_needed_is_there(house):
    more = tools(
        house, "doxygen", "hpcc", "clang-format", "valgrind", "mpicxx.mpich", "mpiexec.mpich"
    )
    done = start(house, "attach", "--build", **more)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("build/attach-openmpi/lib/libplait_attach.so\n")
    assert "not here: valgrind; attach is built alone, which needs less\n" in done.stderr
    told = (house / "told").read_text()
    assert "--preset attach -B " in told
    assert "-DPLAIT_MPI=openmpi" in told


def test_a_machine_without_apt_lacks_a_compiler_and_nothing_else(house):
    more = tools(house, "g++", "c++")
    done = start(house, "attach", "--build", **more)
    assert done.returncode == 2
    assert "not here: g++, and there is no apt-get here to install it; " in done.stderr


def test_attach_is_built_without_ninja_and_without_apt(house):
    done = start(house, "attach", "--build", **tools(house, "ninja"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("build/attach-openmpi/lib/libplait_attach.so\n")
    told = (house / "told").read_text()
    assert "--preset attach -B " in told
    assert "-G Ninja" not in told


def test_attach_alone_for_the_standard_abi_is_told_where_its_header_is(house):
    write(house / "mpi5/bin/mpicxx_abi", "#!/bin/sh\n", 0o755)
    done = start(house, "attach", "--build", "--mpi", "abi", **tools(house),
                 PLAIT_MPI_ABI_ROOT=str(house / "mpi5"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = (house / "told").read_text()
    assert "-DPLAIT_MPI=abi" in told
    assert f"-DPLAIT_MPI_ABI_ROOT={house}/mpi5" in told


def test_a_user_who_may_install_nothing_is_told_what_is_missing(house):
    path = tools(house, "g++", "c++", "valgrind")
    write(house / "tools/apt-get", f"#!/bin/sh\ntouch {house}/was-called\n", 0o755)
    subprocess.run(["chmod", "-R", "a+rwX", house], check=True)
    before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    prefix = before if os.geteuid() == 0 else []
    done = start(house, "attach", "--build", prefix=prefix, **path)
    assert done.returncode == 2
    assert re.search(r"^plait: not here: g\+\+, valgrind; attach is built alone", done.stderr)
    assert " is neither root nor may use sudo to install it; ./plait doctor says" in done.stderr
    assert not (house / "was-called").exists()


def test_a_program_of_ones_own_runs_on_a_machine_without_apt(house):
    done = start(house, "run", "./program", "--ranks", "1", **tools(house))
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")


def test_a_batch_script_of_slurm_is_no_rank_and_what_is_to_be_built_is_built_anywhere(house):
    path = tools(house)
    for more in ({"SLURM_PROCID": "0"}, {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}):
        shutil.rmtree(house / "build", ignore_errors=True)
        done = start(house, "attach", "--build", **path, **more)
        assert done.returncode == 0, (more, done.stderr)
        assert "building build/attach-openmpi" in done.stderr


def test_what_is_needed_counts_wherever_it_comes_from(tmp_path, monkeypatch):
    wanted = ["g++", "hpcc", "libdw-dev", "libmetis-dev", "mpich", "openmpi-bin", "libgtest-dev"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CMAKE_PREFIX_PATH", f"{tmp_path}/one:{tmp_path}/two")
    monkeypatch.delenv("PLAIT_MPIEXEC", raising=False)
    assert set(missing(wanted)) >= set(wanted) - {"libmetis-dev"}
    write(tmp_path / "c++", "", 0o755)
    write(tmp_path / "pkg-config", "#!/bin/sh\n[ $2 = libdw ]\n", 0o755)
    write(tmp_path / "two/include/metis.h", "")
    assert missing(wanted) == ["hpcc", "mpich", "openmpi-bin", "libgtest-dev"]
    assert needed_for("jacobi3d", "openmpi", missing(wanted)) == ["openmpi-bin", "libgtest-dev"]
    assert needed_for("plait_attach", "/opt/mpi", missing(wanted)) == []


def test_spack_builds_what_the_preset_of_the_library_builds():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    told = next(each for each in presets if each["name"] == "library")["cacheVariables"]
    off = {name.removeprefix("PLAIT_") for name, value in told.items() if value == "OFF"}
    recipe = (ROOT / "packaging/spack/packages/plait/package.py").read_text()
    parts = set(re.findall(r'"([A-Z]+)"', re.search(r"parts = \((.*)\)", recipe)[1]))
    assert parts | {"ATTACH"} == off
    assert 'self.define_from_variant("PLAIT_ATTACH", "attach")' in recipe


def stub_of(name, version, folder):
    """A wheel of that name and nothing in it."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        said = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        wheel.writestr(f"{info}/METADATA", said)
        said = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", said)
        wheel.writestr(f"{info}/RECORD", "")


@pytest.mark.for_all
def test_an_environment_without_what_pypi_lacks_is_made_and_asks_again(house, tmp_path):
    (house / ".venv").unlink()
    pinned = re.findall(r"^(\w+)==([\w.]+)", (ROOT / "packaging/constraints.txt").read_text(), re.M)
    for name, version in pinned:
        if name in ("typer", "rich", "pytest", "ruff"):
            stub_of(name, version, tmp_path)
    pypi = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    options, lacks = house / "build/release-openmpi/plait-options", house / ".venv/plait-lacks"
    write(options, "")

    def said():
        return start(house, "--version", seconds=300, **pypi).stderr.splitlines()

    lines = said()
    assert "plait: making the Python environment in .venv" in lines
    assert sum("left out, import plait: some of nanobind" in line for line in lines) == 1
    assert sum("some of highspy>=1.7 did not come from PyPI" in line for line in lines) == 1
    assert lacks.read_text() == "binding solver"
    assert "left out" not in "".join(said())  # within the hour
    os.utime(lacks, (0, 0))
    stub_of("highspy", dict(pinned)["highspy"], tmp_path)
    lines = said()
    assert sum("left out" in line for line in lines) == 1
    assert "making" not in "".join(lines)
    assert lacks.read_text() == "binding"
    assert not options.exists()  # built again with what has come
