import numpy as np
import pytest

import dpfda
from dpfda.errors import DataError, FileError
from dpfda.readers.csv import read_column, read_curves

GOOD = "0,0.5,1\n1,2,3\n4,5,6\n"


def write(tmp_path, content):
    path = tmp_path / "curves.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        "\n" + GOOD + "\n\n",
        GOOD.rstrip(),
        '"0","0.5","1"\n1, 2 ,3\n4,5,6\n',
    ],
)
def test_files_that_can_be_read(tmp_path, content):
    table = read_curves(write(tmp_path, content))
    assert table.grid == (0, 0.5, 1)
    assert table.values.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("missing", ["", "NA", "nan", "NaN", " ", "null", "N/A", "."])
def test_missing_values(tmp_path, missing):
    values = read_curves(write(tmp_path, f"0,0.5,1\n1,{missing},3\n")).values
    assert np.isnan(values[0, 1])
    assert values[0, [0, 2]].tolist() == [1, 3]


BAD = {
    "empty": ("", DataError, "is empty"),
    "blank": ("  \n \n", DataError, "is empty"),
    "header alone": ("0,0.5,1\n", DataError, "header alone"),
    "binary": (b"\x89PNG\r\n\x00\x00", FileError, "not a text file"),
    "latin": (b"0,1\n1,\xff\n", FileError, "UTF-8"),
    "short row": (
        "0,0.5,1\n1,2,3\n4,5\n",
        DataError,
        "row 2 below the header of .* has 2 fields, but the header has 3",
    ),
    "long row": ("0,0.5,1\n1,2,3,4\n", DataError, "row 1 below the header of .* has 4 fields"),
    "text": ("0,0.5,1\n1,2,3\n4,lots,6\n", DataError, "row 2 below the header, column '0.5' of .* is not a number"),
    "decimal comma": ("0;0.5;1\n1;2,5;3\n", DataError, "row 1 below the header, column '0.5' .* not a comma"),
    "name in header": ("name,0,1\nann,1,2\n", DataError, "column 'name' of .* is not a grid point"),
    "curves in columns": ("t,ann,bob\n0,1,2\n0.5,3,4\n1,5,6\n", DataError, "seem to stand in columns.*transpose"),
    "index": (",0,1\n0,5,6\n1,7,8\n2,5,7\n", DataError, "index of the rows: drop it"),
    "a column too many": ("site,0,1\n1,5,6\n2,7,8\n3,5,7\n", DataError, "column 'site' of .* is not a grid point"),
    "blank row": ("0,1\n1,2\n\n3,4\n", DataError, "row 2 below the header of .* is blank"),
    "no header, one value apart": (
        "80.5,94.2,103.3,120.7\n80.1,94,104.5,118\n83,97,101,119\n79,93,103,117\n",
        DataError,
        "looks like a curve",
    ),
    "quote not closed": (
        '0,1,2\n1,2,"3\n4,5,6\n7,8,9\n',
        (DataError, FileError),
        "is a quotation mark not closed|cannot? be read|unexpected end",
    ),
    "quote closed later": ('0,1,2\n1,2,"3\n4,5,6"\n7,8,9\n', DataError, "line break inside a field"),
    "no header": ("81.3,95.2,103.9\n80.1,94,104.5\n83,97,101\n81,95,103\n", DataError, "looks like a curve"),
    "one huge field": ("0,1\n" + "1" * 200_000 + ",2\n", FileError, "cannot|not a CSV"),
}


@pytest.mark.parametrize("case", BAD)
def test_files_that_cannot(tmp_path, case):
    content, error, message = BAD[case]
    with pytest.raises(error, match=message) as raised:
        read_curves(write(tmp_path, content))
    assert "lots" not in str(raised.value)


def test_no_header_is_noticed(tmp_path):
    path = write(tmp_path, "0.5,0.2,0.7\n0.1,0.2,0.3\n0.1,0.2,0.3\n")
    with pytest.raises(dpfda.errors.ParameterError, match="first line of the file its header"):
        dpfda.mean(path, epsilon=1, value_range=(0, 1))


