# SPDX-License-Identifier: BSD-3-Clause
"""Answers what `./plait` asks before it installs or builds: `python3 -m plait.door WORDS…`.

Needs nothing but Python itself. Refuses words that are wrong, in a line and with exit code 2, or
says in a line what they need: `nothing`, `lab`, `launch MPI [lab]` or `build MPI TARGETS…`.
"""

import contextlib
import dataclasses
import itertools
import os
import pathlib
import sys
from collections.abc import Callable, Mapping

from plait import results
from plait.attach import built, target
from plait.attach.words import parse, parse_switches, rank
from plait.errors import BadInput, sentence_of
from plait.lab.spec import LabSpec
from plait.launch import library
from plait.plain import refuse
from plait.run.programs import available, checkout, in_path, refuse_unknown, resolve
from plait.words import join_values, sort_words

Words = list[str]


def _text(_option: str, _value: str) -> None:
    """Anything; the command itself looks at it."""


def _whole(option: str, value: str) -> None:
    try:
        int(value)
    except ValueError:
        raise BadInput(f"{option} {value}: give a whole number") from None


def _count(option: str, value: str) -> None:
    _whole(option, value)
    if int(value) < 1:
        raise BadInput(f"{option} {value}: give at least 1")


def _real(option: str, value: str) -> None:
    try:
        float(value)
    except ValueError:
        raise BadInput(f"{option} {value}: give a number") from None


def _mpi(_option: str, value: str) -> None:
    library.check(value)


def _lab(_option: str, value: str) -> None:
    LabSpec.parse(value)


def _switches(_option: str, value: str) -> None:
    parse_switches(value)


def _output(option: str, value: str) -> None:
    option = "--report" if option == "--report-file" else option
    results.check_writable(pathlib.Path(value), option)


Kind = Callable[[str, str], None] | None  # None: a flag


@dataclasses.dataclass(frozen=True)
class Command:
    """Holds what a command takes; a test holds this against the command itself."""

    options: Mapping[str, Kind]
    least: int = 0  # words that are no options
    most: int | None = 0
    passes_on: bool = False  # other options go to a program
    word: str = ""  # what the first word is called


_OUTPUTS: dict[str, Kind] = {"--json": _output, "--report": None, "--report-file": _output}
_TOLD: dict[str, Kind] = {"--verbose": None, "-v": None, "--help": None}
_JOB: dict[str, Kind] = {**_OUTPUTS, **_TOLD, "--mpi": _mpi, "--lab": _lab}
_RANKS: dict[str, Kind] = {"--ranks": _count, "-n": _count}
_PROBE: dict[str, Kind] = {**_JOB, "--sizes": _text, "--repeat": _whole}
_NAME: dict[str, Kind] = {"--help": None, "--name": _text}
_REALS = ("--latency-us", "--overhead-us", "--gap-us", "--gap-per-byte-ns",
          "--overhead-per-byte-ns", "--reduction-per-byte-ns", "--both-ways-per-byte-ns",
          "--copy-per-byte-ns")  # fmt: skip

