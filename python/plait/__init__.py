# SPDX-License-Identifier: BSD-3-Clause
"""The `plait` command: runs measured MPI programs and shows what came out."""

__version__ = "0.1.0"
