# SPDX-License-Identifier: BSD-3-Clause
"""Names the version of plait: CMake, pkg-config, the wheel, C and C++ take it from this line."""

__version__ = "0.2.0"
