# SPDX-License-Identifier: BSD-3-Clause
"""Results as one self-contained HTML page."""

from plait.views.html.page import page, write_report

__all__ = ["page", "write_report"]
