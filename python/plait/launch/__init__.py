# SPDX-License-Identifier: BSD-3-Clause
"""Starting MPI programs, here or in an emulated cluster, and noticing how they end."""
