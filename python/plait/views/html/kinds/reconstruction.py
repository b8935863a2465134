# SPDX-License-Identifier: BSD-3-Clause
"""The image after each iteration, and the curves of likelihood and error."""

import base64
from collections.abc import Sequence

from plait.results.base import Result
from plait.units import number_text
from plait.views.html.drawn.picture import picture, upside_down
from plait.views.html.drawn.svg import dot, drawing, element, label, line, polyline

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 960.0, 200.0, 90.0, 24.0, 14.0, 34.0


def pictures(result: Result) -> str:
    """Returns the pictures that the result has, in order, and the truth behind them."""
    of = result["reconstruction"]
    shown = [
        _picture(of, one["picture"], f"iteration {one['iteration']}")
        for one in of["iterations"]
        if one["picture"] is not None
    ]
    if of["truth"] is not None:
        shown.append(_picture(of, of["truth"], "truth"))
    reading = f"The middle plane, black 0 to white {number_text(of['high'])}."
    row = element("div", *shown, style="display:flex;flex-wrap:wrap;gap:.75rem")
    return row + element("p", reading, class_="reading")


def _picture(of: Result, grey: str, says: str) -> str:
    return picture(
        of["width"], of["height"], upside_down(of["width"], base64.b64decode(grey)), says
    )


def progress_curves(result: Result) -> str:
    """Returns the curve of the likelihood and, where the truth is known, that of the error."""
    found = result["reconstruction"]["iterations"]
    # The start, a grey image, would flatten everything after.
    after = found[1:] or found
    drawn = _curve("Log likelihood", [(i["iteration"], i["log_likelihood"]) for i in after])
    errors = [(i["iteration"], i["error"]) for i in after if i["error"] is not None]
    if errors:
        drawn += _curve("Distance from the truth, of its norm", errors)
    return drawn


def _curve(title: str, points: Sequence[tuple[int, float]]) -> str:
    low, high = (choose(y for _, y in points) for choose in (min, max))
    span = (high - low) or 1.0
    first, last = points[0][0], points[-1][0]

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - first) / ((last - first) or 1)
        return (
            _LEFT + across * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - (y - low) / span * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = []
    for y in (low, high):
        at = place(first, y)[1]
        parts += [line(_LEFT, at, _WIDTH - _RIGHT, at, "grid"),
                  label(number_text(y), _LEFT - 8, at + 4, "tick", "end")]  # fmt: skip
    for x in (first, last):
        parts.append(label(str(x), place(x, low)[0], _HEIGHT - 10, "tick", "middle"))
    parts.append(label("iterations", (_LEFT + _WIDTH) / 2, _HEIGHT - 10, "tick", "middle"))
    places = [place(*point) for point in points]
    parts.append(polyline(places, "curve c-0"))
    for (x, y), (i, value) in zip(places, points, strict=True):
        parts.append(dot(x, y, "dot c-0", f"iteration {i}: {number_text(value)}"))
    return element("h3", title) + drawing(_WIDTH, _HEIGHT, title, *parts)
