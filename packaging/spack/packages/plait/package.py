# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library of the checkout that this recipe lies in."""

import pathlib

from spack.package import *


class Plait(CMakePackage):
    """Measures, predicts and hides communication time in MPI programs."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()
    license("BSD-3-Clause")

    version("main", branch="main")

    variant(
        "attach",
        default=False,
        description="plait attach, for unmodified MPI programs, and its command",
    )

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type=("build", "run"))
    depends_on("mpi")
    depends_on("hwloc")
    depends_on("boost@1.74: +context")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("zydis@4:", when="target=x86_64:")

    depends_on("python@3.9:", type=("build", "run"), when="+attach")

    generator("ninja")
    requires("^[virtuals=mpi] openmpi", "^[virtuals=mpi] mpich", policy="one_of")
    conflicts("%gcc@:11", msg="plait needs C++20 as GCC 12 has it")

    def cmake_args(self):
        """Returns the options of CMake: the library, with the MPI library of this spec."""
        parts = ("APPS", "BENCH", "BINDING", "EXAMPLES", "TESTS")
        return [
            self.define("PLAIT_MPI", self.spec["mpi"].prefix),
            self.define_from_variant("PLAIT_ATTACH", "attach"),
            *(self.define(f"PLAIT_{part}", False) for part in parts),
        ]
