"""Sizes and rates as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.units import rate_bytes_per_second, size_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("7", 7),
        ("7 B", 7),
        ("500K", 500_000),
        ("4 MB", 4_000_000),
        ("1.5k", 1_500),
        (" 2G ", 2_000_000_000),
        ("2 GiB", 2 << 30),
        ("2gi", 2 << 30),
        ("0.5 TiB", 1 << 39),
        (".5 KB", 500),
        ("5. KB", 5_000),
    ],
)
def test_a_size_is_a_number_with_a_unit(text: str, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("1500 KB/s", 1_500_000.0),
        ("2 MiB/s", 2.0 * (1 << 20)),
        ("10 Mbit/s", 1_250_000.0),
        ("8 bit/s", 1.0),
        ("0.5 B/s", 0.5),
        ("1GB/S", 1e9),
    ],
)
def test_a_rate_is_a_size_or_bits_each_second(text: str, rate: float) -> None:
    assert rate_bytes_per_second(text) == rate


@pytest.mark.parametrize(
    "text", ["", "MB", "-1", "1.2.3", "1 XB", "1 Mbit", "1 MB/s", "1e3", "nan", "9" * 400, "１ MB"]
)
def test_other_texts_are_no_size(text: str) -> None:
    with pytest.raises(ValueError):
        size_bytes(text)


@pytest.mark.parametrize(
    "text", ["", "/s", "1", "1 MB", "1 M/s", "1 MB/h", "1 MB/s/s", "-1 MB/s", "9" * 400 + " B/s"]
)
def test_other_texts_are_no_rate(text: str) -> None:
    with pytest.raises(ValueError):
        rate_bytes_per_second(text)


@given(st.integers(0, 10**15), st.sampled_from(["K", "M", "Ki", "Mi"]))
def test_a_rate_is_the_size_each_second(number: int, prefix: str) -> None:
    assert rate_bytes_per_second(f"{number} {prefix}B/s") == pytest.approx(size_bytes(f"{number} {prefix}B"))
