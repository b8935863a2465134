# SPDX-License-Identifier: BSD-3-Clause
"""`python -m plait`."""

import signal
import sys

if sys.argv[1:2] == ["attach"] and "--help" not in sys.argv[:3]:
    # It stands between mpiexec and every rank, and so takes no detour.
    from plait.attach.command import main as attach

    attach(sys.argv[2:])

# Until the command can say so in a line, an interrupt ends it without a traceback.
_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)

from plait.cli import main  # noqa: E402

signal.signal(signal.SIGINT, _interrupt)
main()
