# SPDX-License-Identifier: BSD-3-Clause
"""A header as Doxygen takes it: its first comment is the file's, its names are its folder's group.

    into_groups.py HEADER

Lines keep their numbers, so that warnings name the right ones.
"""

import pathlib
import sys


def into_group(path: pathlib.Path) -> str:
    """The text of the header, with Doxygen's commands."""
    lines = path.read_text().splitlines()
    group = path.parts[path.parts.index("plait", path.parts.index("include")) + 1]
    if group.endswith(".hpp"):
        group = "runtime"  # plait.hpp, what the facade shows
    lines[0] = "/// \\file"
    lines[lines.index("#pragma once") - 1] += f" \\ingroup {group}"
    for number, line in enumerate(lines):
        if line == "namespace plait {":
            lines[number] += f" /** \\addtogroup {group} */ /** @{{ */"
        elif line == "}  // namespace plait":
            lines[number] = "/** @} */ " + line
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(into_group(pathlib.Path(sys.argv[1])))
