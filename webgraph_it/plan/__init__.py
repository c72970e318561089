"""Capacity planner (webgraph-it plan): the days, disk, memory and connections that a crawl needs."""
