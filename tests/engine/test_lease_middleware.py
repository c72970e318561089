"""Only what the frontier handed out is fetched."""

from types import SimpleNamespace

import pytest
from scrapy import Request

from webgraph_it.engine.lease_middleware import HostGivenUp, LeaseMiddleware, NoLease


def test_a_request_without_a_lease_is_refused() -> None:
    with pytest.raises(NoLease, match=r"http://sito\.it/ is not fetched"):
        LeaseMiddleware().process_request(Request("http://sito.it/"))


def test_a_host_that_was_given_up_is_not_asked() -> None:
    for given_up in (False, True):
        lease = SimpleNamespace(given_up=given_up, host="it,sito")
        request = Request("http://sito.it/", meta={"lease": lease})
        if given_up:
            with pytest.raises(HostGivenUp, match="it,sito failed too often"):
                LeaseMiddleware().process_request(request)
        else:
            LeaseMiddleware().process_request(request)
