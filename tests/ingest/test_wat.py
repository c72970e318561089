"""What a WAT record tells, and what it does not."""

import json
from typing import Any

from webgraph_it.ingest.records import Record
from webgraph_it.ingest.wat import Outline, outline_of

URL = "http://sito.it/a/"


def record(http: dict[str, Any], kind: str = "response") -> Record:
    envelope = {
        "WARC-Header-Metadata": {
            "WARC-Type": kind,
            "WARC-Target-URI": URL,
            "WARC-IP-Address": "127.1.0.1",
        },
        "Payload-Metadata": {"HTTP-Response-Metadata": http},
    }
    block = json.dumps({"Container": {}, "Envelope": envelope}).encode()
    return Record("metadata", URL, 1.0, block, 0, "application/json")


def outline(http: dict[str, Any]) -> Outline:
    found = outline_of(record(http))
    assert isinstance(found, Outline)
    return found


HTTP = {
    "Response-Message": {"Status": "200", "Version": "HTTP/1.1", "Reason": "OK"},
    "Headers": {"Content-Type": "text/html; charset=utf-8"},
    "HTML-Metadata": {
        "Head": {
            "Base": "http://sito.it/b/",
            "Link": [
                {"path": "LINK@/href", "url": "altro", "rel": "next"},
                {"path": "LINK@/href", "url": "stile.css", "rel": "stylesheet"},
            ],
            "Metas": [{"http-equiv": "Refresh", "content": "5; url=poi.html"}],
            "Scripts": [{"path": "SCRIPT@/src", "url": "x.js"}],
        },
        "Links": [
            {"path": "A@/href", "url": "/uno", "text": "uno"},
            {"path": "IMG@/src", "url": "/foto.png"},
            {"path": "IFRAME@/src", "url": "/due"},
            {"path": "NOTHING@/we-know", "url": "/tre"},
        ],
    },
}


def test_links_have_the_kinds_of_ours() -> None:
    found = outline(HTTP)
    assert found.reply.status == 200
    assert found.reply.media_type() == ("text/html", "utf-8")
    assert found.reply.address_text == "127.1.0.1"
    assert found.found.base == "http://sito.it/b/"
    assert [(url, kind) for url, kind, _ in found.found.links] == [
        ("altro", "link"),
        ("stile.css", "embed"),
        ("poi.html", "refresh"),
        ("x.js", "script"),
        ("/uno", "a"),
        ("/foto.png", "embed"),
        ("/due", "iframe"),
    ]


def test_a_record_that_describes_no_page_has_a_reason() -> None:
    assert outline_of(record(HTTP, "request")) == "wat-of-another-type"
    assert outline_of(record({})) == "wat-malformed"
    assert outline_of(record({})._replace(block=b"{")) == "wat-malformed"
    assert outline_of(record({**HTTP, "HTML-Metadata": {"Links": 5}})) == "wat-malformed"
