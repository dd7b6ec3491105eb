"""What importing costs, and how large the core's own dependencies are."""

import importlib.metadata
import statistics
import subprocess
import sys
import time
from pathlib import Path

#: What `pip install dpfda` brings beyond numpy, scipy and matplotlib.
OWN = (
    *(
        "dpfda",
        "python-flint",
        "narwhals",
        "typer",
        "rich",
        "markdown-it-py",
        "mdurl",
        "Pygments",
        "shellingham",
        "click",
    ),
    *("annotated-doc", "typing_extensions", "pydantic", "pydantic_core", "annotated-types", "typing-inspection"),
)


def seconds(module: str, repeats: int = 15) -> float:
    """Median time of a fresh interpreter that imports the module."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def size(name: str) -> float | None:
    """Installed megabytes of a distribution, None where it is not installed."""
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = [Path(str(f.locate())) for f in files if f.suffix != ".pyc"]
    return sum(p.stat().st_size for p in paths if p.is_file()) / 1e6


def tables() -> str:
    floor, ours = seconds("numpy, scipy.linalg"), seconds("dpfda")
    sizes = {name: mb for name in OWN if (mb := size(name)) is not None}
    rows = ", ".join(f"{name} {mb:.1f}" for name, mb in sorted(sizes.items(), key=lambda kv: -kv[1]) if mb >= 0.1)
    return "\n".join(
        [
            "## Import and size",
            "",
            f"`import dpfda` takes {ours / floor:.2f} times as long as `import numpy, scipy.linalg` "
            f"({ours * 1e3:.0f} and {floor * 1e3:.0f} ms with the interpreter's start).",
            "",
            f"Beyond numpy, scipy and matplotlib the core installs {sum(sizes.values()):.0f} MB: {rows}.",
            "",
        ]
    )