COMMANDS: dict[str, Command] = {
    "run": Command({**_JOB, **_RANKS, "--trace": _output, "--list": None, "--attach": None,
                    "--attach-switches": _switches}, 1, None, True, "APP"),
    "attach": Command(
        {**dict.fromkeys(("--progress", "--trace", "--verify", "--report", "--quiet", "-q",
                          "--build", "--salvage", "--help")),
         "--json": _output, "--mpi": _mpi}, 1, None, True, "PROGRAM",
    ),
    "bench": Command(
        {**_JOB, **_RANKS, "--rates": _text, "--noise": _text, "--rounds": _count},
        0, None, True, "NAME",
    ),
    "noise": Command(
        {**dict.fromkeys(("--period", "--length", "--cores", "--phases", "--priority"), _text),
         "--seconds": _real, "--count-seconds": _real, "--help": None}
    ),
    "measure loggp": Command(
        {**_PROBE, **_RANKS, **dict.fromkeys(("--max-size", "--floods"), _text),
         "--messages": _whole, "--raw-tcp": None}, 0, None, True
    ),
    "measure nbc": Command({**_PROBE, **_RANKS, "--op": _text, "--only": _text}, 0, None, True),
    "measure overlap": Command({**_PROBE, "--only": _text}, 0, None, True),
    "measure windows": Command({**_PROBE, "--only": _text}, 0, None, True),
    "predict collective": Command(
        {
            **_PROBE, **dict.fromkeys(_REALS, _real), "--ranks": _text, "-n": _text,
            "--algorithm": _text, "--network": _text, "--eager-limit": _text, "--fragment": _text,
            "--degree": _whole, "--measured": None, "--as-published": None,
        },
        1, 1, False, "OP",
    ),
    "report": Command({"--output": _output, "-o": _output, "--help": None}, 1, None, False,
                      "RESULT.json"),
    "compare": Command({"--help": None}, 2, 2, False, "A.json"),
    "doctor": Command({"--help": None}),
    "lab up": Command(
        {**_NAME, "--nodes": _text, "--rate": _text, "--delay": _text, "--cores": _text,
         "--subnet": _text}, 0, 1,
    ),
    "lab down": Command({**_NAME, "--all": None}, 0, 1),
    "lab status": Command(_NAME, 0, 1),
    "lab exec": Command(_NAME, 2, None, True, "NODE"),
    "lab check": Command({"--help": None}),
}  # fmt: skip


def needs(words: Words) -> str:
    """Returns what these words need; `BadInput` where they are wrong."""
    if words[:1] == ["attach"]:
        return _needs_of_attach(words[1:])
    words = join_values(words)
    name = next((n for n in COMMANDS if words[: len(n.split())] == n.split()), None)
    if name is None:
        return _of_no_command(words)
    command = COMMANDS[name]
    own, others = _sorted(command, words[len(name.split()) :])
    given = _checked(command, own)
    if "--help" in given or "--list" in given:
        return "nothing"
    if len(others) < command.least:
        raise BadInput(f"{name}: {command.word} is missing")
    if command.most is not None and len(others) > command.most:
        raise BadInput(f"{name}: unexpected word '{others[command.most]}'")
    return _needs_of(name, given, others)


def _of_no_command(words: Words) -> str:
    groups = {name.split()[0] for name in COMMANDS}
    word = words[0] if words else ""
    if word.startswith("-") or not word:
        return "nothing"
    if word not in groups:
        raise BadInput(f"there is no command '{word}'; there are: {', '.join(sorted(groups))}")
    if len(words) > 1 and not words[1].startswith("-"):
        known = [name.split()[1] for name in COMMANDS if name.startswith(f"{word} ")]
        known = [each for each in known if each != "check"]  # which is for ./plait itself
        raise BadInput(f"there is no '{word} {words[1]}'; there are: {', '.join(known)}")
    return "nothing"


def _sorted(command: Command, words: Words) -> tuple[Words, Words]:
    takes_value = {name: kind is not None for name, kind in command.options.items()}
    own, others = sort_words(words, takes_value, bool(command.word))
    if not command.passes_on and "--" not in words:
        own += [word for word in others if word.startswith("-") and len(word) > 1]
        others = [word for word in others if word not in own]
    return own, others


def _checked(command: Command, own: Words) -> dict[str, str]:
    """The options with their values, each of which is one that it may have."""
    given: dict[str, str] = {}
    left = list(own)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if word[:2] in command.options and word[2:].isdigit():
            option, equals, value = word[:2], "=", word[2:]
        if option not in command.options:
            raise BadInput(f"there is no option {option}")
        kind = command.options[option]
        if kind is not None:
            if not equals:
                if not left:
                    raise BadInput(f"{option}: its value is missing")
                value = left.pop(0)
            kind(option, value)
        given[option] = value
    return given


