# SPDX-License-Identifier: BSD-3-Clause
"""The article of an application: breakdown, an iteration, figures, ledger."""

from collections.abc import Sequence

from plait.results.base import Result
from plait.results.figures.hiding import REUSE, beaten_bounds, reusing_the_cache
from plait.views.html.article import Sections, article, card, cards, facts
from plait.views.html.drawn.breakdown import BREAKDOWN_KINDS, breakdown, kinds_legend
from plait.views.html.drawn.speedup import speedup
from plait.views.html.drawn.svg import element, text
from plait.views.html.drawn.traffic import traffic
from plait.views.html.embedded import iterations, ledgers
from plait.views.html.tables import figures
from plait.views.html.weak_scaling import weak_scaling, weak_scaling_table

_READING = """Bars are means over ranks and workers; the whisker spans the quartiles of the whole
run, which the slowest rank decides. <b>Compute</b>: running tasks, and apart from that what they
take longer than alone, <b>slower beside messages</b>: the transport takes processor time, and so
does a proxy thread (transport work included), and caches are cold. <b>Posting</b>: handing messages
to MPI. <b>Exposed communication</b>: a worker has nothing to run while a message of its rank is in
flight. <b>Bound</b> = max(computation, communication), each measured alone in this session; where
the link's rate is known, communication is the wire's time, its bytes at that rate, which is
computed. <b>Attainable</b> = max(computation + the processor time the transport itself takes,
communication): the same where every core computes.
<b>Hidden fraction</b> = (T<sub>base</sub> − T) / (T<sub>base</sub> − bound), only of variants that
compute as base does; one that reuses the cache is held against an ideal of its own."""


def application(
    heading: str, result: Result, sentences: Sequence[str], beside: Sequence[Result],
    first: Sections = (),
) -> str:  # fmt: skip
    """Returns the article, with `first` before its other sections."""
    accounts = {name: v.get("ledger") or [] for name, v in result["variants"].items()}
    explained = element("p", _READING, class_="reading")
    sections = [
        *first,
        ("Where the time went", kinds_legend(BREAKDOWN_KINDS) + breakdown(result) + explained),
        ("One iteration", iterations(result)),
        ("Figures", figures(result)),
        ("Ledger", ledgers(accounts)),
    ]
    if "traffic" in result:
        sections.insert(-2, ("Who sends how much to whom", traffic(result)))
    if "prediction" in result:
        sections.insert(-2, ("Speed-up over ranks", speedup(result, beside)))
    if rows := weak_scaling(result, beside):
        sections.insert(-2, ("Weak scaling", weak_scaling_table(rows)))
    return article(heading, result, sections, *_head(result, sentences))


def _head(result: Result, sentences: Sequence[str]) -> list[str]:
    parts = [cards(*_cards(result))]
    if limit := result.get("limiter"):
        said = element("b", "What limits the rest: ")
        parts.append(element("p", said, text(limit), class_="limit"))
    return [*parts, facts(line for line in sentences if not line.startswith("limit: "))]


def _cards(result: Result) -> list[str]:
    """Returns what each variant hides, what others gain by the cache, and if all is verified."""
    found = []
    beaten = beaten_bounds(result)
    for name, fraction in (result.get("hidden_fraction") or {}).items():
        if fraction is None:
            continue
        share = min(max(fraction, 0.0), 1.0)
        meter = element("div", element("i", style=f"width:{share * 100:.1f}%"), class_="meter")
        saying = f"of what can be hidden, {name} hides"
        if fraction > 1 and name in beaten:
            saying += ": no gain, the bound was measured too high here"
        saying = element("span", text(saying))
        found.append(card(element("b", f"{fraction:.0%}"), saying, meter))
    for name, variant in reusing_the_cache(result).items():
        own, ratio = variant["own_limits"], variant.get("ratio_to_base")
        saying = f"{REUSE}: {name} takes {own['ratio_to_ideal']:.3f} of its own ideal's time"
        figure = f"× {ratio:.2f}" if ratio is not None else "–"
        found.append(card(element("b", figure), element("span", text(saying))))
    verified = all(v["verified"] for v in result["variants"].values())
    word = "every variant verified" if verified else "not every variant verified"
    sign, class_ = ("✓", "good") if verified else ("✗", "bad")
    sign = element("b", sign, class_=class_)
    found.append(card(sign, element("span", word)))
    return found
