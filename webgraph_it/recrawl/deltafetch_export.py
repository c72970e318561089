"""The pages of a crawl as a dbm for other people's spiders, which use scrapy-deltafetch as published.

Keys are the fingerprints that Scrapy gives to a plain GET request, values the time of the fetch as text, as the package
writes them. The file is made in a folder of its own and moved into place when it is whole. The kind of dbm is the one
that Python chooses here (`dbm.open`), which is the one that the spiders find on the same machine.
"""

import dbm
import json
import shutil
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory

from w3lib.url import canonicalize_url

from webgraph_it.items import PARENTS
from webgraph_it.shards.directory import CrawlDirectory
from webgraph_it.shards.formats import PAGES_FOLDER, page_lines

SUFFIX = ".db"


def export(jobdir: Path, folder: Path, spider: str) -> int:
    """Write FOLDER/SPIDER.db, which replaces an earlier one. Returns how many pages it has."""
    directory = CrawlDirectory(jobdir)
    directory.recipe_version()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".deltafetch-", dir=folder) as work:
        path = Path(work) / f"{spider}{SUFFIX}"
        with dbm.open(str(path), "n") as pages:
            for line in page_lines(directory.parts(PAGES_FOLDER)):
                if line["state"] in PARENTS:
                    pages[fingerprint(line["url"])] = str(line["time"])
            count = len(pages.keys())
        for old in folder.glob(f"{spider}{SUFFIX}*"):
            old.unlink()
        for made in Path(work).iterdir():
            shutil.move(made, folder / made.name)
    return count


def fingerprint(url: str) -> bytes:
    """As scrapy.utils.request.fingerprint of a GET request without a body."""
    facts = {"method": "GET", "url": canonicalize_url(url), "body": "", "headers": {}}
    return sha1(json.dumps(facts, sort_keys=True).encode(), usedforsecurity=False).digest()
