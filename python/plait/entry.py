# SPDX-License-Identifier: BSD-3-Clause
"""Starts the `plait` command: what `python -m plait` and the script of an environment call."""

import sys


def main() -> None:
    """Run the command of the words of this process; it ends the process."""
    if sys.argv[1:2] == ["attach"]:
        # It stands between mpiexec and every rank, and so takes no detour.
        from plait.attach.command import main as attach

        attach(sys.argv[2:])
    import signal

    # Until the command can say so in a line, an interrupt ends it without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from plait.cli import main as command

    command()
