"""Repair: a crawl directory whose frontier is lost, older than the files, or damaged gets a new one from the files.

streams.py      the three streams of a crawl, record by record, as far as they are whole
discovery.py    which page found which node
repair.py       lengths that count ─► frontier.new ─► committed.json ─► cut files ─► frontier
"""
