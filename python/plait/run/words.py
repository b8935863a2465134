# SPDX-License-Identifier: BSD-3-Clause
"""Finds options of an application among its words, as a user writes them."""

from collections.abc import Collection, Sequence

from plait.errors import BadInput


def take_options(words: Sequence[str], names: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """Returns the values of these options, the last one of each counting, and all other words.

    `--name value` and `--name=value` are the same. Errors: BadInput for an option without a value.
    """
    values: dict[str, str] = {}
    rest: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if name not in names:
            rest.append(word)
        elif equals:
            values[name] = value
        elif left:
            values[name] = left.pop(0)
        else:
            raise BadInput(f"{name}: its value is missing")
    return values, rest
