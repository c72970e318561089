"""What an archive keeps of an exchange (pure)."""

from webgraph_it.fetch.response_parser import CUT_BODY, CUT_FRAMING, DATA_LOSS, ResponseParser
from webgraph_it.items import Exchange

_TRUNCATED = ((CUT_BODY, "length"), (DATA_LOSS, "disconnect"), (CUT_FRAMING, "unspecified"))
"""Flag of a reply → WARC's name for it."""


def exchange_of(url: str, request: bytes, parser: ResponseParser, address: str, time: float) -> Exchange:
    """`parser` has read the response and was told to keep it. Its body may not be decoded yet."""
    entity, chunked = parser.body, parser.chunked_body
    return Exchange(
        url,
        request,
        parser.head,
        entity if chunked is None else chunked,
        entity,
        _truncated(parser.flags) if parser.flags else "",
        address,
        time,
    )


def _truncated(flags: list[str]) -> str:
    return next((name for flag, name in _TRUNCATED if flag in flags), "")
