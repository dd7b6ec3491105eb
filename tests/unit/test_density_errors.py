"""`dpfda.density`: words that cannot be meant and data that cannot be used, refused before anything is spent."""

import numpy as np
import pytest

import dpfda
from dpfda.errors import DataError, FileError, ParameterError
from tests.unit.test_density_call import ages

REFUSED = [
    ({"points": None}, "exactly one of points and counts"),
    ({"domain": None}, "domain is missing"),
    ({"domain": (10, 0)}, "reversed"),
    ({"domain": (0, np.nan)}, "finite ends"),
    ({"domain": [(0, 1), (0, 1)]}, "1 columns and domain= has 2"),
    ({"domain": 5}, "two numbers"),
    ({"domain": ("a", "b")}, "two numbers"),
    ({"epsilon": None}, "epsilon is missing"),
    ({"epsilon": 0}, "greater than 0"),
    ({"delta": 1e-6}, "gives delta 0"),
    ({"mechanism": "cube"}, "mechanism must be one of"),
    ({"mechanism": "iclp"}, "give its width"),
    ({"mechanism": "gaussian", "bandwidth": 3}, "needs a delta"),
    ({"bandwidth": 0}, "above 0"),
    ({"bandwidth": -1}, "above 0"),
    ({"bandwidth": 101}, "at most the domain's length"),
    ({"bandwidth": 0.01}, "thousandth"),
    ({"bandwidth": "silverman"}, "'rule', 'private'"),
    ({"bandwidth": (1, 2)}, "2 numbers and the domain 1 axes"),
    ({"bandwidth": [[1.0, 0], [0, 1]]}, "1 x 1"),
    ({"bandwidth": [[-1.0]]}, "positive definite"),
    ({"bandwidth": None, "kernel": "matern-3/2"}, "give its width"),
    ({"bandwidth": 3, "kernel": "triangular"}, "kernel must be one of"),
    ({"bandwidth": 3, "noise": "kernel"}, "for a mechanism in a basis"),
    ({"bandwidth": 3, "mechanism": "iclp", "noise": "kernel"}, "eta=1 is too small"),
    ({"bandwidth": 3, "mechanism": "iclp", "noise": "white"}, "'matched' or 'kernel'"),
    ({"bandwidth": 3, "mechanism": "iclp", "eta": 0.5}, "eta must be a number from 1"),
    ({"bandwidth": 3, "mechanism": "iclp", "basis": "wavelet"}, "basis must be one of"),
    ({"bandwidth": 3, "mechanism": "iclp", "lattice": 5}, "is for mechanism='bernstein'"),
    ({"bandwidth": 3, "mechanism": "iclp", "nodes": 5}, "nodes= is for"),
    ({"bandwidth": 3, "mechanism": "bernstein", "sensitivity": "loose"}, "'tight' or 'published'"),
    ({"bandwidth": 3, "mechanism": "bernstein", "lattice": 2000}, "at most 1023"),
    (
        {
            "bandwidth": 3,
            "mechanism": "bernstein",
            "sensitivity": "published",
            "neighbours": "add-remove",
            "design_n": 100,
        },
        "replace each other",
    ),
    ({"nodes": 5000}, "at most 1024"),
    ({"neighbours": "add-remove"}, "design_n"),
    ({"neighbours": "both"}, "neighbours must be"),
    ({"budget": 1}, "dpfda.Budget"),
    ({"columns": ["a"]}, "an array has none"),
    ({"unit": "who"}, "give the ids themselves"),
    ({"weights": [1.0]}, "goes with weight_bound"),
    ({"weights": [1.0], "weight_bound": -1}, "finite number above 0"),
    ({"weights": np.ones(2000), "weight_bound": 1, "mechanism": "iclp", "bandwidth": 5}, "equal weight"),
    ({"weights": np.ones(2000), "weight_bound": 1, "unit": range(2000)}, "do not go together"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_words_that_cannot_be_meant(words, message):
    budget = dpfda.Budget(5)
    call = {"points": ages(), "domain": (0, 100), "epsilon": 1, "budget": budget} | words
    with pytest.raises(ParameterError, match=message):
        dpfda.density(**call)
    assert not budget.events


BAD_DATA = [
    ({"points": []}, "there is no record"),
    ({"points": [1, np.nan]}, "record 2 is not a number"),
    ({"points": ["a", "b"]}, "must be numbers"),
    ({"points": np.zeros((5, 4))}, "4 columns"),
    ({"points": np.zeros((2, 50))}, "give the transpose"),
    ({"points": np.zeros((2, 2, 2))}, "shape"),
    ({"points": [np.inf], "domain": dpfda.Circle(0, 24)}, "circle is infinite"),
    ({"points": None, "counts": ([0, 1, 2], [1.5, 2])}, "bin 1 does not hold a whole number"),
    ({"points": None, "counts": ([0, 1, 2], [1, -2])}, "bin 2"),
    ({"points": None, "counts": ([0, 1, 2], [0, 0])}, "there is no record"),
    ({"weights": [1.0], "weight_bound": 1}, "not equally many"),
    ({"weights": [np.nan] * 2000, "weight_bound": 1}, "weight of record 1"),
    ({"points": [1, 10**400]}, "too large"),
    ({"points": np.ma.masked_less([1.0, 2.0, 3.0], 2.5)}, "record 1 is not a number"),
    ({"unit": [[1]] * 2000}, "told apart"),
    ({"unit": np.ma.masked_less(np.arange(2000), 5)}, "id of row 1 is missing"),
    ({"weights": np.ma.masked_less(np.arange(2000.0), 5), "weight_bound": 1}, "weight of record 1"),
    ({"weights": [10**400] * 2000, "weight_bound": 1}, "weights must be numbers"),
    ({"unit": [1, 2]}, "not equally many"),
]


@pytest.mark.parametrize(("words", "message"), BAD_DATA)
def test_data_that_cannot_be_used(words, message):
    call = {"points": ages(), "domain": (0, 100), "epsilon": 1} | words
    with pytest.raises(DataError, match=message):
        dpfda.density(**call)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (3, "is a pair"),
        (([0, 1], [1, 2]), "one end more"),
        (([0, 2, 1], [1, 2]), "increase"),
        (([0, 1, np.inf], [1, 2]), "open last bin"),
        (([0, 1, 3], [1, 2]), "beyond the domain"),
    ],
)
def test_bins_that_make_no_sense(counts, message):
    with pytest.raises(ParameterError, match=message):
        dpfda.density(counts=counts, domain=(0, 2), epsilon=1)


