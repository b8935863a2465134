# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: functions that numba compiles, and that tasks run without the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plait.binding.choice import core

_KINDS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_NUMBERS = {"i": "words[{at}]", "b": "words[{at}] != 0", "f": "as_float(words[{at}])"}
_kept: list[Any] = []  # compiled functions live as long as the program: tasks have their addresses


def kernel(function: Callable[..., Any]) -> Any:  # a class of the extension
    """Makes a task function that runs without the interpreter's lock, compiled by numba.

    Takes arrays by `in_`, `out`, `inout` and `commutative`, and numbers. It is compiled once for
    each combination of their types, and cannot raise. Errors: ImportError without numba.

        @plait.kernel
        def scale(x, factor):
            for i in range(x.size):
                x[i] *= factor

        rt.task(scale, plait.inout(x), 2.0)
    """
    import numba

    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return core().Kernel(compiled, lambda types: _compile(compiled, types))


def _compile(compiled: Any, types: str) -> int:  # a dispatcher of numba
    """Returns the address of a function that unpacks words and calls the kernel with them."""
    import numba
    import numpy
    from numpy.lib.stride_tricks import as_strided

    as_pointer, as_float = _intrinsics()
    names: dict[str, Any] = {
        "carray": vars(numba)["carray"], "as_strided": as_strided, "as_pointer": as_pointer,
        "as_float": as_float, "compiled": compiled, "int64": numpy.int64,
    }  # fmt: skip
    arguments = []
    at = 0
    for index, one in enumerate(types.split()):
        if one[0] != "a":
            arguments.append(_NUMBERS[one].format(at=at))
            at += 1
            continue
        kind, number, layout = one[1:].split(".")
        axes = int(number)
        bits = 8 * int(kind[1:])
        names[f"type{index}"] = numpy.dtype(
            "bool" if kind[0] == "b" else f"{_KINDS[kind[0]]}{bits}"
        ).type
        shape = "".join(f"words[{at + 1 + k}], " for k in range(axes))
        strides = "".join(f"words[{at + 1 + axes + k}], " for k in range(axes))
        if layout == "C":
            arguments.append(f"carray(as_pointer(words[{at}]), ({shape}), type{index})")
        else:
            first = f"carray(as_pointer(words[{at}]), (1,), type{index})"
            arguments.append(f"as_strided({first}, ({shape}), ({strides}))")
        at += 1 + 2 * axes
    calls = ", ".join(arguments)
    exec(
        f"def run(address):\n    words = carray(address, ({at},), int64)\n    compiled({calls})\n",
        names,
    )
    signature = numba.types.void(numba.types.voidptr)
    run = numba.cfunc(signature, error_model="numpy")(names["run"])
    _kept.append(run)
    return int(run.address or 0)


def _intrinsics() -> tuple[Any, Any]:
    """Returns functions of numba that take a word for an address, and for a number."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def as_pointer(_typing: Any, word: Any) -> Any:  # numba's own
        def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], cgutils.voidptr_t)

        return types.voidptr(types.int64), generate

    @intrinsic
    def as_float(_typing: Any, word: Any) -> Any:  # numba's own
        def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return builder.bitcast(values[0], ir.DoubleType())

        return types.float64(types.int64), generate

    return as_pointer, as_float
