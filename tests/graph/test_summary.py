"""graph.json is believed only as far as it was checked; every refusal is one sentence that names the file."""

import json
from pathlib import Path

import pytest

from webgraph_it.graph.damage import GraphError
from webgraph_it.graph.summary import MAX_NODES, SUMMARY, check_sizes, read_summary
from webgraph_it.urls import RECIPE_VERSION

SOUND = {"recipe_version": RECIPE_VERSION, "nodes": 3, "arcs": 2, "sources": ["crawl"], "files": {}}


def summary(folder: Path, **changes: object) -> Path:
    (folder / SUMMARY).write_text(json.dumps(SOUND | changes))
    return folder


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"recipe_version": 99}, "names its nodes by recipe 99"),
        ({"nodes": MAX_NODES + 1}, "as its number of nodes"),
        ({"nodes": -1}, "as its number of nodes"),
        ({"nodes": 2.0}, "as its number of nodes"),
        ({"nodes": True}, "as its number of nodes"),
        ({"arcs": "2"}, "as its number of arcs"),
        ({"arcs": None}, "as its number of arcs"),
        ({"sources": "crawl"}, "as its sources"),
        ({"sources": [1]}, "as its sources"),
        ({"files": []}, "as its files"),
        ({"files": {"/etc/passwd": {"bytes": 1}}}, "which is not in this folder"),
        ({"files": {"hosts/../../x": {"bytes": 1}}}, "which is not in this folder"),
        ({"files": {"a\0b": {"bytes": 1}}}, "which is not in this folder"),
        ({"files": {"targets.u32": 8}}, "does not say how many bytes"),
        ({"files": {"targets.u32": {"bytes": -8}}}, "does not say how many bytes"),
    ],
)
def test_what_ids_and_files_rest_on_is_checked(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(GraphError, match=words) as refused:
        read_summary(summary(tmp_path, **changes))
    assert "\n" not in str(refused.value)


def test_a_sound_summary_is_returned_with_what_else_it_holds(tmp_path: Path) -> None:
    assert read_summary(summary(tmp_path, nodes=MAX_NODES, made_by="x")) == {
        **SOUND,
        "nodes": MAX_NODES,
        "made_by": "x",
        "name": "italy",  # of graphs made before names were recorded
    }


@pytest.mark.parametrize("text", [None, "", "[]", "{", "[" * 5000])
def test_a_folder_without_a_summary_is_refused_with_what_to_run(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / SUMMARY).write_text(text)
    with pytest.raises(GraphError, match=r"[Rr]un webgraph-it convert"):
        read_summary(tmp_path)


@pytest.mark.parametrize(("bytes_", "is_refused"), [(8, False), (7, True), (9, True)])
def test_a_file_has_the_size_that_was_recorded(tmp_path: Path, bytes_: int, is_refused: bool) -> None:
    (tmp_path / "targets.u32").write_bytes(bytes(bytes_))
    recorded = {"files": {"targets.u32": {"bytes": 8}, "removed.graph": {"bytes": 5}}}
    if not is_refused:
        check_sizes(tmp_path, recorded)
        return
    with pytest.raises(GraphError, match=rf"targets.u32 has {bytes_} bytes, not the 8 that graph.json"):
        check_sizes(tmp_path, recorded)
