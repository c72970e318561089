"""Archives: what was sent and received, as WARC files beside the graph.

capture.py      what is kept of one exchange
record.py       the records of a capture, byte by byte
outlinks.py     the block of a metadata record: out-links as Heritrix writes them
member.py       a record as one gzip member
stream.py       captures → members of one file after the other; finds identical payloads
writer.py       the stream's writer: compresses in a thread of its own
reading.py      the members of a file of ours
index_key.py    how archives name a URL in an index
cdxj.py         the index beside a finished file
wacz.py         all files of a crawl packed for replay
"""
