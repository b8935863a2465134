# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of JSON values: small checks put together to large ones.

A check takes a value and its place, and yields a sentence for each thing that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Check = Callable[[Any, str], Iterator[str]]
# Beyond, arithmetic on times, rates and sizes could leave what a float can hold.
_LARGEST, _SMALLEST = 1e30, 1e-30


def anything(_value: Any, _where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts every value."""
    yield from ()


def number(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts a finite number of a magnitude that occurs."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        yield f"{where} is no number"
    elif not (value == 0 or _SMALLEST <= abs(value) <= _LARGEST):
        yield f"{where} is a number out of range"


def at_least_0(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts such a number that is not negative."""
    if _is_less(value, 0):
        yield f"{where} is negative"
    else:
        yield from number(value, where)


def positive(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts such a number above 0."""
    if value == 0 or _is_less(value, 0):
        yield f"{where} is not above 0"
    else:
        yield from number(value, where)


def _is_less(value: Any, limit: float) -> bool:  # noqa: ANN401
    return isinstance(value, (int, float)) and value < limit


def count(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts a whole number from 0, also one that is written as 3.0."""
    if isinstance(value, bool) or not (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    ):
        yield f"{where} is no whole number"
    else:
        yield from at_least_0(value, where)


def count_from_1(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts a whole number from 1."""
    if value == 0:
        yield f"{where} is 0"
    else:
        yield from count(value, where)


def text(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts text."""
    if not isinstance(value, str):
        yield f"{where} is no text"


def flag(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
    """Accepts true and false."""
    if not isinstance(value, bool):
        yield f"{where} is neither true nor false"


def one_of(*words: str) -> Check:
    """Accepts one of these words."""

    def check(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        if value not in words:
            yield f"{where} is none of {', '.join(words)}"

    return check


def matching(pattern: str, what: str) -> Check:
    """Accepts text that matches a pattern as a whole."""

    def check(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            yield f"{where} is not {what}"

    return check


def or_null(check: Check) -> Check:
    """Accepts null, too."""
    return lambda value, where: iter(()) if value is None else check(value, where)


def sequence(check: Check, least: int = 0) -> Check:
    """Accepts a list of such values."""

    def check_all(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        if not isinstance(value, list):
            yield f"{where} is no list"
        elif len(value) < least:
            yield f"{where} is empty"
        else:
            for index, each in enumerate(value):
                yield from check(each, f"{where}[{index}]")

    return check_all


def mapping(check: Check, least: int = 0, key: Check = anything) -> Check:
    """Accepts an object whose members are such values, by whatever name."""

    def check_all(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        if not isinstance(value, dict):
            yield f"{where} is not an object"
        elif len(value) < least:
            yield f"{where} is empty"
        else:
            for name, each in value.items():
                yield from key(name, _join(where, name))
                yield from check(each, _join(where, name))

    return check_all


def fields(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Accepts an object with these members; others may be there."""

    def check_all(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        if not isinstance(value, dict):
            yield f"{where} is not an object" if where else "it is not an object"
            return
        for name, check in required.items():
            if name in value:
                yield from check(value[name], _join(where, name))
            else:
                yield f"{_join(where, name)} is missing"
        for name, check in (optional or {}).items():
            if name in value:
                yield from check(value[name], _join(where, name))

    return check_all


def both(*checks: Check) -> Check:
    """Accepts what all of these accept; the later ones see what the earlier ones accept."""

    def check_all(value: Any, where: str) -> Iterator[str]:  # noqa: ANN401
        for check in checks:
            problems = list(check(value, where))
            yield from problems
            if problems:
                return

    return check_all


def text_can_be_written(value: Any, where: str = "") -> Iterator[str]:  # noqa: ANN401
    """Accepts values whose texts and names all have a place in UTF-8: no halves of characters."""
    if isinstance(value, str):
        if not _can_be_written(value):
            yield f"{where} holds half of a character"
    elif isinstance(value, dict):
        for name, each in value.items():
            if _can_be_written(name):
                yield from text_can_be_written(each, _join(where, name))
            else:
                yield f"{where or 'it'} has a name that holds half of a character"
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from text_can_be_written(each, f"{where}[{index}]")


def _can_be_written(word: str) -> bool:
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
