# SPDX-License-Identifier: BSD-3-Clause
"""Commands that pass words on to a program: which words are theirs, and which the program's."""

from typer.core import TyperCommand

from plait.words import sort_words

# For `app.command(…, cls=PassingOn, context_settings=PASSED_ON)`.
PASSED_ON = {"allow_extra_args": True}


class PassingOn(TyperCommand):
    """Takes the options it knows; all other words reach `context.args` as the user wrote them."""

    def parse_args(self, ctx: object, args: list[str]) -> list[str]:
        """Sort the words, then read those that are the command's."""
        takes_value = {
            name: not option.is_flag
            for option in self.get_params(ctx)
            if option.param_type_name == "option"
            for name in (*option.opts, *option.secondary_opts)
        }
        named = any(p.param_type_name == "argument" for p in self.params)
        own, passed = sort_words(args, takes_value, named)
        return super().parse_args(ctx, [*own, "--", *passed])
