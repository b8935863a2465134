# SPDX-License-Identifier: BSD-3-Clause
"""Several results of one program: found in folders, named, in order, alike ones together."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Sequence

from plait.errors import BadInput
from plait.results.base import Result
from plait.results.compare import check_are_of_one_program
from plait.results.figures.curves import hashable, settings_of
from plait.results.files import SCHEMA, load
from plait.results.kinds import kind_of

_HEAD_BYTES = 1 << 16  # in which a result names its schema
_COMMIT_LETTERS = 10
# Kinds whose commit is that of plait's library, not of the program.
_OF_OTHERS = ("attach", "program")


@dataclasses.dataclass(frozen=True)
class Named:
    """A result, and what it is called beside the others."""

    name: str
    result: Result


def load_all(paths: Sequence[pathlib.Path]) -> list[Named]:
    """Returns the results in these files, and in files of these folders, as they are named.

    Files of a folder that name no schema of results are left out, and folders in it are not looked
    into.  Errors: BadInput where a folder has no result, and where they are of several programs.
    """
    files: list[pathlib.Path] = []
    for path in paths:
        files += _results_in(path) if path.is_dir() else [path]
    results = [load(file) for file in files]
    check_are_of_one_program(results)
    return [Named(*each) for each in zip(_names_of(files, results), results)]


def _results_in(folder: pathlib.Path) -> list[pathlib.Path]:
    try:
        found = [file for file in sorted(folder.glob("*.json")) if _names_schema(file)]
    except OSError as error:
        raise BadInput(f"{error.filename}: {error.strerror}") from None
    if not found:
        raise BadInput(f"{folder}: no file in it is a result")
    return found


def _names_schema(file: pathlib.Path) -> bool:
    if not file.is_file():
        return False
    with open(file, "rb") as opened:
        return f'"{SCHEMA}"'.encode() in opened.read(_HEAD_BYTES)


def _names_of(files: Sequence[pathlib.Path], results: Sequence[Result]) -> list[str]:
    """Commits where each result has another one of its program, else names of files."""
    commits = [
        str((result.get("environment") or {}).get("commit") or "")[:_COMMIT_LETTERS]
        for result in results
        if kind_of(result).name not in _OF_OTHERS
    ]
    stems = [file.stem for file in files]
    for names in (commits, stems):
        if len(set(names)) == len(files) and all(names):
            return names
    return [str(file) for file in files]


def date_of(result: Result) -> str:
    """Returns when a run began, in UTC as ISO 8601 has it; empty where that is not known."""
    return (result.get("environment") or {}).get("started_at") or ""


def ranks_of(result: Result) -> int | None:
    """Returns the number of ranks."""
    return result.get("ranks") or (result.get("environment") or {}).get("ranks")


def groups_of(found: Sequence[Named]) -> list[list[Named]]:
    """Returns the results that were measured alike, in order of their dates, by rising ranks.

    Alike are results of applications with the same settings, and others on as many ranks.  Results
    without a date come first, as they are named.
    """
    groups: dict[object, list[Named]] = {}
    for one in sorted(found, key=lambda one: date_of(one.result)):
        groups.setdefault(_measured_as(one.result), []).append(one)
    return sorted(groups.values(), key=lambda group: ranks_of(group[0].result) or 0)


def _measured_as(result: Result) -> object:
    if "variants" not in result:
        return ranks_of(result)
    return tuple(sorted((name, str(hashable(v))) for name, v in settings_of(result).items()))
