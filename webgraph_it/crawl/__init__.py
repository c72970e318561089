"""One crawl as a whole: its directory, its commits, and what it tells people while it runs.

It joins frontier, fetch, extract and shards, which do not import each other.
"""
