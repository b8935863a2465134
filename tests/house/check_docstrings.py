# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any docstring of the library, the programs or the command that leans on its neighbour.

    check_docstrings.py ROOT

Neighbours move.  A docstring begins with a verb or a noun: "Returns true if …" for "Whether …", "The tasks
that …" for "What …", "The number of …" for "How many …".
"""

import ast
import re
import sys

import tree

FOLDERS = {"include", "src", "measure", "apps", "bench", "network", "python"}
LEANING = re.compile(r"(?:The same|What|Whether|Where|How|As above)\b")
LINE = re.compile(r"\s*///(?![</])\s*(.*)")
BEHIND_CODE = re.compile(r"///<\s*(.*)")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings_of_cpp(text):
    """Yields (number of its first line, first line) of each docstring."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        block = LINE.match(line)
        behind = BEHIND_CODE.search(line)
        if block and not inside:
            yield number, block[1]
        elif behind:
            yield number, behind[1]
        inside = block is not None


def docstrings_of_python(text):
    """Yields (number of its first line, text) of each docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node).splitlines()[0]


def leaning(text, place):
    """Lists the docstrings of a file that lean on their neighbour."""
    docstrings = docstrings_of_python if place.endswith(".py") else docstrings_of_cpp
    return [
        f"{place}:{number}: begin with a verb or a noun, not with '{line}'"
        for number, line in docstrings(text)
        if LEANING.match(line)
    ]


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    return tree.problems_in(root, FOLDERS, leaning, {".hpp", ".cpp", ".py"})


if __name__ == "__main__":
    tree.finish("docstrings", *problems_of(sys.argv[1]))
