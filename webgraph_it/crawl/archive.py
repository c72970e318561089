"""The archive of a crawl: what its WARC files say about themselves."""

from collections.abc import Mapping
from typing import Any

from webgraph_it import __version__
from webgraph_it.fetch.identity import user_agent


def described(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Names and values of a warcinfo record. The settings must have been checked."""
    fields = (
        ("software", f"webgraph_it/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", settings["CRAWL_NAME"]),
        ("description", f"SCOPE_SURTS {' '.join(settings['SCOPE_SURTS'])}"),
        ("http-header-user-agent", user_agent(settings["CONTACT_URL"])),
        ("http-header-from", settings["FROM_EMAIL"]),
        ("robots", "obey"),
    )
    return tuple((name, " ".join(value.split())) for name, value in fields if value)