def test_a_row_without_values_is_an_error_and_not_fewer_curves(tmp_path):
    """Passing over it would change the public n with one person's data."""
    path = write(tmp_path, "0,0.5,1\n1,2,3\n,,\n4,5,6\n")
    with pytest.raises(DataError, match="row 2 below the header has no value"):
        dpfda.mean(path, epsilon=1, value_range=(0, 9))


def test_a_header_among_the_curves_may_be_declared_a_grid(tmp_path):
    path = write(tmp_path, "0.2,0.5,0.7\n0.1,0.2,0.9\n0.4,0.9,0.3\n0.1,0.7,0.8\n")
    with pytest.raises(DataError, match="looks like a curve"):
        read_curves(path)
    assert read_curves(path, header_is_grid=True).grid == (0.2, 0.5, 0.7)


@pytest.mark.parametrize("missing", ["", " ", "NA", "NaN", "null"])
def test_a_missing_id_is_no_person(tmp_path, missing):
    path = write(tmp_path, f"0,ID,1\n1,a,3\n4,{missing},6\n")
    for read in (read_curves, read_column):
        with pytest.raises(DataError, match="the id in row 2 below the header .* is missing"):
            read(path, "ID")
    ids = write(tmp_path, f"ID\na\n{missing}\nb\n")
    with pytest.raises(DataError, match="is missing|is blank"):
        read_column(ids, "ID")


def test_the_unit_of_a_table_must_be_its_column_of_ids(tmp_path):
    path = write(tmp_path, "0,ID,1\n1,a,3\n4,b,6\n2,a,5\n")
    with pytest.raises(DataError, match="column 'ID'"):
        read_curves(path)
    table = read_curves(path, "ID")
    good = {"epsilon": 1, "value_range": (0, 9)}
    assert dpfda.mean(table, unit="ID", **good).guarantee.n == 2
    assert dpfda.mean(table, unit=["x", "y", "z"], **good).guarantee.n == 3
    for unit in ("age", None):
        with pytest.raises(dpfda.errors.ParameterError, match="the column of ids 'ID', but unit="):
            dpfda.mean(table, unit=unit, **good)
    plain = read_curves(write(tmp_path, "0,1\n1,3\n4,6\n"))
    with pytest.raises(dpfda.errors.ParameterError, match="no column of ids"):
        dpfda.mean(plain, unit="ID", **good)


def test_infinity_in_a_file_is_an_error(tmp_path):
    path = write(tmp_path, "0,0.5,1\n1,inf,3\n1,2,3\n")
    with pytest.raises(DataError, match="row 1 below the header, column 2 is infinite"):
        dpfda.mean(path, epsilon=1, value_range=(0, 1))


def test_a_column_of_ids(tmp_path):
    path = write(tmp_path, "0,ID,1\n1,a,3\n4,b,6\n")
    table = read_curves(path, "ID")
    assert table.ids == ["a", "b"]
    assert table.grid == (0, 1)
    assert read_column(path, "ID") == ["a", "b"]
    for wrong, message in (("id", "did you mean 'ID'"), ("person", "it has '0', 'ID', '1'")):
        with pytest.raises(DataError, match=message):
            read_curves(path, wrong)
        with pytest.raises(DataError, match=message):
            read_column(path, wrong)
    twice = write(tmp_path, "0,ID,ID\n1,a,3\n")
    with pytest.raises(DataError, match="2 columns called 'ID'"):
        read_curves(twice, "ID")
    with pytest.raises(DataError, match="row 1 below the header of .* has 1 fields"):
        read_column(write(tmp_path, "a,b\n1\n"), "a")


def test_progress_is_reported(tmp_path):
    rows = "\n".join(",".join(["0.5"] * 50) for _ in range(3000))
    shares = []
    read_curves(write(tmp_path, ",".join(map(str, range(50))) + "\n" + rows), progress=shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[1] <= 1
    assert len(shares) == 6
