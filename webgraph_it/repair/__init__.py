"""Repair: rebuilds the frontier of a crawl directory from its files if it is lost, older than the files, or damaged.

streams.py      the three streams of a crawl, record by record, up to the first incomplete record
work.py         what a repair looks up, in a store on disk
discovery.py    which page found which node
repair.py       lengths that count ─► frontier.new ─► committed.json ─► cut files ─► frontier
"""
