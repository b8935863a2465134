# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a project elsewhere can use an installed plait: find_package, build, run.

    test_install.py BUILD LIBRARY MPIEXEC

The project's programs are two of the examples, one of which has plait stand in for MPI's functions, and
one whose tasks are in a shared library.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).parent.parent.parent
BUILD, *MPI = sys.argv[1:4]
RANKS = "3"
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
find_package(plait 0.1 REQUIRED)
"""
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
        flags = self.run_words("env", f"PKG_CONFIG_PATH={files[0].parent}", "pkg-config", "--cflags",
                               "--libs", "plait").split()
        made = build / "by_pkg_config"
        self.run_words("c++", source / f"{name}.cpp", "-o", made, *flags)
        said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, made)
        self.assertEqual(said, (TREE / f"examples/{name}.expected").read_text())

    def test_a_project_elsewhere_finds_builds_and_runs(self):
        with tempfile.TemporaryDirectory() as made:
            prefix, source, build = (pathlib.Path(made) / n for n in ("prefix", "source", "build"))
            self.run_words("cmake", "--install", BUILD, "--prefix", prefix)
            source.mkdir()
            text = PROJECT
            for name, libraries in EXAMPLES.items():
                (source / f"{name}.cpp").write_bytes((TREE / f"examples/{name}.cpp").read_bytes())
                text += PROGRAM.format(name=name, libraries=libraries)
            for name in ("loaded_library.cpp", "loader.cpp"):
                (source / name).write_bytes((TREE / "tests/runtime" / name).read_bytes())
            (source / "CMakeLists.txt").write_text(text + SHARED)
            self.run_words("cmake", "-G", "Ninja", "-S", source, "-B", build,
                           f"-DCMAKE_PREFIX_PATH={prefix}")
            self.run_words("cmake", "--build", build)
            for name in EXAMPLES:
                said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, build / name)
                self.assertEqual(said, (TREE / f"examples/{name}.expected").read_text())
            self.build_without_cmake(prefix, source, build)
            said = self.run_words(TREE / "tests/support/mpirun", *MPI, RANKS, build / "loader",
                                  build / "libloaded.so")
            self.assertEqual(said, "the sum over 3 ranks is 6\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