def _needs_of(name: str, given: Mapping[str, str], others: Words) -> str:
    need = _needs_of_command(name, given, others)
    besides = []
    if "--delay" in given or _has_delay(given.get("--lab")):
        besides.append("delay_line")  # where the kernel can, it is not started
    if name == "noise" or _is_tolerance(name, others):
        besides.append("noise")
    if not besides:
        return need
    return " ".join([need if need.startswith("build ") else "build openmpi", *besides])


def _is_tolerance(name: str, others: Words) -> bool:
    return name == "bench" and others[:1] == ["tolerance"]


def _has_delay(lab: str | None) -> bool:
    return lab is not None and bool(LabSpec.parse(lab).delay_s)


def _needs_of_command(name: str, given: Mapping[str, str], others: Words) -> str:
    mpi = library.full_name(given.get("--mpi", "openmpi"))
    if name == "run":
        return _needs_of_run(mpi, given, others)
    if name == "noise":
        for option in ("--period", "--length"):
            if option not in given:
                raise BadInput(f"noise: {option} is missing")
    if _is_tolerance(name, others):
        if not others[1:]:
            raise BadInput("tolerance: name an application, such as hpl")
        return _program("apps", others[1], mpi)
    if name == "bench":
        return _program("bench", others[0], mpi) if others else "nothing"
    if name.startswith("measure "):
        return _program("network", name.split()[1], mpi)
    if name == "predict collective":
        return _program("network", "collective" if "--measured" in given else "predict", mpi)
    if name == "lab up":
        keys = ("nodes", "rate", "cores", "delay", "subnet")
        asked = {key: given.get(f"--{key}") for key in keys}
        LabSpec.of_options(**asked, name=given.get("--name") or next(iter(others), None))
    return "lab" if name.startswith("lab ") else "nothing"


def _needs_of_attach(words: Words) -> str:
    """Inside mpiexec nothing is built that was not asked for: every rank would."""
    asked = parse(words)
    if asked.help or (rank() is not None and not asked.build):
        return "nothing"
    mpi = asked.mpi or "openmpi"
    if not (asked.build or asked.salvage):
        mpi = target.find(asked.program[0], asked.mpi).mpi
    return _library(mpi)


def _library(mpi: str) -> str:
    """Returns the words that build the library to be put in front, or use that of PLAIT_BIN_DIR."""
    library.check(mpi)
    mpi = library.full_name(mpi)
    with contextlib.suppress(BadInput):
        if built.find(mpi) != str(built.place(mpi)):
            return f"launch {mpi} lab"
    return f"build {mpi} plait_attach"


def _needs_of_run(mpi: str, given: Mapping[str, str], others: Words) -> str:
    program, *words = others
    if "--attach" in given or "--attach-switches" in given:
        return _library(target.find(program, mpi).mpi)
    if "/" in program or in_path("apps", program, mpi):
        resolve("apps", program, mpi)
        return f"launch {mpi}{' lab' if '--lab' in given else ''}"
    need = _program("apps", program, mpi)
    for option, value in itertools.pairwise(words):
        if option == "--":
            break
        if option in ("--steps", "--repeat", "--workers"):  # of every application
            _whole(option, value)
    return need


def _program(kind: str, name: str, mpi: str) -> str:
    """Say whether a program of plait's own has to be built; one from PLAIT_BIN_DIR has not."""
    refuse_unknown(kind, name, mpi)
    folder = checkout()
    built = available(kind, mpi).get(name)
    if built and not (
        folder and built.is_relative_to(folder / "build" / library.build_folder(mpi))
    ):
        return f"launch {mpi} lab"
    alone = kind == "apps" or name == "predict"  # a target of its name; others have parts
    return f"build {mpi} {name if alone else kind + '/all'}"


def main() -> None:
    """Say what is needed, or what is wrong."""
    try:
        needed = needs(sys.argv[1:])
    except BadInput as error:
        refuse(str(error))
        sys.exit(2)
    except OSError as error:
        refuse(sentence_of(error))
        sys.exit(2)
    sys.stdout.buffer.write(os.fsencode(needed) + b"\n")


if __name__ == "__main__":
    main()
