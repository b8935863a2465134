# SPDX-License-Identifier: BSD-3-Clause
"""The commands."""

from plait.cli.app import main

__all__ = ["main"]
