"""Long tables: a row a measurement, with columns that say whose it is, when, and what."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dpfda.errors import DataError
from dpfda.readers.csv import Progress, check_width, id_of, number_of, records
from dpfda.readers.frames import floats, is_frame
from dpfda.readers.scattered import ScatteredTable, group_rows
from dpfda.readers.table import position_of
from dpfda.summaries.units import clean_ids


def read_long(
    table: Any,
    *,
    id: str,  # noqa: A002 - the word users expect
    time: str,
    value: str,
    unit: str | None = None,
    progress: Progress | None = None,
) -> ScatteredTable:
    """Read curves that were each measured at points of their own from a long table.

    Parameters
    ----------
    table : path or frame
        A CSV file with a header line, or a pandas or polars frame: a row a measurement, in any order.
    id, time, value : str
        The columns that say which curve a row belongs to, where it was measured, and what was measured.  A row without a value is
        left out; one without an id or a time is an error.
    unit : str, optional
        A column of persons, where a person has several curves; otherwise every curve is another person's.
    progress : callable, optional
        Called now and then with the share of the file that was read.

    Returns
    -------
    ScatteredTable
        What `dpfda.mean(..., domain=...)` takes.

    Examples
    --------
    >>> table = dpfda.read_long("visits.csv", id="patient", time="age", value="height")  # doctest: +SKIP
    """
    if isinstance(table, str | PathLike):
        ids, times, values, units = _from_csv(Path(table), id, time, value, unit, progress)
        source = "a long table"
    elif is_frame(table):
        ids, times, values, units = _from_frame(table, id, time, value, unit)
        source = "a long frame"
    else:
        raise DataError(
            f"a long table is a path or a frame, not {type(table).__name__}; for pairs of arrays give a list of them"
        )
    if not ids:
        raise DataError("the table holds a header alone: below it, every line is a measurement")
    found, firsts = group_rows(ids, np.array(times), np.array(values), source)
    if units is None:
        return found
    home: dict[object, object] = {}
    for row, (curve, person) in enumerate(zip(ids, units, strict=True)):
        if home.setdefault(curve, person) != person:
            raise DataError(
                f"row {row + 1} gives curve {str(curve)!r} to a second person in column {unit!r}: a curve is one person's"
            )
    return ScatteredTable(found.times, found.values, [units[row] for row in firsts], source, found.labels, unit)


def _from_csv(
    source: Path, curve: str, time: str, value: str, unit: str | None, progress: Progress | None
) -> tuple[list[object], list[float], list[float], list[object] | None]:
    lines = records(source, progress)
    header = next(lines)
    names = [curve, time, value, *([] if unit is None else [unit])]
    at = [position_of(name, header, str(source)) for name in names]
    ids: list[object] = []
    units: list[object] = []
    times, values = [], []
    for number, fields in enumerate(lines, start=1):
        check_width(fields, header, number, source)
        ids.append(id_of(fields[at[0]], number, source))
        times.append(number_of(fields[at[1]], number, time, source))
        values.append(number_of(fields[at[2]], number, value, source))
        if np.isnan(times[-1]):
            raise DataError(f"row {number} below the header of {source} has no {time!r}: leave such rows out")
        if unit is not None:
            units.append(id_of(fields[at[3]], number, source))
    return ids, times, values, units if unit is not None else None


def _from_frame(
    frame: Any, curve: str, time: str, value: str, unit: str | None
) -> tuple[list[object], list[float], list[float], list[object] | None]:
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = list(table.columns)
    columns = {
        name: table.get_column(names[position_of(name, names, "the frame")]).to_list()
        for name in (curve, time, value, *([] if unit is None else [unit]))
    }
    times, values = floats(columns[time], time), floats(columns[value], value)
    ids = clean_ids(columns[curve], "measurement")
    if np.isnan(times).any():
        row = int(np.flatnonzero(np.isnan(times))[0])
        raise DataError(f"row {row + 1} of the frame has no {time!r}: leave such rows out")
    units = None if unit is None else clean_ids(columns[unit], "measurement")
    return ids, times.tolist(), values.tolist(), units
