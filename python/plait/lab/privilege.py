# SPDX-License-Identifier: BSD-3-Clause
"""Finds the way in which this machine lets us make network namespaces, if any."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

from plait.errors import BadInput

# A user namespace with a private /run/netns; /run/user stays in sight, state files may live there.
HOLDER_SCRIPT = """set -e
d=$(mktemp -d)
mount -t tmpfs tmpfs "$d"
mkdir -p "$d/netns" "$d/user" "$d/lock"
[ ! -d /run/user ] || mount --rbind /run/user "$d/user"
mount --rbind "$d" /run
"""
_TRY_LINK = "ip link add name ptry0 type bridge && ip link add name ptry1 type veth peer name ptry2"


@functools.cache
def lab_mode() -> str:
    """`root` where namespaces can be made directly, `user` where a user namespace allows them."""
    missing = [tool for tool in ("ip", "tc", "unshare", "nsenter", "setpriv") if not _which(tool)]
    if missing:
        raise BadInput(
            f"the emulated cluster needs {', '.join(missing)} (packages iproute2, util-linux)"
        )
    if os.geteuid() == 0 and _works(["unshare", "-nm", "sh", "-c", _TRY_LINK]):
        return "root"
    if _works(["unshare", "-Urnm", "sh", "-c", HOLDER_SCRIPT + _TRY_LINK]):
        return "user"
    raise BadInput(
        "no privilege for network namespaces: run as root, or let this user make user namespaces"
        " (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone)"
    )


def tool_environment() -> dict[str, str]:
    """`ip` and `tc` live in sbin, which a user's PATH may lack."""
    return {**os.environ, "PATH": tool_path()}


def tool_path() -> str:
    """Returns the user's PATH, and what it may lack."""
    return os.pathsep.join(filter(None, (os.environ.get("PATH", os.defpath), "/usr/sbin:/sbin")))


def _which(tool: str) -> str | None:
    return shutil.which(tool, path=tool_path())


def _works(command: list[str]) -> bool:
    done = subprocess.run(command, env=tool_environment(), capture_output=True, check=False)
    return done.returncode == 0
