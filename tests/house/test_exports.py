# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a shared library shows no names but those of namespace plait, of regions, of teams of OpenMP, of Caliper's and TALP's marks, and of MPI's functions in C and Fortran.

test_exports.py NM LIBRARY
"""

import re
import subprocess
import sys

NM, LIBRARY = sys.argv[1:]
# An address and a kind are before a name.
OWN = re.compile(r"\w+ \w (plait::|plait_region_(begin|end)$|ompt_start_tool$|GOMP_\w+$|cali_\w+_region$|cali_\w+_phase$|cali::|DLB_MonitoringRegion\w+$|(P?MPI|p?mpi)_\w+$)")

listed = subprocess.run(
    [NM, "-D", "--defined-only", "-C", LIBRARY], capture_output=True, text=True, check=True
).stdout.splitlines()
if not any(name.endswith(" MPI_Send") for name in listed):
    sys.exit(f"{LIBRARY} has no MPI_Send: it stands in for nothing")
foreign = [name for name in listed if not OWN.match(name)]
for name in foreign[:20]:
    print(name[:200])
if foreign:
    sys.exit(
        f"{LIBRARY}: {len(foreign)} of {len(listed)} names are neither plait's nor MPI's; see src/attach/exports.map"
    )
print(f"{len(listed)} names, all plait's or MPI's")
