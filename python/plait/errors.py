# SPDX-License-Identifier: BSD-3-Clause
"""The two ways a command ends early: bad input, and a job that failed."""


class BadInput(Exception):
    """Something the user can put right; shown as one line, exit code 2."""


class JobFailed(Exception):
    """A job that ended wrongly; shown as one line, exit code `exit_code`."""

    def __init__(self, message: str, exit_code: int = 3) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def sentence_of(error: OSError) -> str:
    """Returns what an error of the system comes to, in a line."""
    if error.errno is None:
        return str(error)
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the current folder is gone"
    return f"{error.filename or 'the output cannot be written'}: {error.strerror}"
