# SPDX-License-Identifier: BSD-3-Clause
"""Notes which objects of one build folder are those of another, so that nobody compiles them twice.

    note_same_objects.py BUILT OTHER

BUILT is a build folder that has just been built with one MPI library; OTHER is configured with
another.  An object is the same in both where its command is, but for the library's own folders and
macro, and where it was made from the same files and none of those folders.  One that ninja would
make anew in BUILT, since its command or a file has changed, is not.  Each gets
OTHER/same-objects/OBJECT.d, which names these files as the compiler would; cmake/same_object takes
it from there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Debian's, PyPI's where a wheel is built, and those with MPI's standard ABI.
OF_MPI = re.compile(
    r"(/usr/(lib|include)/(\S+/)?|/\S*/build/(wheel/mpi|abi-libraries)/)(openmpi|mpich)\b"
)
TOLD_OF_MPI = rf" (-(isystem |I){OF_MPI.pattern}\S*|-DMPI_ABI(?= ))"  # which mpi.h alone reads
PRECOMPILED = re.compile(r"-include @build@/(\S+)")


def commands(build: Path) -> dict[str, str]:
    """Returns the command of each object, without what is the MPI library's or the build's."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        command = entry["command"].replace(str(build), "@build@")
        output = re.search(r" -o (\S+)", command)
        if output and not output[1].endswith(".gch"):
            result[output[1]] = re.sub(TOLD_OF_MPI, "", command)
    return result


def files_of(build: Path) -> dict[str, list[str]]:
    """Returns the files that each object and each precompiled header is made from."""
    told = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True
    )
    result: dict[str, list[str]] = {}
    files: list[str] = []
    for line in told.stdout.splitlines():
        if line.startswith(" "):
            files.append(os.path.normpath(build / line.strip()))
        elif line.endswith("(VALID)"):
            files = result[line.split(": #deps")[0]] = []
    return result


def out_of_date(build: Path) -> set[str]:
    """Returns all names in ninja's reasons for making files anew, outdated objects among them."""
    told = subprocess.run(
        ["ninja", "-C", build, "-n", "-d", "explain"], capture_output=True, text=True, check=False
    )
    explained = [
        line
        for line in (told.stdout + told.stderr).splitlines()
        if line.startswith("ninja explain:")
    ]
    return set(re.findall(r"[^\s'()]+", "\n".join(explained)))


def main() -> None:
    """Writes the notes anew."""
    built, other = (Path(word).resolve() for word in sys.argv[1:3])
    notes = other / "same-objects"
    shutil.rmtree(notes, ignore_errors=True)
    made_from, here, there = files_of(built), commands(built), commands(other)
    stale = out_of_date(built)

    def is_the_same(file: str) -> bool:
        """Returns whether OTHER would compile the same; of a precompiled header, by its files."""
        if OF_MPI.match(file):
            return False
        if not file.startswith(f"{built}/") or "/cmake_pch.hxx" in file:
            return True
        twin = other / Path(file).relative_to(built)
        return twin.is_file() and twin.read_bytes() == Path(file).read_bytes()

    count = 0
    for made, command in there.items():
        if here.get(made) != command or made not in made_from or made in stale:
            continue
        files = list(made_from[made])
        header = PRECOMPILED.search(command)
        if header:
            files += made_from.get(f"{header[1]}.gch", [str(built)])
        if all(map(is_the_same, files)):
            note = notes / f"{made}.d"
            note.parent.mkdir(parents=True, exist_ok=True)
            kept = [file for file in files if not file.startswith(f"{built}/")]
            note.write_text(f"{made}:" + "".join(f" \\\n  {file}" for file in kept) + "\n")
            count += 1
    print(f"{count} of {len(there)} objects are those of {built.name}")


if __name__ == "__main__":
    main()
