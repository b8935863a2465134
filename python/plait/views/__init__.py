# SPDX-License-Identifier: BSD-3-Clause
"""Results as tables on a terminal, and as a page."""
