"""What is wrong before a crawl begins is one sentence, and touches nothing; and what is made of the machine."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings

from tests.crawl.crawling import PROJECT, content
from tests.defaults import project_settings
from tests.ingest.archives import Capture, ingest, page, write
from webgraph_it.crawl.directory import DirectoryError, JobDirectory
from webgraph_it.crawl.identity import identity_of
from webgraph_it.crawl.preflight import PROBLEMS, preflight
from webgraph_it.crawl.values import check
from webgraph_it.files.own import NotOursError, make_folder
from webgraph_it.urls.seeds import SeedsError

LOWER_AND_FIT = """
import resource, sys
from scrapy.settings import Settings
from webgraph_it.crawl.preflight import fit_descriptors
for hard in map(int, sys.argv[1:]):
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 64), hard))
    settings = Settings({"MAX_TCP_CONNECTIONS": 3000})
    fit_descriptors(settings)
    print(hard, settings["MAX_TCP_CONNECTIONS"], *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_the_cap_is_what_the_open_files_leave_and_the_soft_limit_is_raised() -> None:
    limits = ("4096", "4000", "3999", "2000", "1999", "100", "64")
    ended = subprocess.run(
        [sys.executable, "-c", LOWER_AND_FIT, *limits],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [tuple(map(int, line.split())) for line in ended.stdout.splitlines()] == [
        (4096, 3000, 4096, 4096),
        (4000, 3000, 4000, 4000),
        (3999, 2999, 3999, 3999),
        (2000, 1000, 2000, 2000),
        (1999, 999, 1999, 1999),
        (100, 50, 100, 100),
        (64, 32, 64, 64),
    ]


def test_with_fewer_open_files_than_a_crawl_needs_it_is_refused() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOWER_AND_FIT, "63"], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert ended.stdout == ""
    assert (
        "SettingsError: The system allows this process 63 open files; expected: at least 64." in ended.stderr
    )


@pytest.fixture
def given(tmp_path: Path) -> dict[str, str]:
    """What a crawl needs, with a directory that is there already."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://sito.it/\n")
    make_folder(tmp_path / "crawl")
    return {
        "JOBDIR": str(tmp_path / "crawl"),
        "SEEDS": str(seeds),
        "CONTACT_URL": "https://example.org/crawl",
    }


def test_a_directory_in_use_is_refused_and_one_that_is_free_is_left_free(given: dict[str, str]) -> None:
    """Before its frontier is opened: another process may be writing there."""
    owner = JobDirectory(Path(given["JOBDIR"]))
    owner.lock()
    with pytest.raises(DirectoryError, match=r"crawl is in use by process \d+: stop it first"):
        preflight(project_settings(**given))
    owner.unlock()
    preflight(project_settings(**given))
    owner.lock()
    owner.unlock()


def test_a_directory_that_others_may_write_to_is_refused_before_it_is_read(given: dict[str, str]) -> None:
    Path(given["JOBDIR"], "crawl.json").write_text("{")
    Path(given["JOBDIR"]).chmod(0o777)
    with pytest.raises(NotOursError, match="may be written to by other users"):
        preflight(project_settings(**given))


def settings(folder: Path, **changes: object) -> Settings:
    """Of a crawl that may begin, except for the changes."""
    seeds = folder / "seeds.txt"
    seeds.write_text("http://a.it/\n")
    given = {"CONTACT_URL": "https://example.it/crawl", "SEEDS": str(seeds), "JOBDIR": str(folder / "job")}
    merged = {**given, "MAX_TCP_CONNECTIONS": 4, **changes}
    return project_settings(**{name: value for name, value in merged.items() if value is not None})


@pytest.fixture(autouse=True)
def descriptors() -> Iterator[None]:
    """The limit of open files, which a crawl raises, is this process's own again."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_crawl_that_may_begin_has_typed_settings_and_no_directory_yet(tmp_path: Path) -> None:
    given = settings(tmp_path, HOST_DELAY="1.5")
    preflight(given)
    assert given["HOST_DELAY"] == 1.5
    assert not (tmp_path / "job").exists()


def test_a_crawl_without_a_directory_gets_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = settings(tmp_path, JOBDIR=None, CRAWL_NAME="italy")
    preflight(given)
    assert given["JOBDIR"].startswith("crawls/italy-")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"HOST_DELAY": "soon"}, "HOST_DELAY is 'soon'"),
        ({"CONTACT_URL": ""}, "CONTACT_URL is not set"),
        ({"BANDWIDTH_SCHEDULE_FILE": "/nowhere.json"}, "BANDWIDTH_SCHEDULE_FILE"),
        ({"EXTRACT_MEMORY": "1 MB"}, "EXTRACT_MEMORY is 1 MB"),
        ({"JOBDIR": " "}, "JOBDIR is empty"),
        ({"JOBDIR": "/dev/null"}, "/dev/null"),
        ({"SEEDS": ""}, "SEEDS is empty; expected: the path of a seed file"),
        ({"SEEDS": " "}, "SEEDS is empty; expected: the path of a seed file"),
        ({"SEEDS": "/nowhere.txt"}, "/nowhere.txt"),
        ({"SCOPE_SURTS": "fr,"}, "seeds.txt"),
    ],
)
def test_what_is_wrong_is_one_sentence_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given = settings(tmp_path, **changes)
    with pytest.raises(PROBLEMS, match=words) as refused:
        preflight(given)
    assert "\n" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.txt"]


