"""What convert starts from, and what it refuses before any work."""

import json
import os
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it.convert.sources import ConvertError, from_crawls, from_files, newest_crawl


def test_crawls_are_one_source_in_the_order_given(tmp_path: Path) -> None:
    paths = [write_crawl(tmp_path / name, files=2) for name in ("b", "a")]
    sources = from_crawls(paths)
    assert [part.path.parent.parent.name for part in sources.urls] == ["b", "b", "a", "a"]
    assert [part.path.name for part in sources.graph] == ["000001.g16", "000002.g16"] * 2


def test_the_fingerprint_changes_with_what_is_committed(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    before = from_crawls([tmp_path])
    assert before.fingerprint == from_crawls([tmp_path]).fingerprint
    sizes = {"graph": {"000001.g16": 16}, "urls": {"000001.tsv": before.urls[0].length}, "pages": {}}
    (tmp_path / "committed.json").write_text(json.dumps(sizes))
    assert from_crawls([tmp_path]).fingerprint != before.fingerprint


def test_another_recipe_is_refused(tmp_path: Path) -> None:
    write_crawl(tmp_path)
    (tmp_path / "crawl.json").write_text('{"recipe_version": 2}')
    with pytest.raises(ConvertError, match="by recipe 2, this program by recipe 1"):
        from_crawls([tmp_path])


def test_the_newest_crawl_is_the_one_begun_last(tmp_path: Path) -> None:
    for age, name in enumerate(("z", "a")):
        write_crawl(tmp_path / name)
        os.utime(tmp_path / name / "crawl.json", (1000 + age, 1000 + age))
    assert newest_crawl(tmp_path) == tmp_path / "a"
    with pytest.raises(ConvertError, match="there is no crawl directory under"):
        newest_crawl(tmp_path / "z")


def test_a_folder_without_shards_is_refused(tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("http://a.it/\n")
    with pytest.raises(ConvertError, match=r"has no \.g16 file"):
        from_files(tmp_path / "urls", tmp_path)
