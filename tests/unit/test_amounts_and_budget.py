import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpfda import Budget
from dpfda.errors import BudgetError, ParameterError
from dpfda.privacy.amounts import exact_epsilon, words
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours


def event(epsilon, unit="curve", neighbours=Neighbours.REPLACE_ONE, **rest):
    return Event("cube", exact_epsilon(epsilon), neighbours, unit, **rest)


@pytest.mark.parametrize(
    "written", ["0.1", "1/10", 0.1, Decimal("0.1"), Fraction(1, 10), " 0.10 ", "1e-1", np.float64(0.1), "2/20"]
)
def test_one_tenth_is_one_number(written):
    assert exact_epsilon(written) == Fraction(1, 10)


@pytest.mark.parametrize(
    "wrong",
    [0, -1, "0", -0.5, float("nan"), float("inf"), "nan", "inf", "1/0", "one", "", None, True, [1], 1j, "1e999999999", "1e401",
     1e-9, "1e-7", 1e7, np.nan, Decimal("Infinity"), "1//2", b"1"],
)  # fmt: skip
def test_what_is_not_an_epsilon(wrong):
    with pytest.raises(ParameterError, match="epsilon"):
        exact_epsilon(wrong)


@pytest.mark.parametrize(
    ("amount", "text"),
    [(Fraction(1), "1"), (Fraction(1, 2), "0.5"), (Fraction(1, 3), "1/3"), (Fraction(100), "100"), (Fraction(5, 4), "1.25"),
     (Fraction(1, 10**6), "0.000001"), (Fraction(0), "0"), (10 + Fraction(1, 1 << 12), "10.000244140625"), (Fraction(-1, 8), "-0.125"), (Fraction(1, 1 << 40), "1/1099511627776")],
)  # fmt: skip
def test_amounts_in_words(amount, text):
    assert words(amount) == text


def test_ten_times_a_tenth_is_one():
    budget = Budget(1)
    for written in ["0.1", "1/10", 0.1, Fraction(1, 10), Decimal("0.1")] * 2:
        budget.charge(event(written))
    assert budget.left == 0
    assert budget.spent == 1
    assert len(budget.events) == 10
    with pytest.raises(BudgetError, match="used up by 10 releases"):
        budget.charge(event("0.000001"))


def test_a_refusal_says_what_is_left_and_takes_nothing():
    budget = Budget("0.3")
    budget.charge(event("0.2"))
    with pytest.raises(
        BudgetError, match=r"epsilon 0\.2 was asked for, but 0\.1 of 0\.3 is left after 1 release: ask for 0\.1"
    ):
        budget.charge(event("0.2"))
    assert budget.left == Fraction(1, 10)
    assert repr(budget) == "budget of epsilon 0.3: 0.2 spent in 1 release, 0.1 left"


@pytest.mark.parametrize("other", [{"unit": "person"}, {"neighbours": Neighbours.ADD_REMOVE}])
def test_other_units_and_relations_do_not_add(other):
    budget = Budget(1)
    budget.charge(event("0.1"))
    with pytest.raises(BudgetError, match="does not simply add"):
        budget.charge(event("0.1", **other))
    assert budget.spent == Fraction(1, 10)


def test_a_pure_budget_holds_no_delta():
    with pytest.raises(BudgetError, match="delta"):
        Budget(1).charge(event("0.1", delta=Fraction(1, 100)))


def test_threads_cannot_overspend():
    budget, refused = Budget(1), []

    def spend():
        for _ in range(50):
            try:
                budget.charge(event("1/100"))
            except BudgetError:
                refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert budget.spent == 1
    assert len(refused) == 300


def test_an_event_in_words():
    assert str(event("1/2")) == "cube at epsilon 0.5 (replace-one, one curve)"


def test_neighbours_are_named():
    assert Neighbours.read("add-remove") is Neighbours.ADD_REMOVE
    with pytest.raises(ParameterError, match="'replace-one' .* or 'add-remove'"):
        Neighbours.read("bounded")
