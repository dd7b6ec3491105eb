"""`dpfda.density`: words that cannot be meant and data that cannot be used, refused before anything is spent."""

import numpy as np
import pytest

import dpfda
from dpfda.errors import DataError, ParameterError
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
    ({"weights": [1.0], "weight_bound": 1}, "1 weights for 2000 records"),
    ({"weights": [np.nan] * 2000, "weight_bound": 1}, "weight of record 1"),
    ({"unit": [1, 2]}, "2 ids for 2000 records"),
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
