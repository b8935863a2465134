# SPDX-License-Identifier: BSD-3-Clause
"""The result files: `plait-result/1`, read, checked and written."""

import contextlib
import json
import math
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from plait.errors import BadInput
from plait.programs import checkout

SCHEMA = "plait-result/1"
KINDS = ("compute", "posting", "exposed", "overhead", "idle")
Result = dict[str, Any]
# What is known of each size that `plait measure loggp` measured.
LOGGP_FIGURES = ("prtt_1_0_s", "prtt_n_0_s", "prtt_n_d_s", "receiving_s",
                 "gap_s", "send_overhead_s", "receive_overhead_s")  # fmt: skip

_NUMBER, _TEXT = (int, float), (str,)
_VARIANT = {**{f"{kind}_s": _NUMBER for kind in KINDS}, "verified": (bool,)}
_LEDGER = {"rank": (int,), "worker": (int,), **{f"{kind}_s": _NUMBER for kind in KINDS}}
_PREDICTED = {"ranks": (int,)} | {
    f"{part}_s": _NUMBER
    for part in ("computation", "exchange", "reduction", "base", "overlapped", "pipelined")
}
_SUMMARY = {"span_s": _NUMBER, "overlapped_s": _NUMBER, "limit": _TEXT}
_PATH = {f"{kind}_s": _NUMBER for kind in ("total", "message", *KINDS)}
_FIT = {f"{name}_s": _NUMBER for name in ("latency", "send_overhead", "receive_overhead")}
_SEGMENT = dict.fromkeys(("first_bytes", "last_bytes", "gap_s", "gap_per_byte_s"), _NUMBER)
_LINE = dict.fromkeys(("at_zero_s", "per_byte_s", "residual_s"), _NUMBER)
_EVENT = {
    "rank": (int,), "lane": _TEXT, "name": _TEXT, "kind": _TEXT,
    "start_us": _NUMBER, "end_us": _NUMBER,
}  # fmt: skip


def load(path: pathlib.Path) -> Result:
    """Read and check a result file."""
    try:
        result = json.loads(path.read_text())
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadInput(f"{path} is not JSON: {error}") from None
    problems = check(result)
    if problems:
        raise BadInput(f"{path} is not a {SCHEMA} file: {problems[0]}")
    return result


def save(result: Result, path: pathlib.Path) -> None:
    """Write a result file."""
    path.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")


