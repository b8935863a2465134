# SPDX-License-Identifier: BSD-3-Clause
"""Programs run from the words of a command to a checked result."""
