# SPDX-License-Identifier: BSD-3-Clause
"""Code in documents is the code of a file that compiles, and links lead somewhere.

A code block that follows `<!-- file: PATH -->` must be that file, to the letter; one that follows
`<!-- part of: PATH -->` must be lines of it.
"""

import pathlib
import re
import sys

FILE_BLOCK = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
PART_BLOCK = re.compile(r"<!-- part of: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def complaints(root: pathlib.Path) -> list[str]:
    """One line for each block that differs from its file and each link to nothing."""
    found = []
    for document in [*root.glob("*.md"), *root.glob("docs/**/*.md"), root / "apps" / "README.md"]:
        if not document.is_file():
            continue
        text = document.read_text()
        name = document.relative_to(root)
        blocks = [(*block, False) for block in FILE_BLOCK.findall(text)]
        blocks += [(*block, True) for block in PART_BLOCK.findall(text)]
        for path, code, is_part in blocks:
            source = root / path
            if not source.is_file():
                found.append(f"{name}: shows {path}, which does not exist")
            elif code not in source.read_text() if is_part else source.read_text() != code:
                found.append(f"{name}: its copy of {path} differs from the file")
        for target in LINK.findall(text):
            if not (document.parent / target).exists():
                found.append(f"{name}: links to {target}, which does not exist")
    return found


def main() -> int:
    """Checks the tree named on the command line."""
    lines = complaints(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(lines) or "documents: every block and link is right")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
