# SPDX-License-Identifier: BSD-3-Clause
"""Text for a terminal: what others have named goes there without what would command it."""

import sys

# Control characters, but for ends of lines and tabs, and those that turn the direction of writing.
_COMMANDING = [*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_LEFT_OUT = dict.fromkeys(code for code in _COMMANDING if chr(code) not in "\n\t")


def plain(text: str) -> str:
    """Returns the text without escape sequences and other control characters."""
    return text.translate(_LEFT_OUT)


def tell(text: str, end: str = "\n") -> None:
    """Prints to standard error."""
    print(plain(text), file=sys.stderr, end=end, flush=True)


def refuse(text: str) -> None:
    """Prints the one line that says why the command ends."""
    tell("plait: " + " ".join(text.split()))
