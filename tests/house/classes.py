# SPDX-License-Identifier: BSD-3-Clause
"""Counts the data members and the functions of each class of a C++ text.

Reads declarations, no more: comments, literals, attributes and template arguments are taken out, then the body of a
class is cut at its own semicolons and braces.  Counted are functions that somebody has written, constructors among
them, and members that each object has; not counted are static members, types, aliases, friends, and what is defaulted
or deleted.
"""

import re
from typing import NamedTuple

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^\s*#[^\n]*(?:\\\n[^\n]*)*',
                   re.S | re.M)
HEAD = re.compile(r"(?<!enum )\b(?:class|struct|union)\s+(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*"
                  r"([\w:]+)\s*(?:<[^;{}()]*>)?\s*(?:final\b\s*)?(?::(?!:)[^;{}]*)?\{")
LEFT_OUT = re.compile(r"^(?:using|friend|typedef|static_assert|enum|template\s*<>\s*$|class\b|struct\b|union\b)")
WORDS = re.compile(r"\[\[[^\]]*\]\]|\b(?:alignas|decltype|noexcept|requires|explicit)\s*\((?:[^()]|\([^()]*\))*\)"
                   r"|\b(?:public|private|protected)\s*:(?!:)")


class Size(NamedTuple):
    name: str
    members: int
    functions: int


def closing(text, start):
    """Returns the place of the brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def without_templates(text):
    """Takes out what stands in angle brackets, innermost first."""
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>;{}]*>", " ", text)
    return text


def declarations(body):
    """Yields the declarations of the body of a class, each without what is in its braces."""
    text = ""
    place = 0
    while place < len(body):
        mark = body[place]
        if mark == "{":
            place = closing(body, place)
            text += "{}"
            rest = body[place + 1:].lstrip()
            # The body of a function ends it; an initialiser or a type is followed by more.
            if (is_function(text) and not rest.startswith((";", ",", "{"))) or rest.startswith("}"):
                yield text
                text = ""
        elif mark == ";":
            yield text
            text = ""
        else:
            text += mark
        place += 1


def plain(text):
    """Returns the declaration without attributes, access labels and template heads."""
    return re.sub(r"^template\s+(?:requires\b.*?\))?", "", without_templates(WORDS.sub(" ", text)).strip()).strip()


def is_function(text):
    """Returns True of `int f(int x = 3)`, False of `int x = f(3)` and of a pointer to a function."""
    text = plain(text)
    if re.search(r"\boperator\b", text):
        return True
    head = re.split(r"=|\{", text, maxsplit=1)[0]
    return "(" in head and "(*" not in head and not LEFT_OUT.match(text)


def sizes(text):
    """Returns the Size of every class that `text` defines, nested ones too."""
    text = NOISE.sub(" ", text)
    found = []
    for head in HEAD.finditer(text):
        body = text[head.end(): closing(text, head.end() - 1)]
        members = functions = 0
        for one in declarations(body):
            one_plain = plain(one)
            if not one_plain or LEFT_OUT.match(one_plain) or re.search(r"=\s*(?:default|delete)\s*$", one_plain):
                continue
            if is_function(one):
                functions += 1
            elif not re.search(r"\b(?:static|constexpr)\b", one_plain):
                members += 1
        found.append(Size(head[1], members, functions))
    return found
