"""A compact graph in the databases and tools of others: one module per destination.

tables.py     which tables there are, and their rows, some at a time
duckdb.py, sqlite.py, postgres.py, csv.py    where the tables go
arcs.py       arcs as lines of text: ids or URLs
failure.py    what a database refuses, or what is missing to reach it
"""
