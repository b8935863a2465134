# SPDX-License-Identifier: BSD-3-Clause
"""`plait attach`: an unmodified MPI program with plait's library in front of its MPI library.

Needs nothing but Python itself, and little of that: it stands between mpiexec and every rank.
"""
