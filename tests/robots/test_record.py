"""A record survives its bytes, and bytes of earlier versions are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgraph_it.robots.record import RobotsRecord, Verdict

NOW = 1_790_000_000.0

records = st.builds(
    RobotsRecord,
    st.sampled_from(Verdict),
    st.text(st.characters(codec="ascii"), max_size=60),
    st.floats(0, 4e9),
    st.floats(0, 4e9),
    st.binary(max_size=300),
    st.integers(0, 255),
    st.booleans(),
)


@given(records)
def test_a_record_survives_its_bytes(record: RobotsRecord) -> None:
    assert RobotsRecord.from_bytes(record.to_bytes()) == record


WRITTEN_BEFORE = {
    "rules": (
        "41daac4ee000000041daaca3400000006b6e6f776e0a010000000000e04eacda4100000040a3acda41"
        "0572756c6573557365722d6167656e743a202a0a446973616c6c6f773a202f610aff",
        RobotsRecord(Verdict.RULES, "rules", NOW, NOW + 86_400, b"User-agent: *\nDisallow: /a\n\xff"),
    ),
    "allowed": (
        "41daac4ee000000041daaca3400000006b6e6f776e0a010100000000e04eacda4100000040a3acda41"
        "0a7374617475732d343034",
        RobotsRecord(Verdict.ALLOW_ALL, "status-404", NOW, NOW + 86_400),
    ),
    "awaited": (
        "41daac4ee000000041daac4efe000000776169740a010202000000e04eacda41000000fe4eacda41"
        "0a7374617475732d353033",
        RobotsRecord(Verdict.DISALLOW_ALL, "status-503", NOW, NOW + 120, failures=2, waits=True),
    ),
    "given up": (
        "41daac4ee020000041daac4f582000006b6e6f776e0a010204000020e04eacda41000020584facda41"
        "0d6572726f722d74696d656f7574",
        RobotsRecord(Verdict.DISALLOW_ALL, "error-timeout", NOW + 0.5, NOW + 480.5, failures=4),
    ),
}
"""Values of the frontier as the versions with two records wrote them, and what they said."""


@pytest.mark.parametrize("which", WRITTEN_BEFORE)
def test_what_earlier_versions_stored_is_read_and_written_alike(which: str) -> None:
    """A crawl that was begun with them resumes here, and the other way round."""
    stored, record = WRITTEN_BEFORE[which]
    assert RobotsRecord.from_bytes(bytes.fromhex(stored)) == record
    assert record.to_bytes().hex() == stored


def test_the_first_pair_of_times_counts() -> None:
    """Earlier versions capped the first pair alone."""
    stored = bytearray(RobotsRecord(Verdict.ALLOW_ALL, "no-rules", NOW, NOW + 1e7).to_bytes())
    stored[:16] = RobotsRecord(Verdict.ALLOW_ALL, "", NOW, NOW + 60).to_bytes()[:16]
    assert RobotsRecord.from_bytes(bytes(stored)).expires_at == NOW + 60


def test_a_record_of_another_version_is_refused_in_a_sentence() -> None:
    stored = bytes(16) + b"known\n\x09" + bytes(30)
    with pytest.raises(ValueError, match="version 9 found, 1 expected"):
        RobotsRecord.from_bytes(stored)


@given(st.binary(max_size=60))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    try:
        RobotsRecord.from_bytes(data)
    except ValueError:
        return
    assert data[16:].partition(b"\n")[2][0] == 1, "only its own version is read"


def test_bytes_that_end_early_are_refused() -> None:
    """All but the raw text has a known length."""
    whole = RobotsRecord(Verdict.RULES, "rules", NOW, NOW + 60, b"").to_bytes()
    for length in range(len(whole) - len("rules")):
        with pytest.raises(ValueError, match=r"fetch it again|not found"):
            RobotsRecord.from_bytes(whole[:length])
