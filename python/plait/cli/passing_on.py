# SPDX-License-Identifier: BSD-3-Clause
"""Sorts the words of a command line: a command's own, and those that it passes on to a program."""

from collections.abc import Iterable, Mapping

from typer import Context
from typer.core import TyperCommand

from plait.errors import BadInput


class PassingOn(TyperCommand):
    """Takes the options it knows; all other words reach `context.args` as the user wrote them."""

    allow_extra_args = True

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Sort the words, then read those that are the command's."""
        takes_value = {
            name: not option.is_flag
            for option in self.get_params(ctx)
            if option.param_type_name == "option"
            for name in (*option.opts, *option.secondary_opts)
        }
        named = any(p.param_type_name == "argument" for p in self.params)
        own, passed = sort_words(args, takes_value, named)
        if own and takes_value.get(own[-1]) and not ctx.resilient_parsing:
            raise BadInput(f"{own[-1]}: its value is missing")
        return super().parse_args(ctx, [*own, "--", *passed])


def sort_words(
    words: Iterable[str], takes_value: Mapping[str, bool], named: bool
) -> tuple[list[str], list[str]]:
    """The command's own options with their values, and the rest in its order.

    Only whole words count as options: `-nx` is no `-n` with a value `x`. What follows `--` is the
    program's. `named`: the first word that is no option names the program, and an option before it
    can only be meant for the command.
    """
    own: list[str] = []
    passed: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if word == "--":
            return own, passed + left
        if takes_value.get(word) and left:
            own += [word, left.pop(0)]
        elif (
            word in takes_value
            or (equals and name.startswith("--") and name in takes_value)
            or (word[:2] in takes_value and word[2:].isdigit())
            or (named and not passed and word.startswith("-") and len(word) > 1)
        ):
            own.append(word)
        else:
            passed.append(word)
    return own, passed


# Options that stand alone, or with a value after an equals sign: the option that takes the value.
_OPTIONAL_VALUES = {"--report": "--report-file", "--attach": "--attach-switches"}


def join_values(words: list[str]) -> list[str]:
    """`--report`, `--report FILE.html`, `--report=FILE` and `--attach=…` mean what they say."""
    changed: list[str] = []
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word == "--":  # what follows is a program's
            return changed + words[index:]
        if equals and name in _OPTIONAL_VALUES:
            changed += [_OPTIONAL_VALUES[name], value]
        elif changed and changed[-1] == "--report" and word.endswith((".html", ".htm")):
            changed[-1:] = ["--report-file", word]
        else:
            changed.append(word)
    return changed
