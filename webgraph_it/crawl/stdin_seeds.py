"""Seeds from standard input: `-s SEEDS=-`.

The seeds are read more than once, and a crawl keeps a copy of them. So they are first written to a temporary file,
which lasts as long as the process and stands in for the seed file. A resume reads the crawl's own copy: nothing has
to be piped again. Of a killed crawl the temporary file stays.
"""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from webgraph_it.crawl.values import Settings
from webgraph_it.urls.seeds import SeedsError

STDIN = "-"


def take_stdin(settings: Settings) -> None:
    """If SEEDS is `-`, make it the name of a file with what comes from standard input."""
    if settings.get("SEEDS") != STDIN:
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise SeedsError(
            "SEEDS is -, but nothing is piped into standard input: expected one URL or domain a line, "
            "as in sort domains.txt | scrapy crawl italy -s SEEDS=-"
        )
    with tempfile.NamedTemporaryFile("wb", prefix="webgraph_it-seeds-", suffix=".txt", delete=False) as file:
        atexit.register(Path(file.name).unlink, missing_ok=True)
        shutil.copyfileobj(sys.stdin.buffer, file)
    settings.set("SEEDS", file.name, priority="cmdline")
