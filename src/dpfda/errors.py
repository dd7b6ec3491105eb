"""What can go wrong, and who can mend it.

::

    DpfdaError
    ├── ParameterError      a word of the call: epsilon, a range, a grid, an option
    ├── DataError           the records: a row that cannot be used, ids of the wrong length
    ├── FileError           a file that cannot be read, or must not be overwritten
    │   └── FormatError     a release file that is damaged or of another kind
    ├── BudgetError         the budget does not allow it; nothing was spent
    └── EntropyError        the random bits of the operating system cannot be right

A warning, `AccuracyWarning`, says beforehand that a release will be of little use.

An error names the value of a parameter or the position of a record, never a record's other values, and says what to
do.  Even so, whether an error occurs may depend on the data: errors are for the data's owner alone (docs/limits.md).
"""


class AccuracyWarning(UserWarning):
    """What is asked for can be released, but public numbers say that it will be of little use; nothing was spent yet."""


class DpfdaError(Exception):
    """Base of everything this package raises on purpose."""


class ParameterError(DpfdaError, ValueError):
    """A parameter has a value that cannot be meant."""


class DataError(DpfdaError, ValueError):
    """A record cannot be used; no release happened and nothing was spent."""


class FileError(DpfdaError, OSError):
    """A file cannot be read or written."""


class FormatError(FileError):
    """A file is not what it should be, or was changed after it was written."""


class BudgetError(DpfdaError, RuntimeError):
    """The budget refuses the charge; nothing was spent and no noise was drawn."""


class EntropyError(DpfdaError, RuntimeError):
    """An event too improbable to be believed: the source of random bits is broken."""
