# SPDX-License-Identifier: BSD-3-Clause
"""Makes one static site of the documents, the interfaces and the changelog.

    make.py PARTS SITE DOXYGEN      by ./plait docs; PARTS and SITE are made anew

The menu is that of docs/README.md: a page that stands in none of its tables is an error, as is a
link that leads nowhere.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from python_pages import page_of_python

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
# Pages that lie elsewhere, or are called otherwise in the site.
NAMES = {
    "docs/site/index.md": "index.md",
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "GOVERNANCE.md": "governance.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
    "SECURITY.md": "security.md",
    "apps/README.md": "applications.md",
}
LINK = re.compile(r"\]\(([^)#:\s]*)(#[^)\s]*)?\)")
ROW = re.compile(r"^\| ([^|]+) \|(.*)\|$")
LABELLED = re.compile(r"\[([^]]+)\]\(([^)]+)\)")
LISTED = re.compile(r"^( *)(?:[-*]|\d+\.) ")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c",
             ".f90": "fortran"}  # fmt: skip


class Site:
    """The pages in a folder of their own, with links as they are there."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.sources: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """Writes a page."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def add(self, document: pathlib.Path) -> None:
        """Writes a document of the tree as a page."""
        own = document.relative_to(ROOT).as_posix()
        name = _name_of(own)

        def there(link: re.Match[str]) -> str:
            target, fragment = link[1], link[2] or ""
            if not target:
                return link[0]
            found = (document.parent / target).resolve()
            if not found.is_file():
                return link[0]  # not a link, or one that the site's maker complains of
            other = self._page_of(found)
            return f"]({os.path.relpath(other, pathlib.PurePosixPath(name).parent)}{fragment})"

        text = _outside_code(
            document.read_text(encoding="utf-8"), lambda part: LINK.sub(there, part)
        )
        self.write(name, text)

    def _page_of(self, found: pathlib.Path) -> str:
        """Returns the page of what is linked to, which is made where it is no document."""
        own = found.relative_to(ROOT).as_posix()
        if own.endswith(".md") or own.startswith("docs/images/"):
            return _name_of(own)
        name = f"sources/{own}.md"
        if name not in self.sources:
            self.sources.add(name)
            code = found.read_text(encoding="utf-8")
            self.write(name, f"# {own}\n\n````{LANGUAGES.get(found.suffix, '')}\n{code}\n````\n")
        return name


def _name_of(own: str) -> str:
    return NAMES.get(own, own.removeprefix("docs/"))


def _outside_code(text: str, change) -> str:  # noqa: ANN001
    """Returns a text with its prose changed; each list begins after a blank line."""
    parts, is_code, prose = [], False, []
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            if not is_code:
                parts.append(change("".join(prose)))
                prose = []
            is_code = not is_code
            parts.append(line)
        elif is_code:
            parts.append(line)
        else:
            before = prose[-1] if prose else "\n"
            if LISTED.match(line) and before.strip() and not _is_in_list(before):
                prose.append("\n")
            # Lists inside lists are indented by four.
            indented = len(line) - len(line.lstrip(" "))
            prose.append(" " * indented + line if indented == 2 and line.strip() else line)
    return "".join(parts) + change("".join(prose))


def _is_in_list(line: str) -> bool:
    return bool(LISTED.match(line)) or line.startswith("  ")


def menu() -> list[dict[str, object]]:
    """Returns sections, in them groups, in them pages, as in the tables of docs/README.md."""
    sections: list[dict[str, object]] = []
    for line in (DOCS / "README.md").read_text(encoding="utf-8").splitlines():
        row = ROW.match(line)
        if row is None or row[1].startswith("---"):
            continue
        if not row[2].strip():
            sections.append({row[1].strip(): []})
            continue
        pages = []
        for label, target in LABELLED.findall(row[2]):
            own = (DOCS / target).resolve().relative_to(ROOT).as_posix()
            pages.append({_capital(label): _name_of(own)})
        (groups,) = sections[-1].values()
        groups.append({_capital(row[1].strip()): pages})
    return sections


