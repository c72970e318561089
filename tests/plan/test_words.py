"""The plan as text: each block says what capacity.py computed, in a unit that suits it."""

import pytest

from webgraph_it.plan.capacity import GIB, KIB, MIB, Crawl, crawl_disk, graph_disk, memory
from webgraph_it.plan.words import plan_text, size


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (KIB, "1.0 KiB"),
        (MIB - 1, "1,024.0 KiB"),
        (MIB, "1.0 MiB"),
        (1.5 * GIB, "1.5 GiB"),
        (2048 * GIB, "2.0 TiB"),
        (5e6 * GIB, "4,882.8 TiB"),
    ],
)
def test_a_size_is_in_the_largest_unit_that_it_fills(count: float, words: str) -> None:
    assert size(count) == words


def test_every_part_of_disk_and_memory_is_a_row_and_disks_have_their_sum() -> None:
    crawl = Crawl(pages=5e6)
    said = plan_text(crawl, 1e9, 200)
    rows = {" ".join(line.split()) for line in said.splitlines()}
    for parts in (crawl_disk(crawl), graph_disk(crawl), memory(crawl)):
        assert {f"{' '.join(name.split())} {size(count)}" for name, count in parts.items()} <= rows
    assert f"Disk of the crawl directory {size(sum(crawl_disk(crawl).values()))}" in rows
    assert "Memory, stage by stage (they do not add up)" in rows


@pytest.mark.parametrize(
    ("crawl", "limit"),
    [
        (Crawl(pages=1e6, pages_per_second=100, bytes_per_second=1e6), "the bandwidth is the limit"),
        (Crawl(pages=1e6, pages_per_second=1, bytes_per_second=1e6), "the crawler is the limit"),
        (Crawl(pages=1e6, pages_per_second=None, bytes_per_second=1e6), "the bandwidth is the limit"),
    ],
)
def test_the_narrower_limit_is_named(crawl: Crawl, limit: str) -> None:
    assert limit in plan_text(crawl, 1e9, 200)


def test_without_a_bandwidth_none_is_named() -> None:
    assert "is the limit" not in plan_text(Crawl(pages=1e6), 1e9, 200)


@pytest.mark.parametrize(
    ("crawl", "is_told"), [(Crawl(), True), (Crawl(pages_per_second=50), True), (Crawl(pages=2), False)]
)
def test_the_thesis_is_compared_with_only_where_its_numbers_are_used(crawl: Crawl, is_told: bool) -> None:
    assert ("Compared with the thesis" in plan_text(crawl, 1e9, 200)) is is_told
