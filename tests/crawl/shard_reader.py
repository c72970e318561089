"""The witness's reader of crawl directories (see webgraph_it/simweb/crawl_files.py), under the name that tests use."""

from webgraph_it.simweb.crawl_files import CrawledGraph, digest, read_crawl

__all__ = ["CrawledGraph", "digest", "read_crawl"]
