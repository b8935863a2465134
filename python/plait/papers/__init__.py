# SPDX-License-Identifier: BSD-3-Clause
"""The rows of docs/use/papers.md: read, run, and written anew."""