def _capital(label: str) -> str:
    return label[:1].upper() + label[1:] if " " in label or label.islower() else label


def pages_in(entry: object) -> list[str]:
    """Returns the names of all pages in a menu."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [name for one in inner for name in pages_in(one)]


INTERFACES = """# Interfaces

| language | pages |
| --- | --- |
| C++ | [every public name of the library](api/cpp/index.html), from the comments of the headers |
| C | [functions and types](api/c/index.html), from `include/plait/*.h` |
| Fortran | {fortran} |
| Python | [functions and classes](python.md), from their docstrings |
| the shell | [the command](use/commands.md) |
| files | [result files](use/results.md) |
"""


def add_interfaces(site: Site, doxygen: str) -> None:
    """Writes the pages of C++, C, Fortran and Python."""
    for name, more in (("cpp", ""), ("c", C_INSTEAD)):
        out = site.folder / "api" / name
        out.mkdir(parents=True)
        settings = (DOCS / "api/Doxyfile").read_text(encoding="utf-8")
        done = subprocess.run([doxygen, "-"], cwd=ROOT, capture_output=True, text=True, check=False,
                              input=f"{settings}\n{more}\nOUTPUT_DIRECTORY = {out}\n")  # fmt: skip
        if done.returncode:
            sys.exit(f"doxygen: {done.stderr}")
    modules = sorted((ROOT / "include/plait").glob("*.f90"))
    shown = [f"[`{one.stem}`]({site._page_of(one)})" for one in modules]
    site.write("interfaces.md", INTERFACES.format(fortran="modules " + ", ".join(shown)))
    site.write("python.md", page_of_python(ROOT / "python/plait"))


C_INSTEAD = """
INPUT = include/plait
RECURSIVE = NO
FILE_PATTERNS = *.h
FILTER_PATTERNS =
USE_MDFILE_AS_MAINPAGE =
EXTENSION_MAPPING =
OPTIMIZE_OUTPUT_FOR_C = YES
PROJECT_BRIEF = "C"
WARNINGS = NO
"""


def main() -> None:
    """Makes the parts, and of them the site."""
    parts, out, doxygen = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    for folder in (parts, out):
        shutil.rmtree(folder, ignore_errors=True)
    site = Site(parts / "pages")
    documents = [path for path in DOCS.rglob("*.md") if path.parent != DOCS / "api"]
    for document in (*documents, *(ROOT / own for own in NAMES if own != "README.md")):
        site.add(document)
    for image in (DOCS / "images").iterdir():
        (site.folder / "images").mkdir(exist_ok=True)
        shutil.copy(image, site.folder / "images")
    (site.folder / "assets").mkdir()
    for asset in ("iframe-worker.js", "extra.css"):
        shutil.copy(DOCS / "site" / asset, site.folder / "assets")
    add_interfaces(site, doxygen)
    nav = [
        {"plait": ["index.md", "pages.md"]},
        *menu(),
        {"Interfaces": ["interfaces.md", "python.md"]},
        {"Changelog": "changelog.md"},
    ]
    written = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.md")}
    unlisted = sorted(
        name for name in written - set(pages_in(nav)) if not name.startswith("sources/")
    )
    if unlisted:
        sys.exit(f"docs/README.md lists no {', '.join(unlisted)}")
    settings = (DOCS / "site/mkdocs.yml").read_text(encoding="utf-8")
    settings += f"docs_dir: {site.folder.resolve()}\nsite_dir: {out.resolve()}\n"
    settings += f"not_in_nav: /sources/\nnav: {json.dumps(nav, ensure_ascii=False)}\n"
    (parts / "mkdocs.yml").write_text(settings, encoding="utf-8")
    made = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", parts / "mkdocs.yml"]
    done = subprocess.run(made, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
