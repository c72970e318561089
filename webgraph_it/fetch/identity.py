"""Who we are, and when we may not start (pure).

Guarantees: every request names us and says how to contact us. A crawl that could reach public addresses does not
start without CONTACT_URL. If it is not set, the guard allows only ALLOWED_PRIVATE_NETWORKS.
"""

from collections.abc import Sequence

from webgraph_it import __version__


class StartRefused(Exception):
    """One sentence for the operator."""


def user_agent(contact_url: str) -> str:
    """`webgraph_it/0.1.0 (+https://…)`; without a contact, only the product."""
    product = f"webgraph_it/{__version__}"
    return f"{product} (+{contact_url})" if contact_url else product


def refusal_to_start(contact_url: str, from_email: str, allowed_private: Sequence[str]) -> str | None:
    """Why this crawl must not start, in one sentence; None if it may."""
    if not contact_url and not allowed_private:
        return (
            "CONTACT_URL is not set: expected a page that says who is crawling and how to stop it, "
            "for example -s CONTACT_URL=https://example.org/crawl (without it only ALLOWED_PRIVATE_NETWORKS, "
            "now empty, may be crawled)"
        )
    if contact_url and not _is_contact(contact_url):
        return f"CONTACT_URL: {contact_url!r} is not an http or https URL; expected https://example.org/crawl"
    if from_email and ("@" not in from_email or not _is_header_text(from_email)):
        return f"FROM_EMAIL: {from_email!r} is not an e-mail address; expected name@example.org"
    return None


def _is_contact(url: str) -> bool:
    return url.startswith(("http://", "https://")) and _is_header_text(url)


def _is_header_text(text: str) -> bool:
    return text.isascii() and text.isprintable() and not any(c in text for c in "()<> ")
