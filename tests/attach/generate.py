# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that makes every call of calls.py, and says how often it made each.

generate.py c|mpif.h|mpi|mpi_f08 FILE
"""

import pathlib
import re
import sys

from calls import STATEMENTS

CALL = re.compile(r"(MPI_\w+)\((.*)\)$")


def split_arguments(text):
    """The arguments of a call, none of which has a comma of its own."""
    return [word.strip() for word in text.split(",")]


class C:
    """C's way to say a statement."""

    def call(self, name, arguments):
        return [f"{name}({', '.join(arguments)});", f'called("{name}");']

    def fill(self, array, value):
        return [f"fill({array}, {value});"]

    def check(self, array, value, line):
        return [f"check({array}, {value}, {line});"]

    def expect(self, condition, line):
        condition = re.sub(r"source\(([^)]*)\)", r"\1.MPI_SOURCE", condition)
        condition = re.sub(r"tag\(([^)]*)\)", r"\1.MPI_TAG", condition)
        return [f"expect({condition}, {line});"]

    def until(self, condition, body):
        return [f"for (flag = 0, done = 0; !({condition});) {{", *body, "}"]

    def at_root(self, there, elsewhere):
        return ["if (me == 0) {", *there, "} else {", *elsewhere, "}"]

    def program(self, body):
        return C_PROGRAM.replace("BODY", "\n".join(f"  {line}" for line in body))


class Fortran:
    """Fortran's way, which is the same in all three bindings but for the types of handles."""

    def __init__(self, binding):
        self.is_f08 = binding == "mpi_f08"
        self.use = "" if binding == "mpif.h" else f"use {binding}"
        self.include = "include 'mpif.h'" if binding == "mpif.h" else ""

    def term(self, text):
        text = re.sub(r"(\w+)\[(\d+)\]", lambda m: f"{m[1]}({int(m[2]) + 1})", text)
        return text.replace("&", "").replace("MPI_INT", "MPI_INTEGER")

    def call(self, name, arguments):
        words = ", ".join([*map(self.term, arguments), "ierror"])
        return [f"call {name}({words})", f"call called('{name}')"]

    def fill(self, array, value):
        return [f"call fill({array}, {value})"]

    def check(self, array, value, line):
        return [f"call check({array}, {value}, {line})"]

    def expect(self, condition, line):
        for word, member in (("source", "MPI_SOURCE"), ("tag", "MPI_TAG")):
            if self.is_f08:
                condition = re.sub(rf"{word}\(([^)]*)\)", rf"\1%{member}", condition)
            else:
                condition = re.sub(
                    rf"{word}\(sts\[(\d)\]\)",
                    lambda m, member=member: f"sts({member}, {int(m[1]) + 1})",
                    condition,
                )
                condition = re.sub(rf"{word}\(st\)", f"st({member})", condition)
        return [f"call expect({self.term(condition)}, {line})"]

    def until(self, condition, body):
        return ["flag = .false.", "done = 0", f"do while (.not. ({condition}))", *body, "end do"]

    def at_root(self, there, elsewhere):
        return ["if (me == 0) then", *there, "else", *elsewhere, "end if"]

    def program(self, body):
        handles = {
            "REQUESTS": "MPI_Request",
            "MESSAGES": "MPI_Message",
            "TYPES": "MPI_Datatype",
            "COMMUNICATORS": "MPI_Comm",
            "WINDOWS": "MPI_Win",
        }
        text = FORTRAN_PROGRAM
        for word, handle in handles.items():
            text = text.replace(word, f"type({handle})" if self.is_f08 else "integer")
        status = "type(MPI_Status) :: st, sts(2)"
        if not self.is_f08:
            status = "integer :: st(MPI_STATUS_SIZE), sts(MPI_STATUS_SIZE, 2)"
        text = text.replace("STATUSES_OF_TWO", status).replace("USE_LINE", self.use)
        text = text.replace("INCLUDE_LINE", self.include)
        return text.replace("BODY", "\n".join(f"  {line}" for line in body))


def translated(language, statement, line):
    """The lines of a statement in a language."""
    if found := CALL.match(statement):
        return language.call(found[1], split_arguments(found[2]))
    if statement.startswith("until "):
        condition, _, inner = statement.removeprefix("until ").partition(": ")
        return language.until(condition, translated(language, inner, line))
    if statement.startswith("at root: "):
        there, _, elsewhere = statement.removeprefix("at root: ").partition(" / ")
        return language.at_root(
            translated(language, there, line), translated(language, elsewhere, line)
        )
    name, _, rest = statement.partition("(")
    if name == "expect":
        return language.expect(rest[:-1], line)
    return getattr(language, name)(
        *split_arguments(rest[:-1]), *([line] if name == "check" else [])
    )


def main():
    """Writes the program."""
    binding, file = sys.argv[1:]
    language = C() if binding == "c" else Fortran(binding)
    body = []
    for line, statement in enumerate(STATEMENTS, 1):
        body += translated(language, statement, line)
    pathlib.Path(file).write_text(language.program(body))


