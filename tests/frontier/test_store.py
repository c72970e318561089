"""The reference store keeps the contract, and so does the frontier on it."""

import pytest

from webgraph_it.frontier import MemoryStore
from webgraph_it.frontier.store import after

from .contract import FrontierContract, Storage, StoreContract


@pytest.fixture
def memory() -> Storage:
    store = MemoryStore()
    return lambda: store


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def storage(self, memory: Storage) -> Storage:
        return memory


class TestFrontierInMemory(FrontierContract):
    @pytest.fixture
    def storage(self, memory: Storage) -> Storage:
        return memory


def test_after_is_the_end_of_a_prefix() -> None:
    assert b"q" < b"q\xff\xff" < after(b"q") == b"r"
    assert after(b"qit,a)") == b"qit,a*"
