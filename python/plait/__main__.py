# SPDX-License-Identifier: BSD-3-Clause
"""`python -m plait`."""

import signal

# Until the command can say so in a line, an interrupt ends it without a traceback.
_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)

from plait.cli import main  # noqa: E402

signal.signal(signal.SIGINT, _interrupt)
main()
