"""Archives → a crawl directory: the captures of WARC, ARC and WAT files are recorded as a crawl records its visits.

    file ──records.py──► Record ──replies.py──► Reply ──reading.py──► Read ──frames.py──► main process ──► Recorder
           arc.py                                        (crawl/visit.py, extract, scope)      harvest.py (frontier)
           wat.py

Everything left of the last arrow runs in reader processes (reader.py), one per file, in the sandbox of the extraction
workers. ahead.py starts them and keeps what they send until its turn. ingest.py records it, in order, through
crawl/record.py and crawl/commit.py. What was taken from each file is committed with the pages (ledger.py).
"""
