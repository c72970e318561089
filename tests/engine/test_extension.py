"""What the settings join: the fetcher asks the frontier's clock, and strangers are located before they are leased."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.defaults import project_settings
from webgraph_it.engine import extension
from webgraph_it.engine.extension import CrawlExtension


class Witness:
    """Fetcher, frontier and scheduler in one: notes who was joined to whom."""

    def __init__(self) -> None:
        self.clocks: list[Any] = []
        self.locates_first = False
        self.locate: Any = None
        self.lanes = 0

    def use_clock(self, clock: Any) -> None:
        self.clocks.append(clock)

    def locate_first(self) -> None:
        self.locates_first = True

    def hand_over(self, *lane: Any) -> None:
        self.lanes += 1

    @property
    def frontier(self) -> "Witness":
        return self


def joined(monkeypatch: pytest.MonkeyPatch, **settings: object) -> Witness:
    witness = Witness()
    monkeypatch.setattr(extension, "parts_of", lambda crawler: SimpleNamespace(fetcher=witness))
    monkeypatch.setattr(extension, "pipeline_of", lambda crawler: None)
    monkeypatch.setattr(extension, "Lane", lambda *parts: SimpleNamespace(pump=None, start_more=None))
    crawler: Any = SimpleNamespace(settings=project_settings(**settings))
    directory: Any = SimpleNamespace(path=Path("crawl"))
    running: Any = SimpleNamespace(scheduler=witness)
    CrawlExtension(crawler, directory, 30.0, 0.0, 0)._join(running)
    return witness


def test_with_an_address_delay_the_fetcher_and_the_locator_ask_the_frontier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    witness = joined(monkeypatch, ADDRESS_DELAY=0.5)
    assert [clock._scheduler for clock in witness.clocks] == [witness]
    assert witness.locates_first
    assert witness.locate.__self__._scheduler is witness.locate.__self__._fetcher is witness


def test_without_one_nobody_waits_for_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    witness = joined(monkeypatch, ADDRESS_DELAY=0)
    assert (witness.clocks, witness.locates_first, witness.locate) == ([], False, None)


@pytest.mark.parametrize("lean", [False, True])
def test_a_lane_takes_the_requests_of_a_lean_engine(monkeypatch: pytest.MonkeyPatch, lean: bool) -> None:
    assert joined(monkeypatch, ADDRESS_DELAY=0, LEAN_ENGINE=lean).lanes == lean