def test_a_blank_line_among_records_is_an_error_and_at_the_end_none(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("age\n5\n\n6\n")
    with pytest.raises(FileError, match="line 3"):
        dpfda.density(path, domain=(0, 100), epsilon=1)
    path.write_text("age\n5\n6\n\n")
    assert dpfda.density(path, domain=(0, 100), epsilon=1).guarantee.n == 2


@pytest.mark.parametrize("points", [[], np.empty((0, 2))])
def test_nobody_on_two_axes(points):
    words = {"domain": [(0, 1), (0, 1)], "epsilon": 1, "neighbours": "add-remove", "design_n": 50}
    assert len(dpfda.density(points, **words).axes) == 2


def test_releases_of_different_relations_or_units_are_not_subtracted():
    one = dpfda.density(ages(), domain=(0, 100), epsilon=1)
    others = (
        {"neighbours": "add-remove", "design_n": 2000},
        {"unit": np.arange(2000) // 2},
    )
    for words in others:
        with pytest.raises(ParameterError, match="do not add up"):
            _ = one - dpfda.density(ages(), domain=(0, 100), epsilon=1, **words)
    gaussian = dpfda.density(ages(), domain=(0, 100), epsilon=1, delta=1e-6, mechanism="gaussian", bandwidth=8)
    assert (gaussian - one).delta == gaussian.guarantee.delta
    assert (gaussian - gaussian).delta == 2 * gaussian.guarantee.delta


def test_everything_that_was_chosen_is_vouched_for():
    words = {"bandwidth": 8, "mechanism": "iclp", "eta": 1.5, "components": 7, "kernel": "matern-5/2"}
    claims = " ".join(dpfda.density(ages(), domain=(0, 100), epsilon=1, **words).guarantee.vouched)
    assert "kernel matern-5/2, mechanism iclp, eta 1.5, components 7, was not chosen by looking" in claims
    words = {"bandwidth": 8, "mechanism": "bernstein", "lattice": 9, "iterations": 3}
    claims = " ".join(dpfda.density(ages(), domain=(0, 100), epsilon=1, **words).guarantee.vouched)
    assert "lattice 9, iterations 3" in claims
