"""Documents that say what is true: links, commands and examples are run."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path

import pytest

import dpfda
from dpfda.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_and_pictures_exist(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)", page.read_text()):
        if not target.startswith(("http", "mailto")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.S)


@pytest.mark.parametrize("page", ["README.md", "docs/concepts.md"])
def test_python_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = blocks(page, "python")
    assert examples
    scope = {}
    for example in examples:
        exec(compile(example, page, "exec"), scope)  # noqa: S102


def test_the_examples_draw_their_pictures(tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    spec = importlib.util.spec_from_file_location("mean_image", ROOT / "examples/mean_image.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    release = example.main(str(tmp_path / "image.png"), n=200, pixels=16)
    assert (tmp_path / "image.png").stat().st_size > 10_000
    assert release.domain.words == "[0, 2] x [0, 2]"


def test_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [
        line for block in blocks("README.md", "console") for line in block.splitlines() if line.startswith("$ dpfda")
    ]
    assert len(lines) >= 5
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line[2:], comments=True))
        with pytest.raises(SystemExit) as stopped:
            main.run()
        assert stopped.value.code == 0, (line, capsys.readouterr().err)


def test_docstring_examples_run():
    import doctest

    import numpy as np

    from dpfda.api import density as density_module
    from dpfda.api import mean as mean_module
    from dpfda.privacy import budget as budget_module

    for module in (mean_module, density_module, budget_module):
        result = doctest.testmod(module, extraglobs={"dpfda": dpfda, "np": np})
        assert result.attempted >= 2
        assert result.failed == 0


def test_the_changelog_knows_this_version():
    assert f"## {dpfda.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"version: {dpfda.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_two_commands_stand_in_the_readme():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
