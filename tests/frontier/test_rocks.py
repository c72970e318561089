"""RocksDB keeps the contract, says clearly what is wrong, and its commits are atomic on disk."""

import json
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest
from rocksdict import Rdict

from webgraph_it.frontier import FrontierError, RocksStore, rocks
from webgraph_it.frontier.records import DamageError
from webgraph_it.frontier.rocks import BLOCK_CACHE_BYTES, SORT_AT_ONCE, TABLE_FILE, in_order

from .contract import FrontierContract, Storage, StoreContract


@pytest.fixture
def on_disk(tmp_path: Path) -> Storage:
    opened: list[RocksStore] = []

    def reopen() -> RocksStore:
        if opened:
            opened[-1].close()  # closing writes nothing: only commits are durable
        opened.append(RocksStore(tmp_path / "frontier"))
        return opened[-1]

    return reopen


class TestRocksStore(StoreContract):
    @pytest.fixture
    def storage(self, on_disk: Storage) -> Storage:
        return on_disk


class TestFrontierOnRocks(FrontierContract):
    @pytest.fixture
    def storage(self, on_disk: Storage) -> Storage:
        return on_disk


@pytest.mark.parametrize("count", [0, 1, SORT_AT_ONCE, SORT_AT_ONCE + 1, 3 * SORT_AT_ONCE + 7])
def test_in_order_sorts(count: int) -> None:
    keys = [random.Random(n).randbytes(5) for n in range(count)]
    assert [key for part in in_order(keys) for key in part] == sorted(keys)


def test_in_order_sorts_keys_that_are_mostly_alike() -> None:
    keys = [b"qit,a)%08d" % n for n in reversed(range(2 * SORT_AT_ONCE))]
    assert [key for part in in_order(keys) for key in part] == sorted(keys)


def test_a_long_table_is_synced_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last sync, which holds the interpreter's lock, has little left to do."""
    synced: list[str] = []
    store = RocksStore(tmp_path)
    monkeypatch.setattr(rocks, "SYNC_EVERY_CHANGES", 10)
    monkeypatch.setattr(rocks, "SORT_AT_ONCE", 8)
    monkeypatch.setattr(rocks, "_sync", synced.append)
    store.commit({b"%03d" % number: b"" for number in range(200)})
    store.close()
    assert set(synced) == {str(tmp_path / TABLE_FILE)}
    assert len(synced) >= 10


def test_a_second_process_is_refused_in_one_sentence(tmp_path: Path) -> None:
    store = RocksStore(tmp_path)
    code = f"from webgraph_it.frontier import RocksStore; RocksStore({str(tmp_path)!r})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    store.close()
    last_line = other.stderr.strip().splitlines()[-1]
    assert last_line.endswith(
        f"FrontierError: {tmp_path}: another process is using this frontier; stop it first"
    )


def test_a_damaged_manifest_is_one_sentence(tmp_path: Path) -> None:
    store = RocksStore(tmp_path)
    store.commit({b"a": b"1"})
    store.close()
    (manifest,) = tmp_path.glob("MANIFEST-*")
    manifest.write_bytes(b"\0" * 20 + manifest.read_bytes()[20:])
    with pytest.raises(
        FrontierError, match="restore the crawl directory from a copy or start a new one"
    ) as found:
        RocksStore(tmp_path)
    assert str(tmp_path) in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("reason", ["Permission denied", "Operation not permitted", "Read-only file system"])
def test_what_the_system_forbids_is_no_damage(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise Exception(f"IO error: While open a file for appending: {tmp_path}/LOG: {reason}")

    monkeypatch.setattr(rocks, "Rdict", forbidden)
    with pytest.raises(FrontierError, match="allow it and give the same command again") as found:
        RocksStore(tmp_path)
    assert not isinstance(found.value, DamageError)
    assert "damaged" not in str(found.value)


def test_a_missing_table_is_one_sentence(tmp_path: Path) -> None:
    store = RocksStore(tmp_path)
    store.commit({b"a": b"1"})
    store.close()
    next(tmp_path.glob("*.sst")).unlink()
    with pytest.raises(FrontierError):
        RocksStore(tmp_path).get(b"a")


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    store = RocksStore(tmp_path)
    store.commit({b"%05d" % n: b"value %d" % n for n in range(1000)})
    store.close()
    table = next(tmp_path.glob("*.sst"))
    content = bytearray(table.read_bytes())
    content[100] ^= 4
    table.write_bytes(content)
    with pytest.raises(FrontierError):
        list(RocksStore(tmp_path).items(b"", b"\xff"))


def test_a_directory_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FrontierError, match="file"):
        RocksStore(tmp_path / "file" / "frontier")


