"""Tables that `dpfda mean` reads besides a file of curves: long tables and columns of groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dpfda.cli.output import bar
from dpfda.errors import ParameterError
from dpfda.readers.csv import read_column
from dpfda.readers.long import read_long
from dpfda.readers.scattered import ScatteredTable


@dataclass(frozen=True)
class LongColumns:
    """The columns of a long table."""

    id: str
    time: str
    value: str
    unit: str | None

    @classmethod
    def read(
        cls,
        long_id: str | None,
        time: str | None,
        value: str | None,
        unit: str | None,
        unit_file: Path | None,
        header_is_grid: bool,
    ) -> LongColumns | None:
        """Return the columns, or None where the file has a row a curve; words that do not belong together are refused."""
        if long_id is None and time is None and value is None:
            return None
        missing = [f"--{name}" for name, word in (("id", long_id), ("time", time), ("value", value)) if word is None]
        if long_id is None or time is None or value is None:
            raise ParameterError(
                f"a long table needs --id, --time and --value, its columns: {', '.join(missing)} is missing"
            )
        if unit_file is not None or header_is_grid:
            word = "--unit-file" if unit_file is not None else "--header-is-grid"
            raise ParameterError(
                f"{word} is for a file with a row a curve; in a long table --unit names a column of it"
            )
        return cls(long_id, time, value, unit)

    def table(self, path: Path) -> ScatteredTable:
        """Return the curves, with a bar where the file is long."""
        with bar("reading measurements") as progress:
            return read_long(path, id=self.id, time=self.time, value=self.value, unit=self.unit, progress=progress)


def read_labels(group: str, group_file: Path | None) -> list[str]:
    """Return one label a curve."""
    if group_file is None:
        raise ParameterError("--group needs --group-file, a CSV file with that column and a row for every curve")
    return [str(label) for label in read_column(group_file, group)]
