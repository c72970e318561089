"""Dates of archives."""

import pytest

from webgraph_it.ingest.times import seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024-05-01T10:00:00Z", 1714557600.0),
        ("2024-05-01T10:00:00.25Z", 1714557600.25),
        ("20240501100000", 1714557600.0),
        ("20240501", 1714521600.0),
        ("2024-13-01T10:00:00Z", 0.0),
        ("ieri", 0.0),
        ("", 0.0),
    ],
)
def test_a_date_is_seconds_since_1970(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds
