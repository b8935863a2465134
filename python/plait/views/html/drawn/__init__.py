# SPDX-License-Identifier: BSD-3-Clause
"""Drawings in SVG, of figures of any kind of result."""
