# SPDX-License-Identifier: BSD-3-Clause
"""Builds Zydis, which reads a processor's instructions in plait's checked mode."""

from spack.package import *


class Zydis(CMakePackage):
    """A disassembler for x86 and x86-64."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"
    license("MIT")

    version("4.0.0", tag="v4.0.0", submodules=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.15:", type="build")

    def cmake_args(self):
        """Returns the options of CMake: the library alone, as objects of a shared one may be."""
        return [
            self.define("ZYDIS_BUILD_TOOLS", False),
            self.define("ZYDIS_BUILD_EXAMPLES", False),
            self.define("CMAKE_POSITION_INDEPENDENT_CODE", True),
        ]
