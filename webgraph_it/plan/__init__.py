"""How long a crawl takes and what it fills: days, disk, memory, connections   (python -m
webgraph_it.plan).
"""