def test_a_torn_commit_of_a_crash_is_not_there(tmp_path: Path) -> None:
    store = RocksStore(tmp_path)
    store.commit({b"a": b"1"})
    store._write_table({b"a": b"2", b"b": b"2"})  # killed before the table was taken in
    store.close()
    again = RocksStore(tmp_path)
    assert list(again.items(b"", b"\xff")) == [(b"a", b"1")]
    again.commit({b"c": b"3"})
    assert list(again.items(b"", b"\xff")) == [(b"a", b"1"), (b"c", b"3")]
    again.close()


def test_a_crash_right_after_a_commit_leaves_a_second_name_of_a_live_table(tmp_path: Path) -> None:
    """Killed between the commit and the unlinking of the table's first name."""
    store = RocksStore(tmp_path)
    store.commit({b"a": b"1"})
    store.close()
    (table,) = tmp_path.glob("*.sst")
    (tmp_path / TABLE_FILE).hardlink_to(table)
    again = RocksStore(tmp_path)
    again.commit({b"b": b"2"})
    assert list(again.items(b"", b"\xff")) == [(b"a", b"1"), (b"b", b"2")]
    again.close()


def test_a_full_disk_loses_nothing_and_the_commit_can_be_repeated(tmp_path: Path) -> None:
    """In a process of its own: the limit on file sizes stands for the disk."""
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["refused", "kept", "repeated"], done.stderr


_FULL_DISK = """
import resource, signal, sys
from webgraph_it.frontier import FrontierError, RocksStore, rocks
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = RocksStore(sys.argv[1])
store.commit({b"old": b"1"})
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
changes = {b"%020d" % (n * 7919**3 % 10**20): b"%030d" % (n * 104729**4) for n in range(60_000)}
try:
    store.commit(changes)
except FrontierError:
    print("refused")
assert store.get(b"old") == b"1" and len(store.scan(b"", b"~", 9)) == 1
print("kept")
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
store.commit(changes)
assert len(list(store.items(b"", b"~"))) == 60_001
print("repeated")
"""


def test_a_store_that_is_opened_again_has_the_same_block_cache(tmp_path: Path) -> None:
    for _ in range(2):
        store = RocksStore(tmp_path)
        store.commit({b"a": b"1"})
        assert store._rocks.property_int_value("rocksdb.block-cache-capacity") == BLOCK_CACHE_BYTES
        store.close()


class Pickled:
    """Writes a file when it is loaded."""

    def __init__(self, witness: Path) -> None:
        self._witness = witness

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self._witness,)


def test_a_store_of_pickles_is_refused_and_none_is_loaded(tmp_path: Path) -> None:
    store = Rdict(str(tmp_path / "frontier"))
    store[b"m"] = Pickled(tmp_path / "loaded")
    store.close()
    with pytest.raises(FrontierError):
        RocksStore(tmp_path / "frontier")
    assert not (tmp_path / "loaded").exists()


def test_values_are_bytes_whatever_the_store_says_of_itself(tmp_path: Path) -> None:
    """Without raw mode rocksdict loads pickles, by the first byte; a file in the store names its mode."""
    pickled = pickle.dumps(Pickled(tmp_path / "loaded"))
    rows: dict[bytes, bytes | None] = {bytes([kind, 65]): bytes([kind]) + pickled for kind in range(16)}
    store = RocksStore(tmp_path / "frontier")
    store.commit(rows)
    store.close()
    mode = tmp_path / "frontier/rocksdict-config.json"
    assert json.loads(mode.read_text())["raw_mode"] is True
    mode.write_text(json.dumps({"raw_mode": False, "prefix_extractors": {}}))
    store = RocksStore(tmp_path / "frontier")
    assert dict(store.items(b"", b"\xff")) == rows
    assert {key: store.get(key) for key in rows} == rows
    store.close()
    assert not (tmp_path / "loaded").exists()
    pickle.loads(pickled)
    assert (tmp_path / "loaded").exists()
