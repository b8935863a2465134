# SPDX-License-Identifier: BSD-3-Clause
"""Fails on what has grown too large to be read: a C++ file, a class, a folder.

    check_sizes.py ROOT
"""

import collections
import pathlib
import sys

import classes
import tree

MOST_LINES = 450
FOLDERS = {"include", "src", "measure", "apps", "bench", "network", "examples", "tests"}

MOST_MEMBERS = 20
MOST_FUNCTIONS = 40
FOLDERS_OF_CLASSES = {"include", "src", "measure", "apps", "bench", "network"}

MOST_FILES = 25
FOLDERS_OF_ROOMS = {"include", "src", "measure", "apps", "bench", "network", "python"}

# What is larger than the most, and why: (file, class) or folder.
EXCEPTIONS = {
    ("src/device/opencl/opencl_functions.hpp", "opencl_functions"): "the functions of OpenCL, one member each",
    ("src/device/cuda/cuda_functions.hpp", "cuda_functions"): "the functions of CUDA's driver, one member each",
    ("include/plait/task/scheduler.hpp", "scheduler"): "the words of tasks, for programs and for the layers above; no state",
    ("include/plait/task/detail/node.hpp", "task_node"): "five cache lines laid out by hand for submitting and running",
    ("src/task/checked/guarded_state.hpp", "everything"): "one mapping that stays open while all other memory is closed",
    ("src/attach/books/profile_data.hpp", "profile_header"): "the beginning of a file that processes share",
    ("src/attach/books/requests.hpp", "request_data"): "the facts that a call of MPI leaves for the request's completion",
    "apps/imaging/osem": "one application, and its scanner and kernels that no other uses",
    "apps/stencil/common": "what the applications of stencils share",
}


def too_long(text, place):
    """Says so of a file that is too long."""
    lines = len(text.splitlines())
    if lines <= MOST_LINES:
        return []
    return [f"{place}: {lines} lines; split it by subject, {MOST_LINES} are the most"]


def too_large(root):
    """Returns what is wrong with each class and each folder that is larger than the most, exceptions included."""
    found = {}

    def read(text, place):
        for name, members, functions in classes.sizes(text):
            if members > MOST_MEMBERS or functions > MOST_FUNCTIONS:
                found[place, name] = (
                    f"{place}: {name} has {members} members and {functions} functions; make objects of it, "
                    f"{MOST_MEMBERS} and {MOST_FUNCTIONS} are the most"
                )
        return []

    tree.problems_in(root, FOLDERS_OF_CLASSES, read)
    root = pathlib.Path(root)
    places = [path.relative_to(root) for path in tree.files(root, None)]
    files = collections.Counter(place.parent.as_posix() for place in places if place.parts[0] in FOLDERS_OF_ROOMS)
    for folder, count in files.items():
        if count > MOST_FILES:
            found[folder] = f"{folder}: {count} files; make rooms of it, {MOST_FILES} are the most"
    return found


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    read, problems = tree.problems_in(root, FOLDERS, too_long)
    return read, problems + [problem for what, problem in too_large(root).items() if what not in EXCEPTIONS]


if __name__ == "__main__":
    tree.finish("sizes", *problems_of(sys.argv[1]))
