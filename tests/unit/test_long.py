"""Long tables: a row a measurement."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpfda
from dpfda.errors import DataError, FileError, ParameterError

ROWS = "id,age,height,who\nb,2,5,x\na,1,3,x\nb,1,4,x\na,3,,x\na,2,4,x\nc,0,1,y\nc,4,2,y\n"
WORDS = {"id": "id", "time": "age", "value": "height"}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "long.csv"
    file.write_text(ROWS)
    return file


def tables(path):
    frame = pd.read_csv(path)
    return [path, str(path), frame, pl.read_csv(path)]


def test_rows_become_curves(path):
    for source in tables(path):
        table = dpfda.read_long(source, **WORDS)
        assert list(table.labels) == ["b", "a", "c"]
        np.testing.assert_array_equal(table.times, [[1, 2], [1, 2], [0, 4]])
        np.testing.assert_array_equal(table.values, [[4, 5], [3, 4], [1, 2]])
        assert table.ids is None
        by_person = dpfda.read_long(source, **WORDS, unit="who")
        assert list(by_person.ids) == ["x", "x", "y"]


def test_a_mean_of_a_long_table(path):
    table, words = dpfda.read_long(path, **WORDS, unit="who"), {"epsilon": 1, "value_range": (0, 10), "domain": (0, 5)}
    release = dpfda.mean(table, **words, unit="who")
    for given, wrong in ((table, "nobody"), (table, None), (dpfda.read_long(path, **WORDS), "who")):
        with pytest.raises(ParameterError, match="the long table was read with"):
            dpfda.mean(given, **words, unit=wrong)
    with pytest.raises(ParameterError, match="the curves are pairs of arrays"):
        dpfda.mean([([0.1, 0.2], [0.1, 0.2])] * 3, **words, unit="who")
    assert release.guarantee.n == 2
    assert release.guarantee.unit == "person"
    assert "a long table" in release.summary()


BAD = {
    "column": (ROWS.replace("height", "hight"), "no column 'height': did you mean 'hight'"),
    "time missing": (ROWS.replace("c,4,2", "c,,2"), "row 7 below the header of .* has no 'age'"),
    "id missing": (ROWS.replace("c,4,2", ",4,2"), "the id in row 7"),
    "text": (ROWS.replace("c,4,2", "c,4,tall"), "row 7 below the header, column 'height'"),
    "infinite": (ROWS.replace("c,4,2", "c,4,inf"), "curve 'c' has a time or a value that is not finite"),
    "one value": (ROWS.replace("c,4,2,y\n", ""), "curve 'c' has one value"),
    "no value": (ROWS.replace("c,4,2", "c,4,").replace("c,0,1", "c,0,"), "curve 'c' has no value"),
    "two persons": (ROWS.replace("c,4,2,y", "c,4,2,x"), "row 7 gives curve 'c' to a second person"),
    "short row": (ROWS.replace("c,4,2,y", "c,4"), "has 2 fields"),
    "empty": ("id,age,height,who\n", "a header alone"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(tmp_path, case):
    text, message = BAD[case]
    file = tmp_path / "long.csv"
    file.write_text(text)
    with pytest.raises(DataError, match=message):
        dpfda.read_long(file, **WORDS, unit="who")


def test_what_is_no_table(tmp_path, path):
    with pytest.raises(DataError, match="a path or a frame, not list"):
        dpfda.read_long([1, 2], **WORDS)
    with pytest.raises(FileError, match="cannot read"):
        dpfda.read_long(tmp_path / "none.csv", **WORDS)
    frame = pd.read_csv(path)
    for column, message in (("age", "row 1 of the frame has no 'age'"), ("id", "the id of row 1 is missing")):
        broken = frame.astype(object)
        broken.loc[0, column] = None
        with pytest.raises(DataError, match=message):
            dpfda.read_long(broken, **WORDS)


def test_pairs_that_cannot_be_used():
    words = {"epsilon": 1, "value_range": (0, 1), "domain": (0, 1)}
    good = ([0.1, 0.9], [0.2, 0.3])
    for bad, message in (
        (([0.1], [0.1, 0.2]), "curve 2 has 1 times and 2 values"),
        ((["x", 1], [0.1, 0.2]), "the times of curve 2 are not all numbers"),
        (([[0.1, 1]], [0.1, 0.2]), "not an array of 2 dimensions"),
        (([0.1, np.nan], [0.1, 0.2]), "not finite"),
        (([0.1, 0.2], [0.1, np.nan]), "curve 2 has one value"),
    ):
        with pytest.raises(DataError, match=message):
            dpfda.mean([good, bad, good], **words)


def test_ids_of_frames_are_those_of_files():
    frame = pd.DataFrame({"id": ["a", "a ", "b", "b"], "age": [1, 2, 1, 2], "height": [1.0, 2, 3, 4]})
    assert list(dpfda.read_long(frame, **WORDS).labels) == ["a", "b"]
    with pytest.raises(DataError, match="the id of row 2 is missing"):
        dpfda.read_long(frame.assign(id=["a", pd.NA, "b", "b"]), **WORDS)
    with pytest.raises(DataError, match="texts and numbers mixed"):
        dpfda.read_long(frame.assign(id=["a", 1, "b", "b"]), **WORDS)
