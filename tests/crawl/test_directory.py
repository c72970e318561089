"""The crawl directory: one owner, one identity."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from webgraph_it.crawl.directory import DirectoryError, JobDirectory, new_directory
from webgraph_it.files.own import NotOursError
from webgraph_it.shards.formats import ShardError

IDENTITY = {"recipe_version": 1, "SCOPE_SURTS": ["it,"], "MAX_DEPTH": 0}


def test_a_new_directory_takes_the_identity_it_is_claimed_with(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path / "crawl")
    directory.claim(IDENTITY)
    directory.unlock()
    assert json.loads((tmp_path / "crawl/crawl.json").read_text()) == {
        **IDENTITY,
        "settings": {},
        "history": [],
    }


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("recipe_version", 2, "recipe_version was 1 and is now 2"),
        ("SCOPE_SURTS", ["it,unipd,"], 'SCOPE_SURTS was ["it,"] and is now ["it,unipd,"]'),
        ("MAX_DEPTH", 3, "MAX_DEPTH was 0 and is now 3"),  # 0 is no limit
    ],
)
def test_a_directory_of_another_crawl_is_refused_naming_the_difference(
    tmp_path: Path, name: str, value: int | list[str], words: str
) -> None:
    directory = JobDirectory(tmp_path)
    directory.claim(IDENTITY)
    with pytest.raises(DirectoryError) as refusal:
        directory.check_identity({**IDENTITY, name: value})
    assert words in str(refusal.value)
    directory.unlock()


def test_a_directory_of_before_settings_were_remembered_is_claimed_and_remembers_from_now_on(
    tmp_path: Path,
) -> None:
    (tmp_path / "crawl.json").write_text(json.dumps(IDENTITY))
    directory = JobDirectory(tmp_path)
    assert directory.claim(IDENTITY, {"HOST_DELAY": 1.0}) == []
    directory.unlock()
    assert directory.record() == {**IDENTITY, "settings": {"HOST_DELAY": 1.0}, "history": []}


def test_kinds_that_are_followed_move_to_the_identity_and_that_is_no_change(tmp_path: Path) -> None:
    old = {**IDENTITY, "settings": {"LINK_KINDS_FOLLOWED": ["css"], "HOST_DELAY": 1.0}, "history": []}
    (tmp_path / "crawl.json").write_text(json.dumps(old))
    directory = JobDirectory(tmp_path)
    assert directory.claim({**IDENTITY, "LINK_KINDS_FOLLOWED": ["css"]}, {"HOST_DELAY": 1.0}) == []
    directory.unlock()
    assert directory.record() == {
        **IDENTITY,
        "LINK_KINDS_FOLLOWED": ["css"],
        "settings": {"HOST_DELAY": 1.0},
        "history": [],
    }


def test_a_damaged_identity_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "crawl.json").write_text("{")
    with pytest.raises(ShardError, match="is damaged"):
        JobDirectory(tmp_path).claim(IDENTITY)


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    directory = JobDirectory(tmp_path)
    directory.claim(IDENTITY)
    second = subprocess.run(
        [sys.executable, "-c", _LOCK, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    directory.unlock()
    assert f"in use by process {os.getpid()}" in second.stderr


_LOCK = """
import sys
from pathlib import Path
from webgraph_it.crawl.directory import JobDirectory
JobDirectory(Path(sys.argv[1])).lock()
"""


def test_new_directories_sort_by_time() -> None:
    first, second = datetime(2026, 11, 16, 9, 5, 0), datetime(2026, 11, 16, 14, 30, 5)
    assert new_directory(Path("crawls"), "italy", second) == Path("crawls/italy-20261116-143005")
    assert new_directory(Path("crawls"), "a", first) < new_directory(Path("crawls"), "a", second)


def test_each_longer_seed_list_has_a_copy_of_its_own(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    for count in (1, 2, 3):
        seeds.write_text("".join(f"http://www.sito{n}.it/\n" for n in range(count)))
        directory = JobDirectory(tmp_path / "crawl")
        directory.claim({"SEEDS": {"file": str(seeds), "md5": str(count)}})
        copy = directory.seeds_copy()
        directory.unlock()
        assert copy is not None
        assert (copy.name, copy.read_text()) == (f"{count:06d}.txt", seeds.read_text())


def test_a_directory_that_somebody_prepared_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    """A link among the frontier's files: the store would follow it."""
    jobdir = tmp_path / "crawl"
    (jobdir / "frontier").mkdir(0o700, parents=True)
    jobdir.chmod(0o700)
    (jobdir / "frontier" / "CURRENT").symlink_to(tmp_path / "victim")
    with pytest.raises(NotOursError, match="is a symbolic link"):
        JobDirectory(jobdir).claim(IDENTITY)
    assert os.listdir(jobdir) == ["frontier"]


def test_a_first_claim_that_is_taken_back_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://a.it/\n")
    directory = JobDirectory(tmp_path / "fleet/member-03")
    directory.claim({**IDENTITY, "SEEDS": {"file": str(tmp_path / "seeds.txt"), "md5": ""}})
    directory.take_back()
    directory.unlock()
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.txt"]


def test_what_a_crash_left_of_a_claim_that_was_taken_back_goes_with_the_next_one(tmp_path: Path) -> None:
    (tmp_path / ".member-03.refused/frontier").mkdir(parents=True)
    directory = JobDirectory(tmp_path / "member-03")
    directory.claim(IDENTITY)
    directory.unlock()
    assert [path.name for path in tmp_path.iterdir()] == ["member-03"]


def test_a_later_claim_that_is_taken_back_leaves_what_operators_noted(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"

    def claimed(text: str, delay: float) -> JobDirectory:
        seeds.write_text(text)
        directory = JobDirectory(tmp_path / "crawl")
        directory.claim({**IDENTITY, "SEEDS": {"file": str(seeds), "md5": text}}, {"HOST_DELAY": delay})
        return directory

    claimed("http://a.it/\n", 1.0).unlock()
    before = json.loads((tmp_path / "crawl/crawl.json").read_text())
    directory = claimed("http://a.it/\nhttp://b.it/\n", 2.0)
    assert len(list(directory.seeds.iterdir())) == 2
    directory.note("RULES_FILE", "rules.toml")
    directory.take_back()
    directory.unlock()
    after = json.loads(directory.crawl_file.read_text())
    assert [list(entry["changed"]) for entry in after.pop("history")] == [["RULES_FILE"]]
    assert before.pop("history") == []
    assert after == before
    assert [path.name for path in directory.seeds.iterdir()] == ["000001.txt"]
