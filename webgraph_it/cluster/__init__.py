"""The graph on Apache Spark: crawl directories of any number and size → degrees, ranks, host graphs, ids.

sources.py     which bytes of which files count, and how they are divided among tasks
reading.py     a task's bytes → Arrow batches (runs in the workers)
tables.py      the same as Spark tables: sequences, arcs, nodes
blocks.py      the graph in blocks of nodes, for iterations (runs in the workers)
pagerank.py    PageRank over the blocks, with checkpoints
groups.py      the graphs of hosts and domains
priorities.py  which pages to visit again, for `webgraph-it recrawl plan --from`
compact.py     ids instead of digests, for `webgraph-it convert --ids`
session.py     the connection to Spark
failures.py    what Spark raises, in one sentence

A node is its digest, as two 64-bit numbers (`high`, `low`): nothing is renumbered, and there is no limit at 2³¹.
"""
