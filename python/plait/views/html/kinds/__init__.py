# SPDX-License-Identifier: BSD-3-Clause
"""The article of each kind of result."""
