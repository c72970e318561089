"""One crawl as a whole: its directory, its commits, and what it tells people while it runs.

This is the shell that joins frontier, graph and urls, which do not know each other.
"""
