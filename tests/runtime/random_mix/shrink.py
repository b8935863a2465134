# SPDX-License-Identifier: BSD-3-Clause
"""Leaves out statements of a mixed program as long as it still fails, and lists what is left.

    shrink.py [--tries N] COMMAND ...

COMMAND runs the one program, "mpiexec -n 2 runtime_test_random_mix --programs 1 --seed 7".  It has failed
when its status is not 0; a program that fails now and then wants more tries.
"""

import argparse
import re
import subprocess
import sys


def run(command, drop=(), words=()):
    """The command's status and output."""
    dropped = ["--drop", ",".join(map(str, sorted(drop)))] if drop else []
    done = subprocess.run([*command, *dropped, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace")


class Program:
    def __init__(self, command, tries):
        self.command = command
        self.tries = tries
        self.output = ""
        self.sign = ""  # what it says when it fails as it did at first; a crash says nothing

    def fails_without(self, drop):
        for _ in range(self.tries):
            status, output = run(self.command, drop)
            if status and self.sign in output:
                self.output = output
                return True
        return False

    def listing(self, drop=()):
        """The lines that name its statements, and those of its parts."""
        _, output = run(self.command, drop, ["--list"])
        return [line for line in output.splitlines() if re.match(r"part \d+, |  \d+ ", line)]


def numbers_in(lines):
    return sorted({int(found[1]) for line in lines if (found := re.match(r"  (\d+) ", line))})


def shrink(program, numbers):
    """As many of the numbers as can be left out, in ever smaller pieces [Zeller 2002, ddmin]."""
    drop = set()
    size = max(len(numbers) // 2, 1)
    while True:
        left = [n for n in numbers if n not in drop]
        shorter = False
        for begin in range(0, len(left), size):
            piece = set(left[begin : begin + size])
            if program.fails_without(drop | piece):
                drop |= piece
                shorter = True
        if size == 1 and not shorter:
            return drop
        if not shorter:
            size = max(size // 2, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=3, help="runs before it counts as passing")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    program = Program(options.command, options.tries)
    if not program.fails_without(()):
        sys.exit(f"shrink: it has passed {options.tries} times")
    if "repeat:" in program.output:
        program.sign = "repeat:"
    drop = shrink(program, numbers_in(program.listing()))
    program.fails_without(drop)
    print("\n".join(program.listing(drop)))
    print(program.output)
    print(f"--drop {','.join(map(str, sorted(drop)))}" if drop else "nothing can be left out")


if __name__ == "__main__":
    main()
