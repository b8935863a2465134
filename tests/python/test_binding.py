# SPDX-License-Identifier: BSD-3-Clause
"""What `import plait` does before a program has tasks: it loads nothing, and says what is missing.

Programs with tasks are in `programs`; they run on ranks, in ctest.
"""

import importlib.machinery
import os
import subprocess
import sys

import pytest

import plait
from conftest import ROOT

SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
FAKE_MPI4PY = """
class MPI:
    COMM_WORLD = None
    def get_vendor():
        return ("{vendor}", (4, 1, 4))
"""


def python(program, *folders, **more):
    paths = os.pathsep.join(map(str, [*folders, ROOT / "python"]))
    return subprocess.run(
        [sys.executable, "-B", "-c", program], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "PYTHONPATH": paths, **more},
    )  # fmt: skip


def test_the_package_loads_neither_mpi_nor_the_extension():
    done = python(
        "import sys, plait, plait.entry\n"
        "print(*[m for m in sys.modules if m.split('.')[0] in ('mpi4py', 'numpy', 'numba')\n"
        "        or m.startswith('plait.binding')])"
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_names_of_the_binding_are_listed_and_others_are_no_names():
    assert {"Runtime", "in_", "kernel", "progress", "load"} <= set(dir(plait))
    with pytest.raises(AttributeError, match="no attribute 'tasks'"):
        plait.tasks  # noqa: B018


def test_the_list_is_that_of_the_binding():
    text = (ROOT / "python/plait/binding/__init__.py").read_text()
    listed = text[text.index("__all__") :]
    names = {line.strip(' ",') for line in listed.splitlines()[1:-1]}
    assert names == set(plait._OF_BINDING)


def test_without_mpi4py_one_line_says_so():
    done = python("import sys; sys.modules['mpi4py'] = None; import plait; plait.Runtime")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: plait: tasks and messages need")


@pytest.mark.parametrize(
    ("vendor", "says"),
    [("Open MPI", f"_core.openmpi{SUFFIX}, the extension for Open MPI, is not here"),
     ("unknown", "there is no extension for unknown")],
)  # fmt: skip
def test_without_an_extension_for_the_library_one_line_says_so(vendor, says, tmp_path):
    assert says in refusal_of(vendor, tmp_path)


def test_an_extension_of_another_python_is_not_loaded(tmp_path):
    (tmp_path / "_core.openmpi.cpython-27-x86_64-linux-gnu.so").write_text("")
    says = refusal_of("Open MPI", tmp_path)
    assert "is _core.openmpi.cpython-27-x86_64-linux-gnu.so, of another Python than this" in says


def refusal_of(vendor, folder):
    """The line with which the extension is refused, where it is looked for in this folder."""
    (folder / "mpi4py.py").write_text(FAKE_MPI4PY.format(vendor=vendor))
    program = f"""
import importlib.util, sys
choice = importlib.util.spec_from_file_location("choice", "{ROOT}/python/plait/binding/choice.py")
module = importlib.util.module_from_spec(choice)
choice.loader.exec_module(module)
module._HERE = module._HERE / "nowhere/a/b/c"
module.core()
"""
    done = python(program, folder, PLAIT_PYTHON_CORE=str(folder))
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


PROGRAM = """
import numpy as np
import plait

with plait.Runtime(workers=2, policy="sleeping") as rt:
    x = np.zeros(3)
    task = rt.task(np.negative, plait.in_(x), plait.out(x), name="turn", priority=plait.high)
    if task is not None and not task.done():
        task.wait()
    with rt.recording() as sweep:
        rt.send(x, plait.nobody, tag=3)
    rt.replay(sweep, 3)
    reveal_type(rt.ledger())
    with plait.progress():
        rt.wait()
    rt.send(x, "north")
"""


@pytest.mark.for_all
def test_types_are_right_and_wrong_calls_are_found(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
         "--follow-imports=silent", f"--cache-dir={tmp_path}/cache",
         *(ROOT / "python/plait/binding").glob("*.py"), tmp_path / "program.py"],
        capture_output=True, text=True, timeout=300, check=False, cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
    )  # fmt: skip
    said = [line.split(": ", 1)[1] for line in done.stdout.splitlines()[:-1]]
    assert len(said) == 2, done.stdout + done.stderr
    assert "dict[str, float]" in said[0]
    assert 'Argument 2 to "send" of "Runtime" has incompatible type "str"' in said[1]
