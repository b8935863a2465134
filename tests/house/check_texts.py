# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a number in a document that is said to be of one of the five texts and is not shown to be.

    check_texts.py ROOT

plait's systems were published in five texts, which are not part of the repository.  A sentence of a document that
says "the text", "the paper", "the slides" or "the talk" together with a number has a mark, which readers do not see:

    <!-- of mpi-smpss: "512 processors" -->     the number, and a few words around it, as that text has them
    <!-- ours -->                               the numbers of this sentence are plait's own

Where the texts are at hand, in the folder that PLAIT_TEXTS names or in ../shared/papers beside the checkout, every
quotation must stand in NAME.txt, whatever its white space.  Where they are not, that is said, and not checked.
"""

import os
import pathlib
import re
import sys

import tree

NAMES = ("thyme", "mpi-smpss", "libnbc-slides", "multitier-kelp", "overlap-probes")
MOST_CHARACTERS = 60  # of a quotation: a number and a few words
MARK = re.compile(r'<!-- (?:of ([^:"]+): "(.*?)"|ours) -->', re.DOTALL)
SAID_OF = re.compile(r"\b[Tt]he (?:[\w/-]+ ){0,2}(?:texts?|papers?|slides?|talk)\b")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
NOT_SAID = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.DOTALL)
NEW_BLOCK = re.compile(r"\n(?=\s*(?:[-*#|]|\d+\.))|\n\s*\n")


def sentences_of(document):
    """The sentences of a document outside its code, and the cells of its tables, with their marks."""
    for block in NEW_BLOCK.split(FENCED.sub("", document)):
        cells = re.split(r"(?<!\\)\|", block) if block.lstrip().startswith("|") else [block]
        for cell in cells:
            yield from re.split(r"(?<=[.!?])\s+(?!<!--)", cell)


def normalised(text):
    """The text with one blank for any white space."""
    return " ".join(text.split())


def texts_of(root):
    """The texts by name, or None where they are not at hand."""
    folder = pathlib.Path(os.environ.get("PLAIT_TEXTS") or pathlib.Path(root).resolve().parent / "shared" / "papers")
    paths = {name: folder / f"{name}.txt" for name in NAMES}
    if not all(path.is_file() for path in paths.values()):
        return None
    return {name: normalised(path.read_text()) for name, path in paths.items()}


def problems_of_document(name, document, texts):
    """What is wrong with the numbers of one document."""
    problems = []
    for sentence in sentences_of(document):
        said = NOT_SAID.sub("", sentence)
        if SAID_OF.search(said) and re.search(r"(?<![A-Za-z])\d", said) and not MARK.search(sentence):
            problems.append(f"{name}: a number of a text without a mark: {normalised(said)}")
    for of, quotation in MARK.findall(document):
        if not of:
            continue
        if of not in NAMES:
            problems.append(f"{name}: a mark of {of}, which is none of {', '.join(NAMES)}")
        elif len(quotation) > MOST_CHARACTERS:
            problems.append(f"{name}: a mark quotes more than {MOST_CHARACTERS} characters: {quotation}")
        elif texts and normalised(quotation) not in texts[of]:
            problems.append(f"{name}: {of} does not have: {quotation}")
    return problems


def problems_of(root, texts):
    """Returns (number of documents, list of problems)."""
    root = pathlib.Path(root)
    documents = sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("apps/*.md")])
    return len(documents), [
        problem
        for path in documents
        for problem in problems_of_document(path.relative_to(root), path.read_text(), texts)
    ]


if __name__ == "__main__":
    at_hand = texts_of(sys.argv[1])
    if at_hand is None:
        print("texts: not at hand (PLAIT_TEXTS), so that no quotation was checked")
    tree.finish("texts", *problems_of(sys.argv[1], at_hand))
