# SPDX-License-Identifier: BSD-3-Clause
"""The `plait` command: runs measured MPI programs and shows what came out."""

from __future__ import annotations

import os
from typing import Any

from plait.regions import region as region
from plait.regions import region_begin as region_begin
from plait.regions import region_end as region_end
from plait.version import __version__ as __version__


def load(file: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns a result file as data frames of pandas by name, such as `sites` and `variants`.

    The tables are those of `plait report --csv`. Errors: `plait.errors.BadInput` for what is no
    result, ImportError without pandas.
    """
    import pathlib

    import pandas

    from plait import results
    from plait.results.tables import tables_of

    tables = tables_of(results.load(pathlib.Path(file)))
    return {name: pandas.DataFrame(rows) for name, rows in tables.items()}
