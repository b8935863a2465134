# SPDX-License-Identifier: BSD-3-Clause
"""The result files: `plait-result/1`, read, checked and written."""

import contextlib
import errno
import json
import os
import pathlib
import stat
import tempfile
from typing import NoReturn

from plait.errors import BadInput
from plait.programs import checkout
from plait.results.base import Result
from plait.results.kinds import KINDS, kind_name
from plait.results.schema import text_can_be_written

SCHEMA = "plait-result/1"
_LARGEST_FILE_BYTES = 1 << 28
_LONGEST_COMPLAINT = 300
_MOST_LINKS = 40
_SHARED = stat.S_IWGRP | stat.S_IWOTH


def load(path: pathlib.Path) -> Result:
    """Read and check a result file; whoever holds a result may rely on its shape."""
    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    if len(content) > _LARGEST_FILE_BYTES:
        raise BadInput(f"{path} is larger than {_LARGEST_FILE_BYTES >> 20} MiB: no result file is")
    try:
        result = json.loads(content.decode(), parse_constant=_no_number)
        problems = check(result)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}") from None
    if problems:
        raise BadInput(f"{path} is not a {SCHEMA} file: {problems[0][:_LONGEST_COMPLAINT]}")
    return result


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def check(result: object) -> list[str]:
    """Returns what is wrong with a result; empty when nothing is."""
    if not isinstance(result, dict):
        return ["it is not an object"]
    if problems := list(text_can_be_written(result)):
        return problems
    if result.get("schema") != SCHEMA:
        return [f"schema is {result.get('schema')!r}"]
    kind = kind_name(result)
    if kind is None and "kind" in result:
        return [f"kind is {result['kind']!r}, none of {', '.join(KINDS)}"]
    if kind is None:
        return ["neither app nor bench nor a known probe nor a program is named"]
    return list(KINDS[kind].shape(result, ""))


def save(result: Result, path: pathlib.Path) -> None:
    """Write a result file."""
    write_file(path, (json.dumps(result, indent=1, allow_nan=False) + "\n").encode())


def write_file(path: pathlib.Path, content: bytes) -> None:
    """Write a file in one step: whoever reads it sees all of it, and a failure leaves the old one.

    What is no file, such as a pipe, is written to as it is.
    """
    try:
        target = _followed(path)
        if _is_replaced(target):
            _replace(target, content)
        else:
            with open(target, "wb") as file:
                file.write(content)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None


def _followed(path: pathlib.Path) -> pathlib.Path:
    """Returns the file that a path leads to, but by no link that somebody else may have put there.

    The kernel follows a link in a folder such as /tmp under the same condition.
    """
    for _ in range(_MOST_LINKS):
        if not path.is_symlink():
            return path
        link, folder = path.lstat(), path.parent.stat()
        if link.st_uid not in (os.geteuid(), folder.st_uid) and folder.st_mode & _SHARED:
            raise PermissionError(
                errno.EACCES, "it is a link of another user's, in a folder that others write to"
            )
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_replaced(target: pathlib.Path) -> bool:
    """Returns whether a file beside it can take its place."""
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(target.stat().st_mode):
            return False
    return os.access(target.parent, os.W_OK) or not target.exists()


def _replace(target: pathlib.Path, content: bytes) -> None:
    number, name = tempfile.mkstemp(prefix=".plait-", dir=target.parent)
    part = pathlib.Path(name)
    try:
        with open(number, "wb") as file:
            file.write(content)
        part.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def check_writable(path: pathlib.Path, option: str) -> None:
    """Refuse an output path before anything runs."""
    folder = path.parent
    try:
        if path.is_dir():
            raise BadInput(f"{option} {path}: is a folder")
        if not folder.is_dir():
            raise BadInput(f"{option} {path}: there is no folder {folder}")
        target = _followed(path)
        if target.exists():
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            with open(target, "xb"):
                pass
            target.unlink()
    except OSError as error:
        raise BadInput(f"{option} {path}: {error.strerror}") from None


def default_folder() -> pathlib.Path:
    """Returns where reports without a path go: here, or into `results/` at a checkout's root."""
    root, here = checkout(), pathlib.Path.cwd()
    if root is None or here != root or not os.access(root, os.W_OK):
        return here
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    return folder


def short(path: pathlib.Path) -> str:
    """A path as one would type it here."""
    with contextlib.suppress(ValueError, OSError):
        return str(path.resolve().relative_to(pathlib.Path.cwd()))
    return str(path)
