# SPDX-License-Identifier: BSD-3-Clause
"""Fails on any #include that goes against the arrows of docs/internals/architecture.md.

check_layers.py ROOT
"""

import pathlib
import re
import sys

import tree

# layer: the layers it may include; what those may include, it may include too.
ARROWS = {
    "core": (),
    "model": ("core",),
    "task": ("core",),
    "look": ("core",),
    "collective": ("core",),
    "comm": ("core", "look", "collective"),
    "array": ("core",),
    "device": ("core",),
    "mover": ("array", "task", "comm"),
    "trace": ("core",),
    "simulate": ("core", "collective", "look", "model", "trace"),
    "probe": ("comm", "model"),
    "runtime": ("core", "model", "task", "comm", "array", "device", "mover", "trace", "probe"),
    "attach": ("core", "look", "trace"),
    "c": ("runtime",),
    "python": (),
}
# Files of other layers that a layer may include besides: the token, and the end.
SINGLE_FILES = {
    "attach": {
        "plait/comm/token.hpp",
        "comm/leave_together.hpp",
    },
}
# Headers a public header may show besides plait's and the standard library's.
PUBLIC_EXTRAS = {"x86intrin.h", "immintrin.h"}
# Headers of other libraries, and the layers whose sources may use them.
LIBRARIES = {
    "fmt/": set(ARROWS),
    "hwloc.h": {"core", "task", "comm", "runtime"},
    "boost/context/": {"task"},
    "Zydis/": {"task"},
    "sanitizer/": {"task"},
    "nlohmann/": {"model", "attach"},
    "elfutils/": {"attach"},
    "nanobind/": {"python"},
}
# Generated: the commit, the compiler and its flags, for result files.  Of no layer.
BUILD_INFO = "plait/detail/build_info.hpp"
VERSION = "plait/detail/version.h"  # generated too, for C and C++
# The programs see the facade, and MPI's own handles where they ask for them.
FACADE = {"plait/plait.hpp", "plait/comm/mpi.hpp", "plait/region.h", BUILD_INFO}
# Folder of programs: the other folder whose files it may name in quotes.
PROGRAM_FOLDERS = {
    "measure": (),
    "apps": ("measure",),
    "bench": ("measure",),
    "network": ("measure",),
    "examples": ("measure",),
}
# The header of C, which layer c implements.
OF_C = "plait/plait.h"
# What programs see besides: those without MPI, and those that read files of plait's.
_OF_MODELS = ("plait/core/", "plait/model/", "plait/trace/")
SEEN_BESIDES = {
    "network/predict": _OF_MODELS,
    "network/simulate": (*_OF_MODELS, "plait/simulate/"),
    "network/execute": ("plait/core/error.hpp", "plait/simulate/"),
    "bench/counts": ("plait/core/error.hpp",),
    "apps/stencil/jacobi3d/languages": (OF_C,),
}

# What only one processor has stands behind its guard, with a way for all others.
ONE_PROCESSORS = re.compile(r"\b(?:__builtin_ia32_pause|_mm_pause|__rdtscp?)\b")
GUARDED = {"include/plait/core/cpu_pause.hpp", "include/plait/core/clock.hpp"}
# An engine knows windows as `served_window`; `exposed_memory` knows the engine.
OPENED_CIRCLE = ("src/comm/engine/", "include/plait/comm/engine.hpp")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def reachable(layer):
    seen = {layer}
    for below in ARROWS[layer]:
        seen |= reachable(below)
    return seen


