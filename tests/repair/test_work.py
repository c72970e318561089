"""The lookups of a repair."""

from pathlib import Path

import pytest

from webgraph_it.repair import work
from webgraph_it.repair.work import Work


def test_what_was_noted_is_found_also_after_it_left_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MAX_UNCOMMITTED", 2)
    kept = Work(tmp_path / "work")
    digests = [bytes([number]) * 16 for number in range(5)]
    for digest in digests:
        kept.set_state(digest, b"t")
    kept.add_seed(digests[0])
    kept.add_listed(digests[1])
    assert [kept.state(digest) for digest in digests] == [b"t"] * 5
    assert [kept.is_seed(digest) for digest in digests[:2]] == [True, False]
    assert [kept.is_listed(digest) for digest in digests[:2]] == [False, True]
    kept.close()
