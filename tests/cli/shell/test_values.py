from argparse import ArgumentTypeError
from collections.abc import Callable

import pytest

from webgraph_it.cli.shell.values import count, number, port, positive, size, words


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (size, "2G", 2_000_000_000),
        (size, "2GiB", 2 << 30),
        (size, "1.5k", 1500),
        (size, "7", 7),
        (count, "-1", -1),
        (number, "0.5", 0.5),
        (positive, "271,000,000", 271e6),
        (port, "0", 0),
        (words, "bv,urls,", ["bv", "urls"]),
    ],
)
def test_what_is_typed_becomes_a_value(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (size, "much", "'much' is not a size; write for instance 512M or 2G"),
        (count, "1.5", "'1.5' is not a whole number"),
        (number, "x", "'x' is not a number"),
        (positive, "0", "'0' is not a number above 0"),
        (positive, "nan", "'nan' is not a number above 0"),
        (port, "65536", "'65536' is not a port"),
    ],
)
def test_a_wrong_value_says_what_is_expected(read: Callable[[str], object], text: str, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        read(text)
