# SPDX-License-Identifier: BSD-3-Clause
"""The API pages have every public name, each class says what it is, and no comment names what is not there.

    test_api_pages.py ROOT DOXYGEN
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()
DOXYGEN = sys.argv[2]
HEADERS = sorted(p for p in (ROOT / "include").rglob("*.hpp") if "detail" not in p.parts)
NAME = re.compile(r"`([A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)*)(?:\(\))?`")
TYPE = re.compile(r"(class|struct|enum class) [^;{]*(\{|$)")
# What comments name besides plait's own: C++, and the words of formulas and files.
ELSEWHERE = re.compile(r"^(std|MPI_\w+|cuda[A-Z]\w+|CU\w+|hip[A-Z]\w+|auto|const|noexcept|int|main|this|true|false|T|D|S|X|double)\b")


class ApiPages(unittest.TestCase):
    def test_pages_are_made_without_a_warning_and_have_every_group_and_class(self):
        with tempfile.TemporaryDirectory() as made:
            settings = (ROOT / "docs/api/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {made}\n"
            done = subprocess.run([DOXYGEN, "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = {page.name: page.read_text() for page in pathlib.Path(made).glob("*.html")}
        for folder in sorted((ROOT / "include/plait").iterdir()):
            if folder.is_dir():
                group = pages[f"group__{folder.name}.html"]
                for header in folder.glob("*.hpp"):
                    self.assertIn(f">{header.name}</a>", group)
        self.assertIn("allreduce", pages["classplait_1_1collective__calls.html"])
        self.assertIn("stall_aborts", pages["structplait_1_1runtime__options.html"])
        self.assertNotIn("namespaceplait_1_1detail.html", pages)

    def test_every_class_says_what_it_is(self):
        silent = []
        for header in HEADERS:
            lines = header.read_text().splitlines()
            hidden = False  # in namespace detail
            for number, line in enumerate(lines):
                hidden = line.startswith("namespace detail") or (hidden and not line.startswith("}  // n"))
                if hidden or not TYPE.match(line):
                    continue
                before = number - 1
                while lines[before].startswith(("template", "requires", "  requires")):
                    before -= 1
                if not lines[before].startswith("///"):
                    silent.append(f"{header.relative_to(ROOT)}:{number + 1}: {line}")
        self.assertEqual(silent, [])

    def test_names_in_comments_exist(self):
        code = ""
        for header in (ROOT / "include").rglob("*.hpp"):
            code += re.sub(r"//.*", "", header.read_text()) + f" {header.stem} "
        known = set(re.findall(r"[A-Za-z_]\w*", code))
        missing = []
        for header in HEADERS:
            for number, line in enumerate(header.read_text().splitlines(), 1):
                comment = line.partition("//")[2]
                for name in NAME.findall(comment):
                    if ELSEWHERE.match(name):
                        continue
                    unknown = [part for part in re.split(r"::|\.", name) if part not in known]
                    if unknown:
                        missing.append(f"{header.relative_to(ROOT)}:{number}: `{name}`")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
