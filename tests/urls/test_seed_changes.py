"""Whether one seed list contains another, by the nodes it names."""

from pathlib import Path

import pytest

from webgraph_it.urls import seed_changes
from webgraph_it.urls.seed_changes import contains_all_seeds

OLD = "# ours\nhttp://a.it/\nb.it\n+com,esempio)/italia/\n"


@pytest.mark.parametrize(
    ("new", "contains"),
    [
        (OLD, True),
        (OLD + "c.it\n", True),
        ("c.it\n+com,esempio)/italia/\nb.it  # moved\nhttps://www.a.it\n", True),
        ("http://a.it/\nb.it\n", False),  # without the prefix
        (OLD.replace("b.it", "c.it"), False),
        ("", False),
        (OLD + "-it,c,\n", False),  # excludes more
    ],
)
def test_a_list_contains_another_by_its_nodes(tmp_path: Path, new: str, contains: bool) -> None:
    (tmp_path / "old").write_text(OLD)
    (tmp_path / "new").write_text(new)
    assert contains_all_seeds(tmp_path / "new", tmp_path / "old") is contains


def test_a_list_that_excludes_less_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "old").write_text(OLD + "-it,c,\n-it,d,\n")
    (tmp_path / "new").write_text(OLD + "e.it\n-it,c,\n")
    assert not contains_all_seeds(tmp_path / "new", tmp_path / "old")
    (tmp_path / "new").write_text("-it,d,\n" + OLD + "e.it\n-c.it\n")
    assert contains_all_seeds(tmp_path / "new", tmp_path / "old")


def test_a_last_line_that_goes_on_is_another_seed(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("b.it\na.it")
    (tmp_path / "new").write_text("b.it\na.italia.it\n")
    assert not contains_all_seeds(tmp_path / "new", tmp_path / "old")


def test_long_lists_are_compared_in_buckets(tmp_path: Path) -> None:
    lines = [f"host{n}.it" for n in range(3 * seed_changes.LINES_AT_ONCE)]
    (tmp_path / "old").write_text("\n".join(lines[1:]))
    (tmp_path / "new").write_text("\n".join(reversed(lines)))
    assert contains_all_seeds(tmp_path / "new", tmp_path / "old")
    assert not contains_all_seeds(tmp_path / "old", tmp_path / "new")
