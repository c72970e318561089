import pytest

from webgraph_it import __version__
from webgraph_it.fetch.identity import refusal_to_start, user_agent


def test_the_user_agent_names_us_and_says_where_to_write() -> None:
    assert user_agent("https://esempio.it/crawl") == f"webgraph_it/{__version__} (+https://esempio.it/crawl)"
    assert user_agent("") == f"webgraph_it/{__version__}"


def test_no_crawl_of_public_addresses_starts_without_a_contact() -> None:
    refusal = refusal_to_start("", "", [])
    assert refusal is not None
    assert "CONTACT_URL is not set" in refusal


def test_a_crawl_of_private_networks_needs_no_contact() -> None:
    assert refusal_to_start("", "", ["127.0.0.0/8"]) is None


def test_a_contact_lets_any_crawl_start() -> None:
    assert refusal_to_start("https://esempio.it/crawl", "noi@esempio.it", []) is None


@pytest.mark.parametrize(
    "contact", ["esempio.it", "mailto:noi@esempio.it", "https://a.it/\r\nX: 1", "http://a.it/ (b)"]
)
def test_a_contact_that_is_no_page_is_refused_in_one_sentence(contact: str) -> None:
    refusal = refusal_to_start(contact, "", [])
    assert refusal is not None
    assert refusal.startswith("CONTACT_URL: ")


@pytest.mark.parametrize("email", ["noi", "noi@a.it\r\nX: 1", "Noi <noi@a.it>"])
def test_a_from_that_is_no_address_is_refused_in_one_sentence(email: str) -> None:
    refusal = refusal_to_start("https://esempio.it/", email, [])
    assert refusal is not None
    assert refusal.startswith("FROM_EMAIL: ")
