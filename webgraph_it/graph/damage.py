"""GraphError: what is wrong with a compact graph, in one sentence that says what to do."""

from pathlib import Path

from webgraph_it.files.received import InputError, regular_size


class GraphError(ValueError):
    """The directory is not a finished compact graph, is damaged, or lacks the part that was asked for."""


def damaged(path: Path, found: str) -> GraphError:
    """`found` continues the sentence after the file's name: `has 12 bytes, not 16`."""
    return GraphError(
        f"{path} {found}: the graph is damaged. Check all its files with "
        "webgraph-it convert JOBDIR --out GRAPH_DIR --check, or convert again with --from names."
    )


def missing(path: Path) -> GraphError:
    """The part was never made, or was removed."""
    return GraphError(f"{path.parent} has no {path.name}: it was skipped. Run convert again without --skip.")


def part_size(path: Path) -> int:
    """Bytes of a part of the graph, which must be a regular file."""
    try:
        return regular_size(path)
    except FileNotFoundError:
        raise missing(path) from None
    except InputError as error:
        raise GraphError(str(error)) from None
