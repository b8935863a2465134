# SPDX-License-Identifier: BSD-3-Clause
"""Results and traces as other tools read them: Hatchet and Thicket, Vampir and Scalasca, GOAL."""
