# SPDX-License-Identifier: BSD-3-Clause
"""Writes what Python programs import from plait as a page, from signatures and docstrings."""

from __future__ import annotations

import ast
import pathlib


def page_of_python(package: pathlib.Path) -> str:
    """Returns the page: the names that the package offers, which nothing is imported for."""
    lines = [
        "# Python",
        "",
        (ast.get_docstring(_parsed(package / "__init__.py")) or "").strip(),
        "",
    ]
    for node in _offered(package):
        kind = "class" if isinstance(node, ast.ClassDef) else "def"
        lines += [
            f"## `plait.{node.name}`",
            "",
            "```python",
            f"{kind} {_signature(node)}",
            "```",
            "",
        ]
        lines += [ast.get_docstring(node) or "", ""]
        if isinstance(node, ast.ClassDef):
            for inner in _public(node.body):
                lines += [
                    f"### `{inner.name}`",
                    "",
                    "```python",
                    f"def {_signature(inner)}",
                    "```",
                    "",
                ]
                lines += [ast.get_docstring(inner) or "", ""]
    return "\n".join(lines) + "\n"


def _parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _offered(package: pathlib.Path) -> list:
    """Returns the definitions of the package, and those it imports under their own names."""
    tree = _parsed(package / "__init__.py")
    found = _public(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("plait."):
            own = package / f"{node.module.removeprefix('plait.').replace('.', '/')}.py"
            names = {alias.name for alias in node.names if alias.asname == alias.name}
            if own.is_file():
                found += [one for one in _public(_parsed(own).body) if one.name in names]
    return found


def _public(body: list) -> list:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [one for one in body if isinstance(one, kinds) and not one.name.startswith("_")]


def _signature(node: ast.ClassDef | ast.FunctionDef) -> str:
    if isinstance(node, ast.ClassDef):
        return f"{node.name}({', '.join(map(ast.unparse, node.bases))})"
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({ast.unparse(node.args)}){returned}"
