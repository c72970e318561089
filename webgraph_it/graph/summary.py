"""Reads and checks graph.json (docs/formats.md says what it holds).

Guarantees: the numbers of nodes and arcs that `read_summary` returns are within the range of ids. There is a list of
sources. If there are `files`, every file still has its recorded size. A listed file that is absent is not an error
here: parts of a graph may be removed to save space, and are reported when they are needed.
"""

from pathlib import Path, PurePosixPath
from typing import Any

from webgraph_it.files.received import InputError, is_count, read_json_object, regular_size, shown
from webgraph_it.graph.csr import LAST_ID
from webgraph_it.graph.damage import GraphError, damaged
from webgraph_it.urls import RECIPE_VERSION

SUMMARY = "graph.json"
MAX_NODES, MAX_ARCS = LAST_ID + 1, 2**62


def read_summary(folder: Path) -> dict[str, Any]:
    """The object in graph.json. GraphError says what is wrong with it."""
    path = folder / SUMMARY
    try:
        summary = read_json_object(path)
    except (FileNotFoundError, NotADirectoryError):
        raise GraphError(
            f"{folder} is not a finished compact graph: it has no {SUMMARY}. Run webgraph-it convert."
        ) from None
    except InputError as error:
        raise GraphError(f"{str(error).rstrip('.')}: run webgraph-it convert again.") from None
    if summary.get("recipe_version") != RECIPE_VERSION:
        raise GraphError(
            f"{folder} names its nodes by recipe {shown(summary.get('recipe_version'))}. "
            f"This program knows recipe {RECIPE_VERSION}."
        )
    for name, most in (("nodes", MAX_NODES), ("arcs", MAX_ARCS)):
        if not is_count(summary.get(name), most):
            raise damaged(path, f"has {shown(summary.get(name))} as its number of {name}")
    sources = summary.get("sources", [])
    if not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
        raise damaged(path, f"has {shown(sources)} as its sources")
    listed_files(path, summary)
    return summary


def listed_files(path: Path, summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """`files` of graph.json: name → bytes and sha256."""
    files = summary.get("files", {})
    if not isinstance(files, dict):
        raise damaged(path, f"has {shown(files)} as its files")
    for name, record in files.items():
        inside = PurePosixPath(name)
        if inside.is_absolute() or ".." in inside.parts or not name.isascii() or "\0" in name:
            raise damaged(path, f"lists the file {shown(name)}, which is not in this folder")
        if not isinstance(record, dict) or not is_count(record.get("bytes")):
            raise damaged(path, f"does not say how many bytes {shown(name)} has")
    return files


def check_sizes(folder: Path, summary: dict[str, Any]) -> None:
    """Refuse a graph with a file whose size is not the recorded one."""
    for name, record in listed_files(folder / SUMMARY, summary).items():
        path = folder / name
        try:
            size = regular_size(path)
        except OSError:
            continue
        except InputError as error:
            raise GraphError(str(error)) from None
        if size != record["bytes"]:
            raise damaged(path, f"has {size} bytes, not the {record['bytes']} that {SUMMARY} counts")
