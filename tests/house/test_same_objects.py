# SPDX-License-Identifier: BSD-3-Clause
"""Sources that know nothing of MPI are compiled once for all libraries, all others for each."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

CMAKE = pathlib.Path(__file__).parents[2] / "cmake"
OPENMPI = "/usr/lib/x86_64-linux-gnu/openmpi/include"
MPICH = "/usr/include/x86_64-linux-gnu/mpich"
# "Compiles" NAME.cpp: the object is its text, made from it, from own.hpp and from $more.
NINJA = """
rule compile
  depfile = $out.d
  deps = gcc
  command = cp $in $out && echo "$out: $in ../own.hpp $more" > $out.d
build plain.o: compile ../plain.cpp
build told.o: compile ../told.cpp
build mpi.o: compile ../mpi.cpp
  more = %s/mpi.h
build generated.o: compile ../generated.cpp
  more = generated.hpp
build same_generated.o: compile ../same_generated.cpp
  more = same_generated.hpp
"""
NAMES = ("plain", "told", "mpi", "generated", "same_generated")


class SameObjects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.built, self.other = self.root / "built", self.root / "other"
        (self.root / "own.hpp").write_text("")
        for name in NAMES:
            (self.root / f"{name}.cpp").write_text(name)
        for build, mpi in ((self.built, OPENMPI), (self.other, MPICH)):
            build.mkdir()
            (build / "generated.hpp").write_text(mpi)
            (build / "same_generated.hpp").write_text("")
            (build / "build.ninja").write_text(NINJA % mpi)
            entries = [{"command": self.command(build, mpi, name)} for name in NAMES]
            (build / "compile_commands.json").write_text(json.dumps(entries))
        self.wait_for_the_clock()
        self.build()
        self.note()

    def build(self):
        subprocess.run(["ninja", "-C", self.built], capture_output=True, check=True)

    def note(self):
        words = ["/usr/bin/python3", "-B", CMAKE / "note_same_objects.py", self.built, self.other]
        subprocess.run(words, capture_output=True, check=True)

    def command(self, build, mpi, name):
        told = f" -DMPI={mpi[-4:]}" if name == "told" else ""
        if (name, mpi) == ("plain", MPICH):  # as by MPI's standard ABI
            told, mpi = " -DMPI_ABI", f"{self.root}/build/abi-libraries/mpich-5.0.2/include"
        return f"c++{told} -I{build} -isystem {mpi} -o {name}.o -c {self.root}/{name}.cpp"

    def wait_for_the_clock(self):
        time.sleep(0.02)  # of the file system

    def compile(self, name):
        """Returns whether the object came from the other folder; the compiler here only fails."""
        words = [CMAKE / "same_object", self.built, "false", "-MF", f"{name}.o.d", "-o", f"{name}.o"]
        return subprocess.run(words, cwd=self.other).returncode == 0

    def test_what_is_the_same_is_taken_and_all_else_compiled(self):
        taken = {name for name in NAMES if self.compile(name)}
        self.assertEqual(taken, {"plain", "same_generated"})
        self.assertEqual((self.other / "plain.o").read_text(), "plain")
        made, files = (self.other / "plain.o.d").read_text().split(":")
        self.assertEqual(made, "plain.o")
        self.assertIn(str(self.root / "own.hpp"), files.split())

    def test_what_has_changed_since_is_compiled(self):
        self.wait_for_the_clock()
        os.utime(self.root / "own.hpp")
        self.assertFalse(self.compile("plain"))

    def test_what_is_configured_anew_is_compiled(self):
        for build in (self.built, self.other):
            with self.subTest(build.name):
                self.assertTrue(self.compile("plain"))
                self.wait_for_the_clock()
                os.utime(build / "build.ninja")
                self.assertFalse(self.compile("plain"))
                self.wait_for_the_clock()
                (self.other / "same-objects" / "plain.o.d").touch()

    def test_what_was_made_anew_since_is_compiled(self):
        self.wait_for_the_clock()
        (self.root / "plain.cpp").write_text("plain, and now with mpi.h")
        ninja = self.built / "build.ninja"
        when = ninja.stat()
        ninja.write_text(
            ninja.read_text().replace("../plain.cpp", f"../plain.cpp\n  more = {OPENMPI}")
        )
        os.utime(ninja, ns=(when.st_atime_ns, when.st_mtime_ns))
        self.build()
        self.assertFalse(self.compile("plain"))

    def test_what_is_older_than_its_source_when_notes_are_taken_is_compiled(self):
        self.wait_for_the_clock()
        (self.root / "plain.cpp").write_text("changed")
        self.note()
        self.assertFalse((self.other / "same-objects" / "plain.o.d").exists())
        self.assertFalse(self.compile("plain"))
        self.assertTrue(self.compile("same_generated"))

    def test_what_was_made_by_another_command_when_notes_are_taken_is_compiled(self):
        for build in (self.built, self.other):
            ninja = build / "build.ninja"
            ninja.write_text(ninja.read_text().replace("command = cp", "command = : more && cp"))
        self.note()
        self.assertFalse(self.compile("plain"))
        self.build()
        self.wait_for_the_clock()
        self.note()
        self.assertTrue(self.compile("plain"))

    def test_what_is_gone_is_compiled(self):
        (self.built / "plain.o").unlink()
        self.assertFalse(self.compile("plain"))


if __name__ == "__main__":
    unittest.main()
