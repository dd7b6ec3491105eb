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
    "short row": ("0,0.5,1\n1,2,3\n4,5\n", DataError, "row 2 of .* has 2 fields, but the header has 3"),
    "long row": ("0,0.5,1\n1,2,3,4\n", DataError, "row 1 of .* has 4 fields"),
    "text": ("0,0.5,1\n1,2,3\n4,lots,6\n", DataError, "row 2, column '0.5' of .* is not a number"),
    "decimal comma": ("0;0.5;1\n1;2,5;3\n", DataError, "row 1, column '0.5' .* decimal point"),
    "name in header": ("name,0,1\nann,1,2\n", DataError, "column 'name' of .* is not a grid point"),
    "curves in columns": ("t,ann,bob\n0,1,2\n0.5,3,4\n1,5,6\n", DataError, "seem to stand in columns.*transpose"),
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


def test_infinity_in_a_file_is_an_error(tmp_path):
    path = write(tmp_path, "0,0.5,1\n1,inf,3\n1,2,3\n")
    with pytest.raises(DataError, match="row 1, column 2 is infinite"):
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
    with pytest.raises(DataError, match="row 1 of .* has 1 fields"):
        read_column(write(tmp_path, "a,b\n1\n"), "a")


def test_progress_is_reported(tmp_path):
    rows = "\n".join(",".join(["0.5"] * 50) for _ in range(3000))
    shares = []
    read_curves(write(tmp_path, ",".join(map(str, range(50))) + "\n" + rows), progress=shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[1] <= 1
    assert len(shares) == 6
