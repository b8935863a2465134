# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of `plait attach` from an MPI library's own mpi.h.

    wrappers.py FOLDER PREPROCESSOR [FLAG ...]

FOLDER gets attach/calls.hpp (a number and a name for each function), wrappers.cpp (MPI_X and
PMPI_X of each) and fortran_sites.cpp (entry points of the Fortran bindings that keep their return
address).
"""

from __future__ import annotations  # Python 3.9

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

from hooks import HOOKS, UNWRAPPED, Hook

PROTOTYPE = re.compile(
    r"\b(int|double|MPI_Aint|MPI_Fint|MPI_Comm|MPI_Info)\s+(MPI_\w+)\s*\(([^()]*)\)\s*;"
)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")


def preprocess(command: list[str]) -> str:
    """Returns mpi.h as the compiler sees it."""
    source = "#include <mpi.h>\n"
    text = subprocess.run(
        [*command, "-E", "-P", "-x", "c++", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return ATTRIBUTE.sub("", text)


def parameter_name(text: str) -> str:
    """Returns the name of one parameter: the last word before its brackets."""
    found = re.search(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$", text)
    if not found:
        raise ValueError(f"no name in the parameter '{text}'")
    return found.group(1)


def functions_of(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yields (result type, name, parameters) of every function of mpi.h, each once."""
    seen = set()
    for result, name, parameters in PROTOTYPE.findall(text):
        if name not in seen:
            seen.add(name)
            split = [" ".join(one.split()) for one in parameters.split(",")]
            yield result, name, [] if split in (["void"], [""]) else split


def hook_of(name: str) -> Hook | None:
    """Returns the hook of a function; variants with large counts have that of their namesake."""
    return HOOKS.get(name) or (HOOKS.get(name[:-2]) if name.endswith("_c") else None)


def wrapper(result: str, name: str, parameters: list[str]) -> str:
    """Returns the two functions, MPI_X and PMPI_X, that stand before one of the library.

    Another preloaded library may have an MPI_X, too, which is the next one then. It calls PMPI_X,
    which comes here again, and must find the library.
    """
    names = [parameter_name(one) for one in parameters]
    hook = hook_of(name) or Hook("plain")
    inner = f"plait::attach::{hook.instead}" if hook.instead else f"plait_{name}"
    both = "".join(
        f'extern "C" PLAIT_EXPORTED {result} {prefix}{name}({", ".join(parameters)}) {{ return '
        f"{inner}({', '.join([*names, f'{first}({name})', 'PLAIT_CALL_PLACE'])}); }}\n"
        for prefix, first in (("", "PLAIT_NEXT"), ("P", "PLAIT_REAL"))
    )
    if hook.instead:
        return both
    taken = [*parameters, f"decltype(&{name}) plait_next", "plait::attach::call_place plait_from"]
    given = ", ".join(
        f"hook.{hook.replaced[i]}" if i in hook.replaced else one for i, one in enumerate(names)
    )
    return f"""static __attribute__((noinline)) {result} {inner}({", ".join(taken)}) {{
  using namespace plait::attach;
  if (is_inside_mpi(plait_from)) [[unlikely]] return PLAIT_REAL({name})({", ".join(names)});
  if (passes_through(call_id::{name}, plait_from)) [[unlikely]]
    return plait_next({", ".join(names)});
  call here(call_id::{name}, plait_from);
  hooks::{hook.name} hook(here{hook.seen(names)});
  here.entered();
  const auto code = plait_next({given});
  here.returned();
  hook.after(static_cast<int>(code));
  return code;
}}
{both}"""


def listed(names: Iterable[str]) -> str:
    """Returns lines of a C++ list."""
    return "".join(f"  {name},\n" for name in names)


def write_calls(folder: pathlib.Path, names: list[str]) -> None:
    """Writes the numbers and names of all functions."""
    (folder / "attach" / "calls.hpp").write_text(f"""#pragma once
namespace plait::attach {{
enum class call_id : int {{
{listed(names)}}};
inline constexpr int call_count = {len(names)};
inline constexpr const char* call_names[] = {{
{listed(f'"{name}"' for name in names)}}};
}}  // namespace plait::attach
""")


def fortran_entries(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yields the entry points of the three Fortran bindings, and the function that each is for."""
    for name in names:
        if UNWRAPPED.match(name) or name.endswith("_c"):
            continue
        for ending in ("_", "_f08_", "_f08ts_", "_f08ts_large_"):
            has_own = ending.endswith("large_") and f"{name}_c" in names
            yield name.lower() + ending, f"{name}_c" if has_own else name


def write_fortran(folder: pathlib.Path, names: list[str]) -> None:
    """Writes the entry points of the Fortran bindings: each keeps its caller, and jumps on."""
    entries = list(fortran_entries(names))
    code = "".join(
        f"""\
.globl {entry}
.type {entry}, @function
{entry}:
  movq (%rsp), %r11
  movq plait_attach_fortran@gottpoff(%rip), %r10
  movq %r11, %fs:(%r10)
  movq %rsp, %fs:8(%r10)
  movq %rbp, %fs:16(%r10)
  movq ${number}, %fs:24(%r10)
  jmp *plait_attach_fortran_real+{8 * number}(%rip)
.size {entry}, . - {entry}
"""
        for number, (entry, _) in enumerate(entries)
    )
    (folder / "fortran_sites.cpp").write_text(f"""#include "attach/calls/fortran_sites.hpp"
#if defined(__x86_64__)
asm(R"(
.text
{code})");
#endif
extern "C" {{ void* plait_attach_fortran_real[{len(entries)}]; }}
namespace plait::attach {{
const char* const fortran_names[] = {{
{listed(f'"{entry}"' for entry, _ in entries)}}};
const call_id fortran_calls[] = {{
{listed(f"call_id::{name}" for _, name in entries)}}};
const int fortran_count = {len(entries)};
}}  // namespace plait::attach
""")


def main() -> None:
    """Writes the three files."""
    folder = pathlib.Path(sys.argv[1])
    (folder / "attach").mkdir(parents=True, exist_ok=True)
    functions = list(functions_of(preprocess(sys.argv[2:])))
    names = [name for _, name, _ in functions]
    if len(names) < 300:
        sys.exit(f"wrappers.py: only {len(names)} functions were found in mpi.h")
    write_calls(folder, names)
    lines = ['#include "attach/calls/hooks.hpp"', '#include "attach/books/lifetime.hpp"', ""]
    for result, name, parameters in functions:
        if not UNWRAPPED.match(name) and "..." not in parameters:
            lines.append(wrapper(result, name, parameters))
    (folder / "wrappers.cpp").write_text("\n".join(lines))
    write_fortran(folder, names)


if __name__ == "__main__":
    main()
