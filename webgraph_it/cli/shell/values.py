"""Types of options: from typed text to a value. The error for a wrong one says what is expected."""

from argparse import ArgumentTypeError
from datetime import date
from pathlib import Path

from webgraph_it.cli.shell.mistakes import Mistake
from webgraph_it.units import size_bytes

LEAST_MEMORY = 1000
"""Bytes. Less is a size whose unit was forgotten."""


def size(text: str) -> int:
    """`512M`, `2G`, `1.5 GiB` → bytes."""
    try:
        return size_bytes(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a size; write for instance 512M or 2G") from None


def check_memory(memory_bytes: int) -> None:
    """Refuse a value of --memory whose unit was forgotten."""
    if memory_bytes < LEAST_MEMORY:
        raise Mistake(f"--memory is {memory_bytes} bytes; expected a size with its unit, such as 512M or 2G.")


def count(text: str) -> int:
    """A whole number."""
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None


def folder(text: str) -> Path:
    """A name that is not empty: an empty one would mean the current folder, and is an unset variable of a shell."""
    if not text.strip():
        raise ArgumentTypeError("the name is empty; expected the name of a directory")
    return Path(text)


def number(text: str) -> float:
    """Any number."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None


def positive(text: str) -> float:
    """`271e6`, `271,000,000`: more than 0 and less than 10¹⁸."""
    value = number(text.replace(",", "").replace("_", ""))
    if not 0 < value < 1e18:
        raise ArgumentTypeError(f"{text!r} is not a number above 0 and below 1e18")
    return value


def day(text: str) -> date:
    """`2026-11-17`."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a day; write for instance 2026-11-17") from None


def port(text: str) -> int:
    """0 to 65535."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is not a port (0 to 65535; 0 is any free one)")
    return int(text)


def words(text: str) -> list[str]:
    """`bv,urls` → its words."""
    return [word for word in text.split(",") if word]
