# SPDX-License-Identifier: BSD-3-Clause
"""A run of an application that reconstructs images: pictures and how they converge, besides."""

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Any

from plait.results.application import Application
from plait.results.base import Result
from plait.results.schema import (
    at_least_0,
    both,
    count,
    count_from_1,
    fields,
    number,
    or_null,
    sequence,
    text,
)
from plait.units import number_text

_ITERATION = fields(
    {"iteration": count, "log_likelihood": number, "unexplained": at_least_0,
     "error": or_null(at_least_0), "picture": or_null(text)}
)  # fmt: skip
_RECONSTRUCTION = fields(
    {"width": count_from_1, "height": count_from_1, "high": at_least_0, "truth": or_null(text),
     "fingerprint": text, "iterations": sequence(_ITERATION, least=1)}
)  # fmt: skip


def _pictures_fit(result: dict[str, Any], _where: str) -> Iterator[str]:
    """Every picture has a grey value for each pixel."""
    of = result["reconstruction"]
    shown = {f"iterations[{i}].picture": one["picture"] for i, one in enumerate(of["iterations"])}
    for name, picture in {**shown, "truth": of["truth"]}.items():
        if picture is None:
            continue
        try:
            pixels = len(base64.b64decode(picture, validate=True))
        except (binascii.Error, ValueError):
            pixels = -1
        if pixels != of["width"] * of["height"]:
            yield f"reconstruction.{name} is not of {of['width']} x {of['height']} pixels"


class Reconstruction(Application):
    """A result of an application that reconstructs images."""

    name = "reconstruction"
    shape = staticmethod(
        both(Application.shape, fields({"reconstruction": _RECONSTRUCTION}), _pictures_fit)
    )

    def html(self, result: Result, beside: Sequence[Result]) -> str:
        """Returns pictures and curves before what every application has."""
        from plait.views.html.kinds.application import application
        from plait.views.html.kinds.reconstruction import pictures, progress_curves

        first = [
            ("Images", pictures(result)),
            ("Convergence", progress_curves(result)),
        ]
        return application(self.heading(result), result, self.sentences(result), beside, first)

    def reading(self, result: Result) -> list[str]:
        """Returns how far the reconstruction came."""
        return [*super().reading(result), _progress_sentence(result)]


def _progress_sentence(result: Result) -> str:
    last = result["reconstruction"]["iterations"][-1]
    likelihood = number_text(last["log_likelihood"])
    said = f"after {last['iteration']} iterations the log likelihood is {likelihood}"
    if last["error"] is not None:
        said += f", the image {number_text(last['error'])} of its norm from the truth"
    return said
