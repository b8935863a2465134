# SPDX-License-Identifier: BSD-3-Clause
"""The launcher agent: what mpiexec calls in place of ssh, AGENT HOST COMMAND…"""

import shlex

from plait.lab.inside import pin
from plait.lab.state import Lab


def agent_script(lab: Lab) -> str:
    """A script that enters the namespace of an address, takes its host name and its cores.

    It is started by an mpiexec that is inside the cluster already, so that the names are in sight.
    """
    lines = [
        "#!/bin/sh",
        f"# Launcher agent of lab {lab.name}: AGENT [-x] HOST COMMAND...",
        'while :; do case "$1" in -*) shift ;; *) break ;; esac; done',
        "host=$1; shift",
        'case "$host" in',
    ]
    for index, cores in enumerate(lab.node_cores):
        keep = shlex.join([*pin(cores), "sh"])
        lines.append(
            f"  {lab.address(index)}) space={lab.node(index)} name=n{index} start='{keep}' ;;"
        )
    lines += [
        f'  *) echo "plait: lab {lab.name} has no node $host" >&2; exit 255 ;;',
        "esac",
        "PATH=$PATH:/usr/sbin:/sbin; export PATH",
        # The words of the command are joined and read by a shell, as ssh does.
        'exec ip netns exec "$space" unshare --uts sh -c \\',
        '  \'hostname "$1" && exec $2 -c "$3"\' sh "$name" "$start" "$*"',
    ]
    return "\n".join(lines) + "\n"
