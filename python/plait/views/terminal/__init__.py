# SPDX-License-Identifier: BSD-3-Clause
"""Tables of at most 80 columns."""
