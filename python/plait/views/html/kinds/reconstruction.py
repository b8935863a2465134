# SPDX-License-Identifier: BSD-3-Clause
"""The image after each iteration, and the curves of likelihood and error."""

import base64
from collections.abc import Sequence

from plait.results.base import Result
from plait.units import number_text
from plait.views.html.drawn.axes import Axes
from plait.views.html.drawn.picture import picture, upside_down
from plait.views.html.drawn.svg import dot, element, label, polyline


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
    first, last = points[0][0], points[-1][0]
    axes = Axes((first, last), (low, high if high > low else low + 1), height=200, left=90,
                bottom=34)  # fmt: skip
    places = [(axes.x(x), axes.y(y)) for x, y in points]
    parts = [axes.rows_at((low, high), number_text), polyline(places, "curve c-0")]
    parts.append(axes.columns([(first, str(first)), (last, str(last))]))
    middle = (axes.left + axes.right) / 2
    parts.append(label("iterations", middle, axes.bottom + 20, "tick", "middle"))
    for (x, y), (i, value) in zip(places, points):
        parts.append(dot(x, y, "dot c-0", f"iteration {i}: {number_text(value)}"))
    return element("h3", title) + axes.drawing(title, *parts)
