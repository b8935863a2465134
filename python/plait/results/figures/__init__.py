# SPDX-License-Identifier: BSD-3-Clause
"""What results come to: figures and sentences that terminal and page share."""
