"""What `webgraph-it analyse GRAPH_DIR` does, step by step."""

import json
from pathlib import Path

from webgraph_it.analyse.analysis import analyse
from webgraph_it.analyse.changes import read_changes
from webgraph_it.analyse.crawl_story import read_story
from webgraph_it.analyse.measures import Say
from webgraph_it.analyse.problem import Problem
from webgraph_it.analyse.report import report
from webgraph_it.files.own import SHARED_MODE, write_whole
from webgraph_it.files.received import InputError
from webgraph_it.graph import GraphError, WebGraph


def run(graph: Path, output: Path, crawls: list[Path], now: float, say: Say) -> Path:
    """Analyse, read the crawl's logs, write the report. Returns its path."""
    for folder in crawls:
        if not folder.is_dir():
            raise Problem(f"{folder} is not a crawl directory: give the JOBDIR of a crawl with --crawl")
    try:
        analysis = analyse(graph, output, say)
        story = read_story(crawls or analysis.sources)
        changes = read_changes(WebGraph(graph))
    except (GraphError, InputError) as problem:
        raise Problem(str(problem)) from None
    if story and story.bad_lines:
        say(f"{story.bad_lines} lines of the crawl's logs are not JSON and were skipped")
    if changes:
        write_whole(output / "changes.json", json.dumps(changes.as_json(), indent=1) + "\n", SHARED_MODE)
    write_whole(output / "report.html", report(analysis, story, now, changes), SHARED_MODE)
    return output / "report.html"