def test_a_directory_of_other_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    report = tmp_path / "job/reports/crawl-report.txt"
    for folder in (report.parent.parent, report.parent):
        folder.mkdir(0o700)
    report.write_text("mine")
    with pytest.raises(PROBLEMS, match=r"reports/crawl-report\.txt"):
        preflight(settings(tmp_path))
    assert content(tmp_path / "job") == {"reports/crawl-report.txt": b"mine"}


def crawled(folder: Path) -> JobDirectory:
    """The directory of a crawl that was begun with HOST_DELAY 7 and MAX_DEPTH 2."""
    directory = JobDirectory(folder / "job")
    identity = identity_of(check(settings(folder, MAX_DEPTH=2)))
    directory.claim(identity, {"HOST_DELAY": 7.0})
    directory.unlock()
    return directory


def test_a_directory_is_resumed_with_what_it_remembers_except_for_what_is_given(tmp_path: Path) -> None:
    crawled(tmp_path)
    given = settings(tmp_path)
    preflight(given)
    assert (given["HOST_DELAY"], given["MAX_DEPTH"]) == (7.0, 2)
    given = settings(tmp_path, HOST_DELAY="3")
    preflight(given)
    assert given["HOST_DELAY"] == 3.0


def test_a_directory_of_another_scope_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    directory = crawled(tmp_path)
    before = content(directory.path)
    with pytest.raises(PROBLEMS, match="SCOPE_SURTS was"):
        preflight(settings(tmp_path, SCOPE_SURTS="it,unipd,"))
    assert content(directory.path) == before


def test_a_directory_that_another_process_owns_is_refused_and_a_free_one_is_unlocked_again(
    tmp_path: Path,
) -> None:
    directory = crawled(tmp_path)
    preflight(settings(tmp_path))
    directory.lock()
    with pytest.raises(PROBLEMS, match="process"):
        preflight(settings(tmp_path))
    directory.unlock()
    preflight(settings(tmp_path))


def test_what_an_ingest_made_is_crawled_without_seeds(tmp_path: Path) -> None:
    """What the archives link to is queued. The crawl that is resumed has the empty list of the ingest."""
    job = tmp_path / "job"
    ingest(job, write(tmp_path / "a.warc.gz", [Capture("http://uno.it/", page("/a"))]), "--continue")
    given = project_settings(JOBDIR=str(job), CONTACT_URL="https://example.org/crawl")
    preflight(given)
    assert given["SEEDS"] == str(job / "seeds/000001.txt")
    record = json.loads((job / "crawl.json").read_text())
    del record["ingest"]
    (job / "crawl.json").write_text(json.dumps(record))
    with pytest.raises(SeedsError, match="has no usable seed"):
        preflight(project_settings(JOBDIR=str(job), CONTACT_URL="https://example.org/crawl"))