C_PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int a[64], b[64], c[64], counts[64], places[64], bytes_to[64], spare[4096];
static int wrong, names;
static struct { const char* name; int count; } tally[128];

static void called(const char* name) {
  int i = 0;
  while (i < names && strcmp(tally[i].name, name) != 0) ++i;
  if (i == names) tally[names++].name = name;
  ++tally[i].count;
}
static void fill(int* x, int value) {
  for (int i = 0; i < 64; ++i) x[i] = value;
}
static void expect(int holds, int line) {
  if (!holds) printf("wrong: statement %d\n", line);
  if (!holds) ++wrong;
}
static void check(const int* x, int value, int line) {
  expect(x[0] == value && x[1] == value && x[2] == value && x[3] == value, line);
}

int main(int argc, char** argv) {
  int me, size, left, right, which, done, flag, indices[2];
  MPI_Request r, rs[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status st, sts[2];
  MPI_Message message;
  MPI_Datatype at_a, at_b, types[64];
  MPI_Aint places_of[1], origin = 0;
  MPI_Comm ring;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (me + size - 1) % size;
  right = (me + 1) % size;
  for (int i = 0; i < 64; ++i) {
    counts[i] = 4;
    places[i] = 4 * i;
    bytes_to[i] = 16 * i;
    types[i] = MPI_INT;
  }
  MPI_Buffer_attach(spare, (int)sizeof spare);
  MPI_Get_address(a, &places_of[0]);
  MPI_Type_create_hindexed_block(1, 4, places_of, MPI_INT, &at_a);
  MPI_Type_commit(&at_a);
  MPI_Get_address(b, &places_of[0]);
  MPI_Type_create_hindexed_block(1, 4, places_of, MPI_INT, &at_b);
  MPI_Type_commit(&at_b);
  int periods[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &ring);
  MPI_Win_create(b, sizeof b, sizeof b[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
BODY
  MPI_Win_free(&window);
  for (int i = 0; i < names; ++i) printf("called %s %d\n", tally[i].name, tally[i].count);
  MPI_Finalize();
  return wrong != 0;
}
""".lstrip()

FORTRAN_PROGRAM = """
program calls
  USE_LINE
  implicit none
  INCLUDE_LINE
  integer, parameter :: most = 128
  integer, asynchronous, save :: a(64), b(64), c(64), spare(4096)
  integer :: counts(64), places(64), bytes_to(64), tally(most), names, wrong, i
  character(len=32) :: name_of(most)
  integer :: me, size, left, right, which, done, indices(2), ierror
  logical :: flag, periods(1)
  integer :: extents(1)
  REQUESTS :: r, rs(2)
  STATUSES_OF_TWO
  MESSAGES :: message
  TYPES :: at_a, at_b, types(64)
  integer(kind=MPI_ADDRESS_KIND) :: places_of(1), origin, extent
  COMMUNICATORS :: ring
  WINDOWS :: window
  names = 0
  wrong = 0
  tally = 0
  origin = 0
  extent = 4 * 64
  rs = MPI_REQUEST_NULL
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  left = mod(me + size - 1, size)
  right = mod(me + 1, size)
  do i = 1, 64
    counts(i) = 4
    places(i) = 4 * (i - 1)
    bytes_to(i) = 16 * (i - 1)
    types(i) = MPI_INTEGER
  end do
  call MPI_Buffer_attach(spare, 4 * 4096, ierror)
  call MPI_Get_address(a, places_of(1), ierror)
  call MPI_Type_create_hindexed_block(1, 4, places_of, MPI_INTEGER, at_a, ierror)
  call MPI_Type_commit(at_a, ierror)
  call MPI_Get_address(b, places_of(1), ierror)
  call MPI_Type_create_hindexed_block(1, 4, places_of, MPI_INTEGER, at_b, ierror)
  call MPI_Type_commit(at_b, ierror)
  periods(1) = .true.
  extents(1) = size
  call MPI_Cart_create(MPI_COMM_WORLD, 1, extents, periods, .false., ring, ierror)
  call MPI_Win_create(b, extent, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
  ! Of every other element the binding makes a datatype, or the compiler a copy.
  call MPI_Bcast(c(1:15:2), 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call called('MPI_Bcast')
BODY
  call MPI_Win_free(window, ierror)
  do i = 1, names
    print '(a, a, a, i0)', 'called ', trim(name_of(i)), ' ', tally(i)
  end do
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
contains
  subroutine called(name)
    character(len=*), intent(in) :: name
    integer :: at
    do at = 1, names
      if (name_of(at) == name) exit
    end do
    if (at > names) names = at
    name_of(at) = name
    tally(at) = tally(at) + 1
  end subroutine
  subroutine fill(x, value)
    integer, intent(out) :: x(64)
    integer, intent(in) :: value
    x = value
  end subroutine
  subroutine expect(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (holds) return
    print '(a, i0)', 'wrong: statement ', line
    wrong = wrong + 1
  end subroutine
  subroutine check(x, value, line)
    integer, intent(in) :: x(64), value, line
    call expect(all(x(1:4) == value), line)
  end subroutine
end program
""".lstrip()

if __name__ == "__main__":
    main()
