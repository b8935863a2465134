# SPDX-License-Identifier: BSD-3-Clause
"""`python -m plait`."""

from plait.cli import main

main()
