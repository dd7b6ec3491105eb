"""Run every benchmark and write benchmarks/RESULTS.md.

Real curves are used where DPFDA_DATA names a folder with dti_cca.csv, dti_meta.csv, electricity_monday.csv and
growth_height.csv; without it those tables are left out.
"""

import datetime
import os
import platform
from pathlib import Path

import numpy as np

import dpfda
from benchmarks import accuracy, authors, coverage, imports, interpolation, mechanisms, recipe, speed

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    folder = os.environ.get("DPFDA_DATA")
    data = Path(folder) if folder else None
    parts = [
        "# Benchmarks\n\n"
        f"dpfda {dpfda.__version__}, {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, {os.cpu_count()} cores. Made by `make bench`; "
        "times are of one run on one machine, so look at the ratios.\n"
    ]
    for section in (
        accuracy.tables(data),
        recipe.tables(data),
        coverage.tables(),
        mechanisms.tables(data),
        authors.tables(data),
        interpolation.tables(),
        speed.tables(),
        imports.tables(),
    ):
        print(section, flush=True)
        parts.append(section)
    if data is None:
        print("DPFDA_DATA is not set, so the tables of real curves are missing and RESULTS.md was left as it was.")
        return
    RESULTS.write_text("\n".join(parts))
    print(f"written to {RESULTS}")


if __name__ == "__main__":
    main()
