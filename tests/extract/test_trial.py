"""A worker is tried out before a crawl relies on it."""

import pytest

from tests.defaults import DEFAULTS
from webgraph_it.crawl.preflight import check_memory
from webgraph_it.crawl.values import SettingsError
from webgraph_it.extract.trial import can_read


def test_a_worker_with_its_usual_memory_reads_a_page() -> None:
    assert can_read(DEFAULTS.EXTRACT_MEMORY)


def test_a_memory_too_small_to_start_is_one_sentence() -> None:
    with pytest.raises(SettingsError, match="EXTRACT_MEMORY is 2 MB"):
        check_memory(2_000_000, workers=1)


def test_without_workers_their_memory_does_not_matter() -> None:
    check_memory(2_000_000, workers=0)