def check_writable(path: pathlib.Path, option: str) -> None:
    """Refuse an output path before anything runs."""
    folder = path.parent
    if path.is_dir():
        raise BadInput(f"{option} {path}: is a folder")
    if not folder.is_dir():
        raise BadInput(f"{option} {path}: there is no folder {folder}")
    try:
        existed = path.exists()
        with open(path, "a"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        raise BadInput(f"{option} {path}: {error.strerror}") from None


def check(result: object) -> list[str]:
    """What is wrong with a result; empty when nothing is."""
    problems: list[str] = []
    if not isinstance(result, dict):
        return ["it is not an object"]
    if result.get("schema") != SCHEMA:
        return [f"schema is {result.get('schema')!r}"]
    for key in ("parameters", "environment"):
        if not isinstance(result.get(key), dict):
            problems.append(f"{key} is missing")
    if "bench" in result:
        _check_rows(result.get("rows"), problems)
    elif "app" in result:
        _check_app(result, problems)
    elif result.get("probe") == "loggp":
        _check_loggp(result, problems)
    else:
        problems.append("neither app nor bench nor a known probe is named")
    return problems


def _check_app(result: Mapping[str, Any], problems: list[str]) -> None:
    variants = result.get("variants")
    if not isinstance(variants, dict) or not variants:
        problems.append("variants is missing")
        return
    for name, variant in variants.items():
        if not isinstance(variant, dict):
            problems.append(f"variants.{name} is not an object")
            continue
        _check_spread(variant.get("total_s"), f"variants.{name}.total_s", problems)
        _check_fields(variant, _VARIANT, f"variants.{name}", problems)
        for row, entry in enumerate(variant.get("ledger") or []):
            _check_fields(entry, _LEDGER, f"variants.{name}.ledger[{row}]", problems)
    for key in ("bound_s", "attainable_s"):
        if not _is(result.get(key), (*_NUMBER, type(None))):
            problems.append(f"{key} is not a number")
    if not isinstance(result.get("hidden_fraction", {}), dict):
        problems.append("hidden_fraction is not an object")
    if "prediction" in result:
        _check_app_prediction(result["prediction"], problems)
    for name, summary in (result.get("trace_summary") or {}).items():
        _check_fields(summary, _SUMMARY, f"trace_summary.{name}", problems)
        path = summary.get("path") if isinstance(summary, dict) else None
        _check_fields(path, _PATH, f"trace_summary.{name}.path", problems)
    for name, events in (result.get("timeline") or {}).items():
        for row, event in enumerate(events):
            _check_fields(event, _EVENT, f"timeline.{name}[{row}]", problems)


def _check_app_prediction(prediction: object, problems: list[str]) -> None:
    _check_fields(prediction, _PREDICTED, "prediction", problems)
    over_ranks = prediction.get("over_ranks") if isinstance(prediction, dict) else None
    if not isinstance(over_ranks, list) or not over_ranks:
        problems.append("prediction.over_ranks is missing")
        return
    for row, one in enumerate(over_ranks):
        _check_fields(one, _PREDICTED, f"prediction.over_ranks[{row}]", problems)


def _check_loggp(result: Mapping[str, Any], problems: list[str]) -> None:
    fit = result.get("fit")
    _check_fields(fit, _FIT, "fit", problems)
    if not isinstance(fit, dict) or not isinstance(fit.get("segments"), list):
        problems.append("fit.segments is missing")
        return
    for row, segment in enumerate(fit["segments"]):
        _check_fields(segment, _SEGMENT, f"fit.segments[{row}]", problems)
        line = segment.get("line") if isinstance(segment, dict) else None
        _check_fields(line, _LINE, f"fit.segments[{row}].line", problems)
    sizes = result.get("sizes")
    if not fit["segments"] or not isinstance(sizes, list) or not sizes:
        problems.append("there is no segment, or no size")
        return
    for row, size in enumerate(sizes):
        _check_fields(size, {"size_bytes": _NUMBER}, f"sizes[{row}]", problems)
        for key in LOGGP_FIGURES:
            spread = size.get(key) if isinstance(size, dict) else None
            _check_spread(spread, f"sizes[{row}].{key}", problems)


def _check_rows(rows: object, problems: list[str]) -> None:
    if not isinstance(rows, dict) or not rows:
        problems.append("rows is missing")
        return
    for where, spread in flatten_rows(rows):
        _check_spread(spread, "rows." + ".".join(where), problems)


def flatten_rows(rows: Mapping[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """Every figure of a benchmark with its path: (implementation, case…, figure)."""
    found: list[tuple[tuple[str, ...], Any]] = []

    def walk(node: object, path: tuple[str, ...]) -> None:
        if isinstance(node, dict) and "median" not in node:
            for key, value in node.items():
                walk(value, (*path, key))
        elif isinstance(node, dict):
            found.append((path, node))

    walk(rows, ())
    return found


def _check_spread(spread: object, where: str, problems: list[str]) -> None:
    if not isinstance(spread, dict):
        problems.append(f"{where} is missing")
        return
    _check_fields(spread, {"median": _NUMBER, "q1": _NUMBER, "q3": _NUMBER}, where, problems)


def _check_fields(
    node: object, fields: Mapping[str, tuple[type, ...]], where: str, problems: list[str]
) -> None:
    if not isinstance(node, dict):
        problems.append(f"{where} is not an object")
        return
    for key, types in fields.items():
        if not _is(node.get(key), types):
            problems.append(
                f"{where}.{key} is {'missing' if key not in node else 'of the wrong type'}"
            )


def _is(value: object, types: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in types
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, types)


def default_folder() -> pathlib.Path:
    """Where reports go when no path is given: `results/` of the checkout, else here."""
    root = checkout()
    folder = root / "results" if root and os.access(root, os.W_OK) else pathlib.Path.cwd()
    folder.mkdir(exist_ok=True)
    return folder


def short(path: pathlib.Path) -> str:
    """A path as one would type it here."""
    with contextlib.suppress(ValueError):
        return str(path.resolve().relative_to(pathlib.Path.cwd()))
    return str(path)
