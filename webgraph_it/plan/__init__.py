"""How long a crawl takes and what it fills: days, disk, memory, connections   (webgraph-it plan)."""