def check_layer_file(root, path, layer, public):
    """Yields one line per forbidden include of a file of the library."""
    allowed = reachable(layer)
    own = path.relative_to(root).as_posix()
    for bracket, name in INCLUDE.findall(path.read_text()):
        if name in SINGLE_FILES.get(layer, ()):
            continue
        if name == "plait/comm/exposed_memory.hpp" and own.startswith(OPENED_CIRCLE):
            yield f"{own}: the engine knows <plait/comm/served_window.hpp>, not <{name}>"
        if name == "mpi.h":
            if layer not in ("comm", "attach") or (public and own != "include/plait/comm/mpi.hpp"):
                yield f"{own}: <mpi.h> is seen in src/comm, src/attach and include/plait/comm/mpi.hpp only"
        elif name.startswith("plait/") and bracket == "<":
            other = name.split("/")[1]
            if name in (BUILD_INFO, VERSION) or (layer in ("c", "python") and name == OF_C):
                continue
            if name == "plait/plait.hpp" or other not in ARROWS:
                yield f"{own}: {name} is not a header of a layer"
            elif other not in allowed:
                yield f"{own}: {layer} may not include {other} ({name})"
        elif bracket == '"':
            beside = path.parent / name
            target = beside if beside.exists() else root / "src" / name
            if public:
                yield f'{own}: a public header names others as <plait/...>, not "{name}"'
            elif not target.resolve().is_relative_to((root / "src").resolve()):
                yield f'{own}: "{name}" is outside src/'
            elif target.resolve().relative_to((root / "src").resolve()).parts[0] not in allowed:
                yield f'{own}: {layer} may not include "{name}"'
        elif public and "." in name and name not in PUBLIC_EXTRAS:
            yield f"{own}: a public header may not show <{name}>"
        elif public and "/" in name:
            yield f"{own}: a public header may not show <{name}>"
        else:
            for library, layers in LIBRARIES.items():
                if name.startswith(library) and layer not in layers:
                    yield f"{own}: {layer} may not use <{name}>"


def check_program_file(root, path):
    own = path.relative_to(root).as_posix()
    for bracket, name in INCLUDE.findall(path.read_text()):
        if name.startswith(SEEN_BESIDES.get(path.parent.relative_to(root).as_posix(), ())):
            continue
        if bracket == "<" and name.startswith("plait/") and name not in FACADE:
            yield f"{own}: programs include <plait/plait.hpp>, not <{name}>"
        elif name == "mpi.h":
            yield f"{own}: programs include <plait/comm/mpi.hpp>, not <mpi.h>"
        elif bracket == '"' and any(
            (root / folder / name).exists() for folder in ("include", "src")
        ):
            yield f'{own}: "{name}" is not a file of the programs'
        elif bracket == '"':
            yield from check_quoted_by_program(root, path, name)


def check_quoted_by_program(root, path, name):
    """Yields a line where a program names a file of a folder that its own may not see."""
    own = path.relative_to(root)
    beside = path.parent / name
    target = (beside if beside.exists() else root / name).resolve()
    if not target.exists() or not target.is_relative_to(root.resolve()):
        return  # of the family, found by the compiler
    folder = target.relative_to(root.resolve()).parts[0]
    if folder != own.parts[0] and folder not in PROGRAM_FOLDERS[own.parts[0]]:
        yield f'{own.as_posix()}: {own.parts[0]}/ may not include "{name}" of {folder}/'


def problems_of(root):
    """Returns (number of files read, list of problems)."""
    root = pathlib.Path(root)
    count = 0
    problems = []
    for path in tree.files(root, {".hpp", ".cpp"}):
        parts = path.relative_to(root).parts
        count += 1
        if "/".join(parts) not in GUARDED:
            problems += [
                f"{'/'.join(parts)}: {found} is of one processor; see {', '.join(sorted(GUARDED))}"
                for found in ONE_PROCESSORS.findall(path.read_text())
            ]
        if parts[:2] == ("include", "plait") and len(parts) == 3:
            layer = "runtime"  # plait.hpp, what the facade shows
        elif parts[:2] == ("include", "plait"):
            layer = parts[2]
        elif parts[0] == "src":
            layer = parts[1]
        elif parts[0] in PROGRAM_FOLDERS:
            problems += check_program_file(root, path)
            continue
        else:
            continue
        if layer in ARROWS:
            problems += check_layer_file(root, path, layer, parts[0] == "include")
        else:
            problems.append(f"{path.relative_to(root)}: there is no layer '{layer}'")
    return count, problems


if __name__ == "__main__":
    tree.finish("layers", *problems_of(sys.argv[1]))
