# SPDX-License-Identifier: BSD-3-Clause
"""Tests what is installed: by a project elsewhere that finds it, builds and runs, and by a user of attach.

    test_install.py BUILD LIBRARY MPIEXEC

The project's programs are two of the examples, one of which has plait stand in for MPI's functions, and
one whose tasks are in a shared library.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).parent.parent.parent
BUILD, *MPI = sys.argv[1:4]
RANKS = "3"
ORDINARY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
SENDS = """
#include <mpi.h>
int main(int argc, char** argv) {
  int me, all, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  for (int i = 0; i < 7; ++i) MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == all * (all - 1) / 2 ? 0 : 1;
}
"""
EXAMPLES = {"02_ghost_exchange": "plait::runtime", "06_smpss": "plait::blocking_mpi"}
SHARED = """
add_library(loaded MODULE loaded_library.cpp)
target_link_libraries(loaded PRIVATE plait::runtime)
add_executable(loader loader.cpp)
target_link_libraries(loader PRIVATE ${CMAKE_DL_LIBS})
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(elsewhere LANGUAGES CXX)
find_package(plait {minor} REQUIRED)
message(STATUS "found plait ${{plait_VERSION}}")
add_executable(which which.cpp)
target_link_libraries(which PRIVATE plait::core)
"""
WHICH = """
#include <cstdio>
#include <plait/core/version.hpp>
int main() { std::puts(plait::version().data()); }
"""
VERSION = re.search(r'"(.*)"', (TREE / "python/plait/version.py").read_text().split("__version__")[1]).group(1)
PROGRAM = """
add_executable({name} {name}.cpp)
target_link_libraries({name} PRIVATE {libraries})
"""


class Install(unittest.TestCase):
    def run_words(self, *words):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def build_without_cmake(self, prefix, source, build):
        name = "02_ghost_exchange"
        files = [*prefix.glob("lib*/pkgconfig/plait.pc"), *prefix.glob("lib/*/pkgconfig/plait.pc")]
        self.assertEqual(len(files), 1, files)
        pkg_config = ["env", f"PKG_CONFIG_PATH={files[0].parent}", "pkg-config"]
        self.assertEqual(self.run_words(*pkg_config, "--modversion", "plait"), f"{VERSION}\n")
        flags = self.run_words(*pkg_config, "--cflags", "--libs", "plait").split()
        made = build / "by_pkg_config"
        self.run_words("c++", source / f"{name}.cpp", "-o", made, *flags)
        said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, made)
        self.assertEqual(said, (TREE / f"examples/{name}.expected").read_text())

    def build_in_other_languages(self, prefix, build):
        """Compiles the examples in C and Fortran by the wrappers of Debian's MPI libraries."""
        for language, wrapper, name in (
            ("c", "mpicc", "heat.c"),
            ("fortran", "mpif90", "heat.f90"),
        ):
            compiler = shutil.which(f"{wrapper}.{MPI[0]}")
            files = list(prefix.glob(f"lib*/**/pkgconfig/plait-{language}.pc"))
            self.assertTrue(files or language == "fortran")
            if compiler is None or not files:
                continue  # another library's, or no compiler of Fortran
            flags = self.run_words("env", f"PKG_CONFIG_PATH={files[0].parent}", "pkg-config", "--cflags",
                                   "--libs", f"plait-{language}").split()
            header = (prefix / "include/plait/plait.h").read_text()
            numbers = re.findall(r"#define PLAIT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
            self.assertEqual(".".join(numbers), VERSION)
            made = build / f"heat_in_{language}"
            self.run_words(compiler, TREE / "examples" / language / name, "-o", made, *flags)
            said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, made)
            self.assertEqual(said, (TREE / f"examples/{language}/heat.expected").read_text())

    def test_a_project_elsewhere_finds_builds_and_runs(self):
        with tempfile.TemporaryDirectory() as made:
            prefix, source, build = (pathlib.Path(made) / n for n in ("prefix", "source", "build"))
            self.run_words("cmake", "--install", BUILD, "--prefix", prefix)
            source.mkdir()
            text = PROJECT.format(minor=VERSION.rpartition(".")[0])
            (source / "which.cpp").write_text(WHICH)
            for name, libraries in EXAMPLES.items():
                (source / f"{name}.cpp").write_bytes((TREE / f"examples/{name}.cpp").read_bytes())
                text += PROGRAM.format(name=name, libraries=libraries)
            for name in ("loaded_library.cpp", "loader.cpp"):
                (source / name).write_bytes((TREE / "tests/runtime" / name).read_bytes())
            (source / "CMakeLists.txt").write_text(text + SHARED)
            said = self.run_words("cmake", "-G", "Ninja", "-S", source, "-B", build,
                                  f"-DCMAKE_PREFIX_PATH={prefix}")
            self.assertIn(f"found plait {VERSION}\n", said)
            self.run_words("cmake", "--build", build)
            self.assertEqual(self.run_words(build / "which"), f"{VERSION}\n")
            for name in EXAMPLES:
                said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, build / name)
                self.assertEqual(said, (TREE / f"examples/{name}.expected").read_text())
            self.build_without_cmake(prefix, source, build)
            self.build_in_other_languages(prefix, build)
            said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, build / "loader",
                                  build / "libloaded.so")
            self.assertEqual(said, "the sum over 3 ranks is 6\n")

    def test_attach_serves_an_ordinary_user_from_a_folder_that_was_moved(self):
        with tempfile.TemporaryDirectory() as made:
            first, prefix, own = (pathlib.Path(made) / n for n in ("first", "moved", "own"))
            self.run_words("cmake", "--install", BUILD, "--prefix", first)
            first.rename(prefix)
            own.mkdir()
            (own / "sends.c").write_text(SENDS)
            compiler = pathlib.Path(MPI[1])
            self.run_words(compiler.with_name(compiler.name.replace("mpiexec", "mpicc")), "-g",
                           own / "sends.c", "-o", own / "sends")
            pathlib.Path(made).chmod(0o755)
            own.chmod(0o777)
            self.run_words("chmod", "-R", "a-w", prefix)
            told = {**os.environ, "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": str(own)}
            told.pop("PLAIT_BIN_DIR", None)

            def run_as_user(*words):
                before = ORDINARY if os.geteuid() == 0 else []
                return subprocess.run([*before, *map(str, words)], capture_output=True, text=True,
                                      env=told, cwd=own, timeout=120)

            for name in ("region.h", "region.f90"):
                self.assertTrue((prefix / "include/plait" / name).is_file())
            plait = prefix / "bin/plait"
            done = run_as_user(TREE / "tests/support/mpirun", *MPI, RANKS, plait, "attach", "--json",
                               own / "sends.json", own / "sends")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("plait: sends, 3 ranks", done.stderr)
            profile = json.loads((own / "sends.json").read_text())
            counts = {(site["call"], site["function"]): site["count"] for site in profile["sites"]}
            self.assertEqual(counts["MPI_Allreduce", "main"], 7 * int(RANKS))
            other = {"openmpi": "mpich", "mpich": "openmpi"}[MPI[0]]
            done = run_as_user(plait, "attach", "--mpi", other, "/usr/bin/env")
            self.assertEqual((done.returncode, done.stderr.strip()),
                             (2, f"plait: this plait was installed without attach for {other}: install that, too"))
            self.assertIn("compiler", run_as_user(plait, "doctor").stdout)
            written = [path for path in prefix.rglob("*") if path.stat().st_mode & 0o222]
            self.assertEqual(written, [])
            self.run_words("chmod", "-R", "u+w", prefix)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
