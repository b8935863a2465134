# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the programs of this folder with the compiler of an MPI library, and runs them.

    check_fortran.py MPI MPIEXEC MPIF90 LIBPLAIT_FORTRAN LIBPLAIT WHAT

WHAT is `work MODULE OPTIONS RANKS` (MODULE is mpi or mpi_f08), `arrays` or `more` with the same
words, `refusals OPTIONS`, `progress RANKS`, `leaves HOW`, `example NAME RANKS`, or `compiler`:
lines that the compiler has to refuse, each beside one that it takes.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MPIRUN = HERE.parent / "support/mpirun"

# What must not compile, and the words that the compiler says; then how the same is said right.
LINES = {
    "a vector subscript": (
        "call plait_send(rt, 'm', x([1, 3]), 0, 0)",
        "vector subscript",
        "x(1:3:2)",
        "x([1, 3])",
    ),
    "an expression that is received": (
        "call plait_recv(rt, 'm', (x), 0, 0)",
        "variable definition",
        "x",
        "(x)",
    ),
    "an expression that a task writes": (
        "accesses = [plait_out(x + 1)]",
        "variable definition",
        "plait_out(x)",
        "plait_out(x + 1)",
    ),
    "a constant that a task changes": (
        "accesses = [plait_inout(3)]",
        "variable definition",
        "plait_inout(x)",
        "plait_inout(3)",
    ),
    "ranks of another kind": (
        "call plait_send(rt, 'm', x, 0_8, 0)",
        "Type mismatch",
        "0, 0",
        "0_8, 0",
    ),
}
# What is said of a program of which a rank leaves.
LEFT = "rank 1 on [^:]*: the program ends, and plait_finalize has not been called"
ENDINGS = {
    "stops": LEFT,
    "error_stops": LEFT,
    "stops_in_a_task": LEFT,
    "stops_with_an_error": LEFT,
    "returns_a_code": "rank 1 on [^:]*: task 'leaves': its function returned 3",
}
PROGRAM = """
program line
  use, intrinsic :: iso_c_binding
  use plait
  implicit none
  type(plait_runtime) :: rt
  type(plait_access) :: accesses(1)
  real(c_double), target :: x(6)
  {line}
  if (accesses(1)%mode == 0) call plait_wait(rt)
end program
"""


class Compiler:
    """The wrapper of an MPI library, with the module and libraries of a build folder."""

    def __init__(self, wrapper, archive, library):
        module = pathlib.Path(archive).parent / "module"
        self.words = [wrapper, "-Wall", "-Wno-c-binding-type", f"-I{module}"]
        self.libraries = [
            archive,
            library,
            f"-Wl,-rpath,{pathlib.Path(library).parent}",
            "-ldl",
        ]

    def compile(self, source, made, *options):
        """Returns the finished compiler."""
        words = [*self.words, *options, source, "-o", made, *self.libraries]
        return subprocess.run(
            list(map(str, words)), capture_output=True, text=True, cwd=made.parent
        )

    def run(self, mpi, mpiexec, source, options, ranks, expected, *words, ends_well=True):
        """Returns what is wrong with a program: nothing, or what it said."""
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "program"
            done = self.compile(source, made, *options)
            if done.returncode != 0:
                return done.stderr
            words = [MPIRUN, mpi, mpiexec, ranks, made, *words]
            ran = subprocess.run(list(map(str, words)), capture_output=True, text=True)
            said = ran.stdout + ran.stderr
            is_right = (ran.returncode == 0) == ends_well and re.search(expected, said)
            return "" if is_right else f"code {ran.returncode}: {said}"


def refused_lines(compiler):
    """Returns a line for each that compiles and should not, or the other way round."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "line.F90"
        made = pathlib.Path(folder) / "line.o"
        for what, (line, words, right, wrong) in LINES.items():
            source.write_text(PROGRAM.format(line=line))
            done = compiler.compile(source, made, "-c")
            if done.returncode == 0 or words.lower() not in done.stderr.lower():
                problems.append(f"{what} compiles, or not for that reason: {line}\n{done.stderr}")
            source.write_text(PROGRAM.format(line=line.replace(wrong, right)))
            done = compiler.compile(source, made, "-c")
            if done.returncode != 0:
                problems.append(f"{line.replace(wrong, right)} does not compile:\n{done.stderr}")
        source.write_text(PROGRAM.format(line="call plait_send(rt, 'm', x, 0, 0)"))
        if compiler.compile(source, made, "-c", "-fdefault-integer-8").returncode == 0:
            problems.append("-fdefault-integer-8 compiles")
    return problems


def main(mpi, mpiexec, wrapper, archive, library, what, *how):
    compiler = Compiler(wrapper, archive, library)
    if what in ("work", "arrays", "more"):
        module, options, ranks = how
        flags = [*options.split(), *(["-DUSE_F08"] if module == "mpi_f08" else [])]
        problem = compiler.run(mpi, mpiexec, HERE / f"{what}.F90", flags, ranks, "all is well")
    elif what == "progress":
        problem = compiler.run(mpi, mpiexec, HERE / "progress.f", [], how[0], "all is well")
    elif what == "leaves":
        problem = compiler.run(
            mpi, mpiexec, HERE / "leaves.F90", [], 2, ENDINGS[how[0]], *how, ends_well=False
        )
    elif what == "refusals":
        problem = compiler.run(
            mpi, mpiexec, HERE / "refusals.F90", how[0].split(), 2, "all is refused"
        )
    elif what == "example":
        folder = HERE.parent.parent / "examples/fortran"
        expected = re.escape((folder / "heat.expected").read_text())
        problem = compiler.run(mpi, mpiexec, folder / f"{how[0]}.f90", ["-O2"], how[1], expected)
    else:
        problem = "\n".join(refused_lines(compiler))
    print(problem or "as it should be")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
