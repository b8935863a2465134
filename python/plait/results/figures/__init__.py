# SPDX-License-Identifier: BSD-3-Clause
"""Says what results come to: figures and sentences that terminal and page share."""
