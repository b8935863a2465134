# SPDX-License-Identifier: BSD-3-Clause
"""The figures and the circumstances of a result, as tables."""

from typing import Any

from plait.results.base import LEDGER_PARTS, Result
from plait.results.figures.application import gflops_text, has_rates
from plait.results.figures.hiding import own_ideal_text, with_own_ideal
from plait.units import bytes_per_s_text, figure_text, rate_text, seconds_text, tick_text
from plait.views.html.drawn.svg import element, table, text


def figures(result: Result) -> str:
    """Every variant's figures in full."""
    rows = []
    hidden = result.get("hidden_fraction") or {}
    base = result["variants"].get("base")
    own = bool(with_own_ideal(result))
    rates = has_rates(result)
    for name, variant in result["variants"].items():
        total = variant["total_s"]
        ratio = f"{total['median'] / base['total_s']['median']:.3f}" if base else ""
        rows.append([
            element("b", text(name)),
            *(text(seconds_text(total[q], 4)) for q in ("median", "q1", "q3")),
            ratio,
            *([own_ideal_text(variant) or "–"] if own else []),
            *(text(seconds_text(variant[f"{kind}_s"])) for kind in LEDGER_PARTS),
            _slower(variant),
            f"{hidden[name]:.3f}" if hidden.get(name) is not None else "–",
            *([text(gflops_text(variant))] if rates else []),
            _verdict(variant),
        ])  # fmt: skip
    header = [
        "variant",
        "median",
        "q1",
        "q3",
        "/ base",
        *(["/ own ideal"] if own else []),
        *LEDGER_PARTS,
    ]
    last = [*(["Gflop/s"] if rates else []), "verified"]
    return table([*header, "slower than alone", "hidden", *last], rows)


def _slower(variant: dict[str, Any]) -> str:
    slower = variant.get("slower_computation")
    return text(seconds_text(slower["total_s"])) if slower else "–"


def _verdict(variant: dict[str, Any]) -> str:
    error = variant.get("max_error")
    shown = f" ({error:.1e})" if isinstance(error, (int, float)) else ""
    word, class_ = ("yes", "good") if variant["verified"] else ("no", "bad")
    return element("span", text(word + shown), class_=class_)


def circumstances(result: Result) -> str:
    """Environment and parameters."""
    rows: list[list[str]] = []
    for key, value in {**result["parameters"], **result["environment"]}.items():
        if key == "lab" and isinstance(value, dict):
            rows.append(["emulated cluster", text(_lab(value))])
        elif key == "link_rate_Bps" and value:
            rows.append(["link payload rate", text(f"{bytes_per_s_text(value)} each way")])
        elif value not in (None, "", []):
            rows.append([text(key.replace("_", " ")), text(_plain(key, value))])
    kernel = result.get("kernel") or {}
    if share := kernel.get("fraction_of_bandwidth"):
        speed = bytes_per_s_text(kernel.get("bytes_per_s", 0))
        rows.append(["kernel", text(f"{speed}, {share:.0%} of the memory bandwidth")])
    return table(["", ""], rows, numeric_from=9)


def _lab(lab: dict[str, Any]) -> str:
    cores = "; ".join(",".join(map(str, c)) or "all" for c in lab.get("cores", []))
    delay = f", {tick_text(lab['delay_s'])} delay" if lab.get("delay_s") else ""
    if again := lab.get("segments_sent_again"):
        delay += f", {again} TCP segments sent again"
    links = f"links {rate_text(lab['rate_bps'])}{delay}"
    return f"{lab['nodes']} nodes, {links}, cores of the nodes: {cores}"


def _plain(key: str, value: object) -> str:
    if isinstance(value, list):
        joined = "×" if key in ("size", "grid") else ", "
        return joined.join(map(str, value))
    return figure_text(key, value) if isinstance(value, float) else str(value)
