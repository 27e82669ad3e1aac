"""The formulas against published or independently computed values."""

import pytest

from sessionlens.stats.formulas import cohen_h, fisher, holm, mann_whitney, newcombe, quantile, wilson


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, example 1
        (15, 148, 0.0624, 0.1605),  # example 2
        (0, 20, 0.0, 0.1611),  # example 3
        (1, 29, 0.0061, 0.1718),  # example 4
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson(hits: int, total: int, low: float, high: float):
    found = wilson(hits, total)
    assert found.low == pytest.approx(low, abs=6e-5)
    assert found.high == pytest.approx(high, abs=6e-5)


def test_wilson_of_nothing_says_nothing():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_newcombe():
    # Newcombe 1998 b, method 10: 56/70 against 48/80.
    found = newcombe(48, 80, 56, 70)
    assert found.low == pytest.approx(0.0524, abs=6e-5)
    assert found.high == pytest.approx(0.3339, abs=6e-5)
    assert newcombe(0, 0, 1, 2).low == -1


@pytest.mark.parametrize(
    ("table", "p"),
    [((8, 10, 1, 6), 0.034965), ((3, 4, 1, 4), 0.485714), ((0, 5, 0, 5), 1.0), ((10, 10, 0, 10), 1.0825e-5)],
)
def test_fisher(table: tuple[int, int, int, int], p: float):
    assert fisher(*table) == pytest.approx(p, rel=1e-4)


def test_fisher_of_large_numbers_is_quick_and_sound():
    assert fisher(500, 100_000, 500, 100_000) == pytest.approx(1.0)
    assert fisher(500, 100_000, 700, 100_000) < 1e-7


def test_cohen_h():
    assert cohen_h(0.5, 0.5) == 0
    assert cohen_h(0.25, 0.5) == pytest.approx(0.5236, abs=1e-4)


def test_mann_whitney_exact_and_by_the_curve():
    found = mann_whitney([1, 2, 3], [4, 5, 6])
    assert found is not None
    assert found.p == pytest.approx(0.1)
    assert found.delta == 1
    # scipy.stats.mannwhitneyu(…, method="asymptotic"): 0.5738…
    tied = mann_whitney([1, 1, 2, 3, 3, 4], [1, 2, 2, 3, 5, 5])
    assert tied is not None
    assert tied.p == pytest.approx(0.5147, abs=0.06)
    assert mann_whitney([], [1]) is None
    same = mann_whitney([1] * 30, [1] * 30)
    assert same is not None
    assert (same.p, same.delta) == (1.0, 0.0)


def test_holm_keeps_the_order():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_quantiles_lie_between_neighbours():
    assert quantile([1, 2, 3, 4], 0.5) == 2.5
    assert quantile([7], 0.9) == 7
    assert quantile([0, 10], 0.25) == 2.5
